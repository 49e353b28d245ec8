#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "dataflow/mapping_candidates.h"
#include "sim/base/error.h"

namespace systole {

namespace {

bool output_stationary(const OrientedGemm& gemm) { return gemm.dataflow == Dataflow::output_stationary; }

bool fits(const Mapping& mapping, const CoreLimits& limits) {
    return vmem_need(mapping, limits) <= limits.vmem_capacity &&
           accumulator_need(mapping, limits) <= limits.accumulator_capacity;
}

[[noreturn]] void refuse(const Mapping& mapping, const CoreLimits& limits, std::string_view what) {
    const auto tile = to_tile(mapping.tile);
    const auto text = fmt::format("{}x{}x{}", tile.m, tile.n, tile.k);
    const auto vmem = vmem_need(mapping, limits);
    if (vmem > limits.vmem_capacity && mapping.all_resident()) {
        throw InputError(fmt::format("the operands and the result need {} bytes of VMEM, it holds {} "
                                     "(use --from hbm, or raise vmem.capacity)",
                                     vmem, limits.vmem_capacity));
    }
    if (vmem > limits.vmem_capacity) {
        throw InputError(fmt::format("{} {} (MxNxK) needs {} bytes of VMEM with {} buffers, it holds {} "
                                     "(raise vmem.capacity or lower vmem.buffers)",
                                     what, text, vmem, limits.buffers, limits.vmem_capacity));
    }
    throw InputError(fmt::format("{} {} (MxNxK) needs {} bytes of accumulators, there are {} "
                                 "(raise accumulator.capacity)",
                                 what, text, accumulator_need(mapping, limits), limits.accumulator_capacity));
}

// Which PEs hold a group, and that each sees no more activations than it has ports for.
void require_groups_fit(const OrientedGemm& problem, const CoreLimits& limits) {
    const auto& sparsity = problem.sparsity;
    if (sparsity.dense())
        return;
    const int q = limits.q;
    const auto seen = std::int64_t{std::max(1, q / sparsity.keep)} * sparsity.group;
    if ((q % sparsity.keep != 0 && sparsity.keep % q != 0) || seen > most_activations) {
        throw InputError(fmt::format("sparsity {}: PEs with {} MACs a cycle cannot pick from its groups: N must divide "
                                     "that number or be a multiple of it, and the groups of a PE may hold {} "
                                     "activations (use another sparsity, or change array.macs_per_pe_cycle)",
                                     name(sparsity), q, most_activations));
    }
    if (!output_stationary(problem) && std::int64_t{limits.array.rows} * q < sparsity.keep) {
        throw InputError(fmt::format("sparsity {}: {} rows of PEs cannot hold the {} values of a group (raise "
                                     "array.rows, or use --dataflow os)",
                                     name(sparsity), limits.array.rows, sparsity.keep));
    }
}

} // namespace

namespace {

// With the tile clipped to the problem.
Mapping tiled_mapping(const OrientedGemm& problem, const Tile& tile, DataOrigin from, const CoreLimits& limits) {
    require_groups_fit(problem, limits);
    auto mapping = whole_mapping(problem, from, limits);
    const auto asked = orient(tile, problem.dataflow);
    mapping.tile.rows = std::min(asked.rows, problem.rows);
    mapping.tile.cols = std::min(asked.cols, problem.cols);
    mapping.tile.depth = std::min(asked.depth, problem.depth);
    if (mapping.tile.depth < problem.depth && mapping.tile.depth % problem.sparsity.group != 0) {
        throw InputError(fmt::format("tile {}x{}x{} (MxNxK): its K cuts a group of sparsity {} (use a multiple of {})",
                                     tile.m, tile.n, tile.k, name(problem.sparsity), problem.sparsity.group));
    }
    return mapping;
}

} // namespace

Mapping exact_mapping(const OrientedGemm& problem, const ExactLayout& layout, DataOrigin from,
                      const CoreLimits& limits) {
    auto mapping = tiled_mapping(problem, layout.tile, from, limits);
    mapping.cols_outer = layout.cols_outer;
    mapping.split_rows = layout.split_rows;
    mapping.products = std::min(layout.products, problem.count);
    if (mapping.products > 1 && !mapping.tile_is_whole()) {
        const auto tile = to_tile(mapping.tile);
        throw InputError(fmt::format("tile {}x{}x{} (MxNxK) is no whole product, so it cannot hold the operands of {} "
                                     "(use products = 1, or the tile of a whole product)",
                                     tile.m, tile.n, tile.k, mapping.products));
    }
    if (!fits(mapping, limits))
        refuse(mapping, limits, "tile");
    return mapping;
}

Mapping explicit_mapping(const OrientedGemm& problem, const Tile& tile, DataOrigin from, const CoreLimits& limits) {
    const auto mapping = tiled_mapping(problem, tile, from, limits);
    auto other = mapping;
    other.cols_outer = true;
    // What is fetched again holds another buffer, so the orders may need different amounts of VMEM.
    if (!fits(mapping, limits) && !fits(other, limits))
        refuse(mapping, limits, "tile");
    if (!fits(mapping, limits) || !fits(other, limits))
        return fits(mapping, limits) ? mapping : other;
    // Of two orders that fetch as much, all operands being there, say, that which reads less.
    const auto moved = [&](const Mapping& m) {
        const auto bytes = mapped_bytes(m, limits);
        return std::pair(bytes.x_fetched + bytes.y_fetched, bytes.x_streamed + bytes.y_streamed);
    };
    return moved(other) < moved(mapping) ? other : mapping;
}

std::vector<RankedMapping> ranked_mappings(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits,
                                           const MemoryRate& memory, CandidateList list) {
    require_groups_fit(problem, limits);
    std::vector<RankedMapping> mappings;
    const auto candidates = mapping_candidates(problem, from, limits, list);
    MappingEstimator estimate(limits, memory);
    for (const auto& mapping : candidates) {
        if (accumulator_need(mapping, limits) > limits.accumulator_capacity)
            continue;
        const auto need = vmem_need(mapping, limits);
        if (need <= limits.vmem_capacity)
            mappings.push_back({mapping, estimate(mapping), need});
    }
    if (mappings.empty())
        refuse(candidates.front(), limits, "even the smallest tile");
    std::vector<const RankedMapping*> order; // mappings are large
    for (const auto& mapping : mappings)
        order.push_back(&mapping);
    std::stable_sort(order.begin(), order.end(), [](const RankedMapping* a, const RankedMapping* b) {
        return std::tie(a->estimate.cycles, a->estimate.passes, a->need) <
               std::tie(b->estimate.cycles, b->estimate.passes, b->need);
    });
    std::vector<RankedMapping> ranked;
    ranked.reserve(order.size());
    for (const auto* mapping : order)
        ranked.push_back(*mapping);
    return ranked;
}

} // namespace systole
