#include <algorithm>

#include "sim/engine/machine_run.h"

namespace systole {

CoreLimits core_limits(const Machine& machine, const OperandFormats& formats) {
    return {.array = machine.array,
            .q = macs_per_pe_cycle(machine, formats),
            .accumulator_capacity = machine.accumulator_capacity,
            .vmem_capacity = machine.vmem.capacity,
            .vmem_bandwidth = machine.vmem.bandwidth,
            .vmem_banks = machine.vmem.banks,
            .vmem_ports = machine.vmem.ports,
            .buffers = machine.vmem.buffers};
}

namespace {

// How an extent is dealt to the cores: in whole units, as evenly as they allow.
struct Dealing {
    std::int64_t extent = 1;
    std::int64_t unit = 1;
    std::int64_t cores = 1;

    std::int64_t units() const { return ceil_div(extent, unit); }
    std::int64_t busy() const { return std::min(cores, units()); }
    std::int64_t begin(std::int64_t core) const { return std::min(extent, units() * core / busy() * unit); }
    std::int64_t count(std::int64_t core) const { return begin(core + 1) - begin(core); }
    std::int64_t largest() const {
        std::int64_t most = 0;
        for (std::int64_t core = 0; core < busy(); ++core)
            most = std::max(most, count(core));
        return most;
    }
};

} // namespace

std::vector<CoreShare> share_among_cores(const Machine& machine, const GemmProblem& problem, Dataflow dataflow,
                                         const std::function<Mapping(const OrientedGemm&)>& map) {
    const auto whole = orient(problem, dataflow);
    const auto& array = machine.array;
    const bool os = dataflow == Dataflow::output_stationary;
    const Dealing by_cols{whole.cols, std::int64_t{array.cols} * array.count, machine.cores};
    const Dealing by_rows{whole.rows, os ? array.rows : 1, machine.cores};
    const Dealing by_instances{whole.count, 1, machine.cores};
    const bool rows = by_rows.busy() > by_cols.busy();
    const bool instances = whole.count > 1 && by_instances.busy() >= std::max(by_rows.busy(), by_cols.busy());
    const auto& dealing = instances ? by_instances : rows ? by_rows : by_cols;
    const auto dealt = [&](OrientedGemm& gemm) -> std::int64_t& {
        return instances ? gemm.count : rows ? gemm.rows : gemm.cols;
    };

    const bool along_m = rows != (dataflow == Dataflow::input_stationary);
    auto largest = whole;
    dealt(largest) = dealing.largest();
    largest.window_cut = !instances && along_m && dealing.busy() > 1;
    const Mapping mapping = map(largest);
    std::vector<CoreShare> shares;
    for (std::int64_t core = 0; core < dealing.busy(); ++core) {
        CoreShare share{.m0 = 0, .n0 = 0, .instance0 = 0, .mapping = mapping};
        auto& part = share.mapping.problem;
        dealt(part) = dealing.count(core);
        share.mapping.tile.rows = std::min(mapping.tile.rows, part.rows);
        share.mapping.tile.cols = std::min(mapping.tile.cols, part.cols);
        share.mapping.products = std::min(mapping.products, part.count);
        (instances ? share.instance0 : along_m ? share.m0 : share.n0) = dealing.begin(core);
        part.window_begin = share.m0;
        part.window_cut = mapping.problem.window_cut;
        shares.push_back(share);
    }
    return shares;
}

} // namespace systole
