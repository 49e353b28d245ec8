#include "sim/report/scalesim.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/report/numbers.h"

namespace systole {

namespace {

// A GEMM as SCALE-Sim lays it out: `rows` x `cols` stationary elements, `streamed` vectors through each fold.
struct Layout {
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::int64_t streamed = 1;
};

// With sparsity of B only its stored positions take part.
Layout layout_of(const OperatorResult& result) {
    const auto depth = used_depth(result.sparsity, result.k);
    switch (result.dataflow) {
    case Dataflow::output_stationary:
        return {result.m, result.n, depth};
    case Dataflow::input_stationary:
        return {depth, result.m, result.n};
    case Dataflow::weight_stationary:
        break;
    }
    return {depth, result.n, result.m};
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0.0; }

// Cycles of a fold as Compute Util counts them: for WS and IS more than a fold takes, which is kept as it is.
std::int64_t fold_cycles(const OperatorResult& result, const Layout& layout, std::int64_t rows, std::int64_t cols) {
    return result.dataflow == Dataflow::output_stationary ? rows + cols + layout.streamed - 2
                                                          : 2 * rows + 2 * cols + layout.streamed - 3;
}

std::string line(std::size_t index, const OperatorResult& result, std::int64_t rows, std::int64_t cols) {
    const Layout layout = layout_of(result);
    const double pes = static_cast<double>(rows * cols);
    const double folds = static_cast<double>(ceil_div(layout.rows, rows) * ceil_div(layout.cols, cols));
    const double stationary = static_cast<double>(layout.rows) * static_cast<double>(layout.cols);
    const std::int64_t total_cycles = result.cycles - 1;

    const double overall = percent(static_cast<double>(result.macs), pes * static_cast<double>(total_cycles));
    const double mapping = percent(stationary, folds * pes);
    const double compute = percent(stationary / folds * static_cast<double>(layout.streamed),
                                   pes * static_cast<double>(fold_cycles(result, layout, rows, cols)));
    return fmt::format("{}, {}, 0, {}, {}, {},\n", index, total_cycles, shortest(overall), shortest(mapping),
                       shortest(compute));
}

} // namespace

void require_one_array(const Machine& machine) {
    if (machine.array.count * machine.cores != 1) {
        throw InputError(fmt::format("--format scalesim describes one array, but {} has {} (use --set array.count=1 "
                                     "--set cores=1, or another format)",
                                     machine.name, machine.array.count * machine.cores));
    }
}

std::string scalesim_report(const Machine& machine, const RunResult& result) {
    require_one_array(machine);
    std::string text = "LayerID, Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Util %,\n";
    for (std::size_t i = 0; i < result.operators.size(); ++i) {
        text += line(i, result.operators[i], machine.array.rows, machine.array.cols);
    }
    return text;
}

} // namespace systole
