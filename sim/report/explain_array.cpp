// Sentences about the array: padding, loads, filling and draining, control.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dataflow/array_timing.h"
#include "sim/report/explain_facts.h"
#include "sim/report/numbers.h"

namespace systole {

namespace {

// A dimension that PEs span, and how much of it the arrays cover at a time.
struct Spanned {
    const char* name;
    std::int64_t extent, tile, covered;
    std::string by; // what covers it

    bool ragged() const { return extent % covered != 0; }
    bool ragged_tile() const { return tile < extent && tile % covered != 0; }
};

// q of the run's formats: PE-slots are R*C*arrays*cores*cycles*q.
std::int64_t rate(const RunFacts& facts) {
    const OperatorResult& r = facts.result;
    return r.cycles == 0 ? 1 : std::max<std::int64_t>(1, r.pe_slots / r.cycles / facts.machine.pe_count());
}

std::vector<Spanned> spanned(const RunFacts& facts) {
    const OperatorResult& r = facts.result;
    const ArrayConfig& array = facts.machine.array;
    const std::int64_t q = rate(facts);
    const std::int64_t all_cols = std::int64_t{array.cols} * array.count * facts.machine.cores;
    const std::string cols = all_cols == array.cols ? fmt::format("the array's {} columns", array.cols)
                                                    : fmt::format("the {} columns of all arrays", all_cols);
    const std::string rows = fmt::format("the array's {} rows", array.rows);
    const std::int64_t groups = std::int64_t{array.rows} * q / r.sparsity.keep;
    const std::int64_t depth =
        std::max<std::int64_t>(1, r.sparsity.dense() ? array.rows * q : groups * r.sparsity.group);
    const Spanned k{"K", r.k, r.tile.k, depth,
                    depth == array.rows ? rows : fmt::format("{} (what {} hold)", depth, rows)};
    switch (r.dataflow) {
    case Dataflow::weight_stationary:
        return {k, {"N", r.n, r.tile.n, all_cols, cols}};
    case Dataflow::input_stationary:
        return {k, {"M", r.m, r.tile.m, all_cols, cols}};
    case Dataflow::output_stationary:
        break;
    }
    return {{"M", r.m, r.tile.m, array.rows, rows},
            {"N", r.n, r.tile.n, all_cols, cols},
            {"K", r.k, r.tile.k, q, fmt::format("the {} MACs of a PE and cycle", q)}};
}

// Extents that would leave no PE idle: of the dimensions that do now. Several operators: of all.
std::string full_extents(const RunFacts& facts) {
    std::string operators, tiles;
    const auto add = [](std::string& list, const Spanned& one) {
        list += fmt::format("{}{} a multiple of {}", list.empty() ? "" : " and ", one.name, one.by);
    };
    for (const Spanned& one : spanned(facts)) {
        if (one.ragged() || !facts.one_shape) {
            add(operators, one);
        } else if (one.ragged_tile()) {
            add(tiles, one);
        }
    }
    if (!operators.empty()) {
        return operators + " would fill it";
    }
    return tiles.empty() ? "a shape that gives all arrays and cores as much to do" : "a --tile with " + tiles;
}

std::string shape_text(const RunFacts& facts) {
    const OperatorResult& r = facts.result;
    return facts.one_shape ? fmt::format("M = {}, N = {}, K = {}", r.m, r.n, r.k)
                           : std::string("the operators' shapes");
}

// S is the tile's extent in M or N, and no tile is larger than the operator.
std::string longer_streams(const RunFacts& facts, Cycles rows) {
    const bool weights = facts.result.dataflow == Dataflow::weight_stationary;
    const std::int64_t whole = weights ? facts.result.m : facts.result.n;
    const char* axis = weights ? "M" : "N";
    if (whole > facts.streamed) {
        return fmt::format("S >= {} would hide it: a --tile of more than {} in {}{}", rows, facts.streamed, axis,
                           whole < rows ? fmt::format(" and a larger {}", axis) : "");
    }
    return fmt::format("S >= {} would hide it: a larger {} than {}{}, or another --dataflow", rows, axis, whole,
                       weights ? " (a larger batch)" : "");
}

} // namespace

Sentence padding_sentence(const RunFacts& facts) {
    const ArrayConfig& array = facts.machine.array;
    return {fmt::format("of the slots that vectors passed or that had no work, {} did a MAC: {} on {} core{} with {} "
                        "array{} of {} x {} PEs leave the others idle",
                        percent_text(facts.result.mapping_efficiency()), shape_text(facts), facts.machine.cores,
                        facts.machine.cores == 1 ? "" : "s", array.count, array.count == 1 ? "" : "s", array.rows,
                        array.cols),
            full_extents(facts)};
}

Sentence load_sentence(const RunFacts& facts) {
    const Cycles rows = load_cycles(facts.machine.array);
    if (facts.output_stationary) {
        return {fmt::format("accumulators are preloaded for {} cycles", rows), "a run without a bias"};
    }
    if (facts.machine.array.weight_buffers == 1) {
        return {fmt::format("a stationary tile takes {} cycles to shift in and, with a single buffer, nothing streams "
                            "meanwhile",
                            rows),
                "array.weight_buffers = 2 would load the next tile behind the stream"};
    }
    if (facts.one_shape && facts.streamed < rows) {
        const double behind_streams =
            static_cast<double>(rows) + std::max(0.0, facts.steps - 1) * static_cast<double>(rows - facts.streamed);
        const double late = static_cast<double>(facts.bar(Cause::stationary_load)) - behind_streams;
        std::string what = fmt::format("a stationary tile takes {} cycles to shift in and streams of S = {} vectors "
                                       "hide that many of them",
                                       rows, facts.streamed);
        const std::string cure = longer_streams(facts, rows);
        if (late >= 1) {
            what += fmt::format("; {:.0f} cycles of it because tiles were not in VMEM when their load could have begun",
                                late);
        }
        return {what, cure};
    }
    if (facts.bar(Cause::stationary_load) <= rows) {
        return {
            fmt::format("a stationary tile takes {} cycles to shift in, and before the first pass nothing hides that",
                        rows),
            "a longer run, as it is there once"};
    }
    return {fmt::format("a stationary tile takes {} cycles to shift in: before the first pass, and whenever it reached "
                        "VMEM too late to do so behind the stream before",
                        rows),
            "tiles that arrive in time (see what the memories are waited for), or longer streams"};
}

Sentence fill_drain_sentence(const RunFacts& facts) {
    const ArrayConfig& array = facts.machine.array;
    const Cycles crossing = crossing_latency(array) + drain_cycles(array, facts.result.dataflow);
    std::string what = fmt::format("a wave needs {} cycles to cross the {} x {} array and to leave it", crossing,
                                   array.rows, array.cols);
    const bool serial = facts.output_stationary ? array.accumulator_buffers == 1 : array.weight_buffers == 1;
    if (serial) {
        return {what + ", behind every pass, as this array has a single buffer",
                facts.output_stationary ? "array.accumulator_buffers = 2 would drain behind the next pass"
                                        : "array.weight_buffers = 2 would start the next pass at once"};
    }
    return {what + fmt::format(", once at the end of an operator; {} cycles were waited", facts.bar(Cause::fill_drain)),
            "longer operators: it does not grow with them"};
}

Sentence control_sentence(const RunFacts& facts) {
    const ArrayConfig& array = facts.machine.array;
    const DmaConfig& dma = facts.machine.dma;
    if (facts.one_shape && array.min_rows > facts.streamed) {
        return {fmt::format("the control starts a pass every {} cycles at most, and S = {} vectors take fewer",
                            array.min_rows, facts.streamed),
                fmt::format("S >= {} or a smaller array.min_rows", array.min_rows)};
    }
    if (facts.output_stationary && facts.one_shape) {
        const Cycles drain = drain_cycles(array, facts.result.dataflow);
        if (drain > facts.streamed) {
            return {fmt::format("results shift out for {} cycles and the chain is then busy, but a pass takes S = {}",
                                drain, facts.streamed),
                    fmt::format("a K tile of {} or more", drain)};
        }
    }
    if (!facts.output_stationary && array.weight_buffers == 2 && array.swap == Swap::drained) {
        return {fmt::format("tiles are switched {} cycles apart at least, as the switch has to leave the array",
                            array.swap_period),
                fmt::format("S >= {} or array.swap = wavefront", array.swap_period)};
    }
    if (facts.result.from != DataOrigin::vmem && dma.issue_interval > 0) {
        return {fmt::format("a DMA engine issues a request of at most {} every {} cycle{}", bytes_text(dma.burst_bytes),
                            dma.issue_interval, dma.issue_interval == 1 ? "" : "s"),
                "a larger dma.burst, a shorter dma.issue_interval or more dma.engines"};
    }
    return {"passes were kept apart by the array's control", "a shorter interval between passes"};
}

Sentence vector_sentence(const RunFacts& facts) {
    const VectorConfig& unit = facts.machine.vector;
    const double least = facts.result.roofline.t_vector_s * static_cast<double>(facts.machine.clock);
    return {fmt::format("the vector unit of a core does {} operations a cycle ({} lanes x {} sublanes x {} ALUs); its "
                        "work takes {:.0f} cycles at least",
                        unit.operations_per_cycle(), unit.lanes, unit.sublanes, unit.alus, least),
            "more vector.alus or vector.lanes, or functions of fewer operations"};
}

} // namespace systole
