#include "dataflow/mapping.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "dataflow/array_timing.h"
#include "sim/base/error.h"

namespace systole {

namespace {

bool output_stationary(const OrientedGemm& gemm) { return gemm.dataflow == Dataflow::output_stationary; }

std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? unlimited : product;
}

std::int64_t tiles(std::int64_t extent, std::int64_t tile) { return ceil_div(extent, tile); }

// Slices of `slice` when `extent` is cut into tiles of `tile` first: a ragged tile has a ragged last slice.
std::int64_t slices(std::int64_t extent, std::int64_t tile, std::int64_t slice) {
    const auto whole = extent / tile;
    return whole * ceil_div(tile, slice) + ceil_div(extent % tile, slice);
}

// The arrays of a core share the columns unless that leaves arrays without work that rows would give them.
bool better_to_split_rows(const OrientedGemm& problem, const CoreLimits& limits) {
    const auto& array = limits.array;
    const auto by_cols = std::min<std::int64_t>(array.count, ceil_div(problem.cols, array.cols));
    const auto row_parts = output_stationary(problem) ? ceil_div(problem.rows, array.rows) : problem.rows;
    return std::min<std::int64_t>(array.count, row_parts) > by_cols;
}

} // namespace

OrientedGemm orient(const Tile& tile, Dataflow dataflow) {
    OrientedGemm gemm{.dataflow = dataflow, .rows = tile.m, .cols = tile.n, .depth = tile.k};
    if (dataflow == Dataflow::input_stationary)
        std::swap(gemm.rows, gemm.cols);
    return gemm;
}

OrientedGemm orient(const GemmProblem& problem, Dataflow dataflow) {
    auto gemm = orient(Tile{problem.m, problem.n, problem.k}, dataflow);
    gemm.x = problem.formats.a;
    gemm.y = problem.formats.b;
    gemm.out = problem.formats.c;
    if (dataflow == Dataflow::input_stationary)
        std::swap(gemm.x, gemm.y);
    return gemm;
}

Tile to_tile(const OrientedGemm& extents) {
    if (extents.dataflow == Dataflow::input_stationary)
        return {extents.cols, extents.rows, extents.depth};
    return {extents.rows, extents.cols, extents.depth};
}

GroupShape group_shape(const Mapping& mapping, const CoreLimits& limits) {
    const auto& array = limits.array;
    const std::int64_t col_arrays = mapping.split_rows ? 1 : array.count;
    const std::int64_t row_arrays = mapping.split_rows ? array.count : 1;
    if (output_stationary(mapping.problem)) {
        return {.rows = array.rows * row_arrays, .cols = array.cols * col_arrays, .depth = mapping.tile.depth};
    }
    return {.rows = mapping.tile.rows, .cols = array.cols * col_arrays, .depth = std::int64_t{array.rows} * limits.q};
}

Bytes accumulator_need(const Mapping& mapping, const CoreLimits& limits) {
    const auto group = group_shape(mapping, limits);
    const auto& tile = mapping.tile;
    const bool one_depth_tile = tile.depth >= mapping.problem.depth;
    const auto rows = one_depth_tile ? std::min(tile.rows, group.rows) : tile.rows;
    const auto cols = one_depth_tile ? std::min(tile.cols, group.cols) : tile.cols;
    return saturating_mul(saturating_mul(rows, cols), accumulator_word);
}

Bytes vmem_need(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    if (mapping.from == DataOrigin::vmem) {
        return stored_bytes(p.rows * p.depth, p.x) + stored_bytes(p.depth * p.cols, p.y) +
               stored_bytes(p.rows * p.cols, p.out);
    }
    const auto held = [&](std::int64_t count) { return std::min<std::int64_t>(count, limits.buffers); };
    const auto row_tiles = tiles(p.rows, t.rows);
    const auto col_tiles = tiles(p.cols, t.cols);
    const auto depth_tiles = tiles(p.depth, t.depth);
    return held(row_tiles * depth_tiles) * stored_bytes(t.rows * t.depth, p.x) +
           held(col_tiles * depth_tiles) * stored_bytes(t.depth * t.cols, p.y) +
           held(row_tiles * col_tiles) * stored_bytes(t.rows * t.cols, p.out);
}

MappedBytes mapped_bytes(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto group = group_shape(mapping, limits);
    const auto row_tiles = tiles(p.rows, t.rows);
    const auto col_tiles = tiles(p.cols, t.cols);
    const auto depth_tiles = tiles(p.depth, t.depth);
    const auto x = stored_bytes(p.rows * p.depth, p.x);
    const auto y = stored_bytes(p.depth * p.cols, p.y);
    MappedBytes bytes;
    // A tile stays while consecutive steps use it: x over the column loop if nothing else moves inside, y likewise.
    const bool x_stays = depth_tiles == 1 && (!mapping.cols_outer || row_tiles == 1);
    const bool y_stays = depth_tiles == 1 && (mapping.cols_outer || col_tiles == 1);
    bytes.x_fetched = x_stays ? x : saturating_mul(x, col_tiles);
    bytes.y_fetched = y_stays ? y : saturating_mul(y, row_tiles);
    bytes.out_stored = stored_bytes(p.rows * p.cols, p.out);
    const auto col_slices = slices(p.cols, t.cols, group.cols);
    if (output_stationary(p)) {
        const auto row_slices = slices(p.rows, t.rows, group.rows);
        bytes.passes = row_slices * col_slices * depth_tiles;
        bytes.x_streamed = saturating_mul(x, col_slices);
        bytes.y_streamed = saturating_mul(y, row_slices);
    } else {
        bytes.passes = row_tiles * col_slices * slices(p.depth, t.depth, group.depth);
        bytes.x_streamed = saturating_mul(x, col_slices);
        bytes.y_streamed = bytes.passes == row_tiles ? y : saturating_mul(y, row_tiles);
    }
    return bytes;
}

Cycles array_cycles(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto& array = limits.array;
    const auto bytes = mapped_bytes(mapping, limits);
    const bool os = output_stationary(p);
    const auto streams = mapping.split_rows && !os ? array.count : 1;
    const auto vectors = [&](std::int64_t extent) {
        return os ? ceil_div(extent, limits.q) : ceil_div(extent, streams);
    };
    const auto extent = os ? p.depth : p.rows;
    const auto tile = os ? t.depth : t.rows;
    const auto groups = bytes.passes / tiles(extent, tile); // passes for each tile of the streamed extent
    const bool one_tile = !os && groups == 1;               // the stationary tile is never exchanged
    const auto interval = [&](std::int64_t part) {
        if (part == 0)
            return Cycles{0};
        const auto s = vectors(part);
        return one_tile ? std::max<Cycles>(s, array.min_rows) : pass_interval(array, p.dataflow, s);
    };
    const Cycles per_group = extent / tile * interval(tile) + interval(extent % tile);
    const Cycles passes = saturating_mul(groups, per_group);
    // Where passes do not overlap, each brings its own load and drain.
    const bool serial = os ? array.accumulator_buffers == 1 : array.weight_buffers == 1 && !one_tile;
    if (serial)
        return passes;
    return passes + crossing_latency(array) + drain_cycles(array, p.dataflow) + (os ? 0 : load_cycles(array));
}

namespace {

Mapping base_mapping(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits) {
    Mapping mapping{.problem = problem, .tile = problem, .from = from};
    mapping.split_rows = better_to_split_rows(problem, limits);
    return mapping;
}

bool fits(const Mapping& mapping, const CoreLimits& limits) {
    return vmem_need(mapping, limits) <= limits.vmem_capacity &&
           accumulator_need(mapping, limits) <= limits.accumulator_capacity;
}

[[noreturn]] void refuse(const Mapping& mapping, const CoreLimits& limits, std::string_view what) {
    const auto tile = to_tile(mapping.tile);
    const auto text = fmt::format("{}x{}x{}", tile.m, tile.n, tile.k);
    const auto vmem = vmem_need(mapping, limits);
    if (vmem > limits.vmem_capacity && mapping.from == DataOrigin::vmem) {
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

// base, 2*base, 4*base, ... below the extent, and the extent itself: the same list whatever the capacities are.
std::vector<std::int64_t> extents(std::int64_t base, std::int64_t extent) {
    std::vector<std::int64_t> list;
    for (auto e = base; e < extent; e *= 2)
        list.push_back(e);
    list.push_back(extent);
    return list;
}

struct Ranked {
    double cycles;
    std::int64_t passes;
    Bytes need;
    Mapping mapping;
};

// Cycles in which VMEM serves anybody. With one bank clients do not share a cycle: every vector, stationary row, result
// vector and DMA request takes one at least.
double vmem_cycles(const Mapping& mapping, const MappedBytes& bytes, double moved, double requests,
                   const CoreLimits& limits) {
    const bool resident = mapping.from == DataOrigin::vmem;
    double cycles = 0;
    if (limits.vmem_bandwidth != unlimited) {
        cycles =
            (double(bytes.x_streamed) + double(bytes.y_streamed) + double(bytes.out_stored) + (resident ? 0 : moved)) /
            double(limits.vmem_bandwidth);
    }
    if (limits.vmem_banks > 1)
        return cycles;
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const bool os = output_stationary(p);
    const double passes = double(bytes.passes);
    const double vectors = os ? double(t.depth) / limits.q : double(t.rows);
    const double rows = double(std::min<std::int64_t>(limits.array.rows, os ? t.rows : ceil_div(t.depth, limits.q)));
    const double results = passes / std::max(1.0, double(ceil_div(p.depth, group_shape(mapping, limits).depth)));
    const double served = passes * (vectors + (os ? 0 : rows)) + results * (os ? rows : vectors);
    return std::max(cycles, served + (resident ? 0 : requests));
}

double requests_for(Bytes bytes, Bytes unit, const MemoryRate& memory) {
    return double(ceil_div(bytes, std::max<Bytes>(1, unit))) * std::ceil(double(unit) / memory.request_bytes);
}

// Cycles to move `bytes` in units: bound by the rate, or by the answers of the few requests in flight.
double transfer_cycles(Bytes bytes, double requests, const MemoryRate& memory) {
    return std::max(double(bytes) / memory.bytes_per_cycle, requests * memory.latency / memory.outstanding);
}

// Of two mappings that take the same time the one that moves less is better: a hundredth of the memory's time decides.
constexpr double traffic_weight = 0.01;

// What a run takes when each step of the VMEM tiles overlaps with the transfers of its neighbours: the slowest of
// array, VMEM and memory; a buffer that is refilled in time (latency included); the first units in and the last out.
double estimate(const Mapping& mapping, const CoreLimits& limits, const MemoryRate& memory) {
    const auto bytes = mapped_bytes(mapping, limits);
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const double array = double(array_cycles(mapping, limits));
    if (mapping.from == DataOrigin::vmem)
        return std::max(array, vmem_cycles(mapping, bytes, 0, 0, limits));

    const auto group = group_shape(mapping, limits);
    const auto rows = std::min(t.rows, group.rows);
    const auto cols = std::min(t.cols, group.cols);
    const auto depth = std::min(t.depth, group.depth);
    const Bytes x_unit = stored_bytes(rows * depth, p.x);
    const Bytes y_unit = stored_bytes(depth * cols, p.y);
    const Bytes out_unit = stored_bytes(rows * cols, p.out);
    const double x_requests = requests_for(bytes.x_fetched, x_unit, memory);
    const double y_requests = requests_for(bytes.y_fetched, y_unit, memory);
    const double out_requests = requests_for(bytes.out_stored, out_unit, memory);
    const double moved = double(bytes.x_fetched) + double(bytes.y_fetched) + double(bytes.out_stored);
    const double requests = x_requests + y_requests + out_requests;
    const double busy = std::max(array, vmem_cycles(mapping, bytes, moved, requests, limits));

    const double out_tiles = double(tiles(p.rows, t.rows)) * double(tiles(p.cols, t.cols));
    const double depth_tiles = double(tiles(p.depth, t.depth));
    const double steps = out_tiles * depth_tiles;
    const double fetch =
        (transfer_cycles(bytes.x_fetched, x_requests, memory) + transfer_cycles(bytes.y_fetched, y_requests, memory)) /
        steps;
    const double store = transfer_cycles(bytes.out_stored, out_requests, memory) / out_tiles;
    const double ahead = std::max(1, limits.buffers - 1);
    double step = std::max(busy / steps, fetch + store / depth_tiles);
    if (steps > 1)
        step = std::max(step, (fetch + memory.latency) / ahead);
    if (out_tiles > 1)
        step = std::max(step, (store + memory.latency) / ahead / depth_tiles);
    if (limits.buffers == 1 && steps > 1)
        step += fetch + memory.latency;

    const double edges = double(x_unit + y_unit + out_unit) / memory.bytes_per_cycle + 2 * memory.latency;
    // Until the first tile of x is there, every pass waits for its part of it.
    const double sweep = busy / std::max(1.0, steps * double(ceil_div(t.cols, group.cols)));
    const double ramp = std::max(0.0, double(stored_bytes(t.rows * t.depth, p.x)) / memory.bytes_per_cycle - sweep);
    return steps * step + edges + ramp + traffic_weight * moved / memory.bytes_per_cycle;
}

std::vector<Mapping> all_candidates(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits) {
    const auto base = base_mapping(problem, from, limits);
    const auto group = group_shape(base, limits);
    const bool os = output_stationary(problem);
    const bool resident = from == DataOrigin::vmem;
    std::vector<Mapping> list;
    for (const auto rows : extents(os ? group.rows : 1, problem.rows)) {
        for (const auto cols : resident ? std::vector{problem.cols} : extents(group.cols, problem.cols)) {
            for (const auto depth :
                 resident ? std::vector{problem.depth} : extents(os ? limits.q : group.depth, problem.depth)) {
                Mapping mapping = base;
                mapping.tile.rows = rows;
                mapping.tile.cols = cols;
                mapping.tile.depth = depth;
                list.push_back(mapping);
                if (rows == problem.rows || cols == problem.cols)
                    continue; // the order of one tile is no choice
                mapping.cols_outer = true;
                list.push_back(mapping);
            }
        }
    }
    return list;
}

} // namespace

Mapping explicit_mapping(const OrientedGemm& problem, const Tile& tile, DataOrigin from, const CoreLimits& limits) {
    auto mapping = base_mapping(problem, from, limits);
    const auto asked = orient(tile, problem.dataflow);
    mapping.tile.rows = std::min(asked.rows, problem.rows);
    mapping.tile.cols = std::min(asked.cols, problem.cols);
    mapping.tile.depth = std::min(asked.depth, problem.depth);
    if (!fits(mapping, limits))
        refuse(mapping, limits, "tile");
    auto other = mapping;
    other.cols_outer = true;
    const auto moved = [&](const Mapping& m) {
        const auto bytes = mapped_bytes(m, limits);
        return bytes.x_fetched + bytes.y_fetched;
    };
    return moved(other) < moved(mapping) ? other : mapping;
}

std::vector<Mapping> naive_mappings(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits,
                                    const MemoryRate& memory) {
    std::vector<Ranked> ranked;
    const auto candidates = all_candidates(problem, from, limits);
    for (const auto& mapping : candidates) {
        if (!fits(mapping, limits))
            continue;
        ranked.push_back({estimate(mapping, limits, memory), mapped_bytes(mapping, limits).passes,
                          vmem_need(mapping, limits), mapping});
    }
    if (ranked.empty())
        refuse(candidates.front(), limits, "even the smallest tile");
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
        return std::tie(a.cycles, a.passes, a.need) < std::tie(b.cycles, b.passes, b.need);
    });
    std::vector<Mapping> mappings;
    for (const auto& r : ranked)
        mappings.push_back(r.mapping);
    return mappings;
}

} // namespace systole
