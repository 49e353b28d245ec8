#include "sim/engine/operator_run.h"

#include <array>
#include <map>

#include <fmt/format.h>

#include "dataflow/map_bytes.h"
#include "sim/base/error.h"
#include "sim/base/timeline.h"
#include "sim/engine/laws.h"
#include "sim/engine/reference.h"
#include "sim/roofline/roofline.h"

namespace systole {

bool needs_values(const RunOptions& options) {
    return options.verify.value_or(false) || options.given.a || options.given.b || options.take_result;
}

bool wants_values(EngineKind engine, const RunOptions& options) {
    if (engine != EngineKind::tile)
        return needs_values(options) || options.verify.value_or(true);
    if (options.verify.value_or(false)) {
        throw InputError("--verify needs values and the tile engine carries none (use --engine flat or structural)");
    }
    if (needs_values(options)) {
        throw InputError("--a, --b and --c are about values and the tile engine carries none (use --engine flat or "
                         "structural)");
    }
    return false;
}

namespace {

// What crosses the link of a feature map beyond the pixels that are read: those between them in their rows, and rows
// that several cores need at the seams of their shares.
Bytes beyond_touched(const Plan& plan) {
    const auto& problem = plan.problem;
    if (!problem.window || problem.homes.a != Home::origin)
        return 0;
    std::map<std::pair<std::int64_t, std::int64_t>, Bytes> visited; // by the products and rows of A
    for (const auto& share : plan.shares) {
        const auto& p = share.mapping.problem;
        visited[{share.instance0, share.m0}] = p.count * map_bytes(share.mapping, plan.limits).visited;
    }
    Bytes sum = 0;
    for (const auto& [part, bytes] : visited)
        sum += bytes;
    return sum - stored_bytes(problem.count * touched_elements(*problem.window), problem.formats.a);
}

TiledBytes tiled_bytes(const Plan& plan, const Roofline& compulsory) {
    TiledBytes tiled;
    for (const auto& share : plan.shares) {
        const auto bytes = mapped_bytes(share.mapping, plan.limits);
        tiled.vmem += bytes.x_streamed + bytes.y_streamed + bytes.out_written;
        tiled.hbm += bytes.x_fetched + bytes.y_fetched + bytes.out_stored;
    }
    const auto pcie = compulsory.levels.find("pcie");
    if (pcie == compulsory.levels.end())
        return tiled;
    tiled.pcie = pcie->second.compulsory_bytes + beyond_touched(plan); // each operand crosses once
    tiled.hbm += tiled.pcie; // what starts and ends in host memory is written to HBM and read back there besides
    return tiled;
}

Bytes prefetched(const Neighbours& neighbours) {
    Bytes sum = 0;
    for (const auto& units : neighbours.here)
        sum += bytes_there(units);
    return sum;
}

OperatorResult assemble(const Machine& machine, const Plan& plan, const RunOptions& options,
                        const MachineOutcome& outcome, Bytes prefetched) {
    OperatorResult result;
    result.name = plan.problem.name;
    result.m = plan.problem.m;
    result.n = plan.problem.n;
    result.k = plan.problem.k;
    result.count = plan.problem.count;
    result.window = plan.problem.window;
    if (result.window)
        result.kind = "conv";
    result.dataflow = plan.dataflow;
    result.formats = plan.problem.formats;
    result.sparsity = plan.problem.sparsity;
    result.from = options.from;
    result.homes = plan.problem.homes;
    result.prefetched = prefetched;
    result.tile = to_tile(plan.shares.front().mapping.tile);
    result.mapping = plan.choice;
    result.passes = outcome.array_passes;
    result.macs = outcome.macs;
    result.dense_macs = plan.problem.dense_macs();
    result.cycles = outcome.cycles;
    result.seconds = static_cast<double>(outcome.cycles) / static_cast<double>(machine.clock);
    result.pe_slots = machine.pe_count() * plan.limits.q * outcome.cycles;
    result.stack = outcome.stack;
    result.traffic = outcome.traffic;
    result.hbm = outcome.hbm;
    result.pcie = outcome.pcie;
    result.kernel_events = outcome.kernel_events;
    result.vmem_conflict_cycles = outcome.vmem_conflict_cycles;
    result.vmem_allocation = outcome.vmem_allocation;
    const auto compulsory = analyze(machine, plan.problem, options.from, {});
    auto tiled = tiled_bytes(plan, compulsory);
    tiled.hbm -= prefetched;
    result.roofline = analyze(machine, plan.problem, options.from, tiled, prefetched);
    return result;
}

void end_operator(Timeline& timeline, const TimeBase& time, const OperatorResult& result) {
    const std::array facts{TimelineFact{"kind", 0, result.kind},
                           TimelineFact{"m", result.m},
                           TimelineFact{"n", result.n},
                           TimelineFact{"k", result.k},
                           TimelineFact{"dataflow", 0, short_name(result.dataflow)},
                           TimelineFact{"macs", result.macs},
                           TimelineFact{"passes", result.passes}};
    timeline.end_operator(time.at(result.cycles), facts);
}

void finish_values(const Plan& plan, const RunOptions& options, GemmValues& values, OperatorResult& result) {
    unify_nans(plan.problem, values);
    if (options.verify.value_or(true)) {
        const auto blocks = sum_blocks(plan.shares, plan.limits);
        result.verified = first_difference(plan.problem, values, blocks, plan.limits.q) < 0;
    }
    if (options.take_result && result.verified.value_or(true))
        options.take_result(plan.problem, stored_result(plan.problem, values));
}

} // namespace

OperatorRun run_operator(const Machine& machine, const Plan& plan, EngineKind engine, const RunOptions& options,
                         const Neighbours& neighbours) {
    auto run = machine_run(plan, engine, options);
    run.here = neighbours.here;
    run.ahead = neighbours.ahead;
    run.max_cycles = options.cycles_left();
    run.cycles_before = options.cycles_before;
    run.waveform = options.waveform;
    run.timeline = options.timeline;
    run.external_memory = options.external_memory;
    if (options.progress) {
        run.progress = [&](Cycles now) { options.progress(now, static_cast<Cycles>(plan.estimate)); };
    }
    GemmValues values;
    if (wants_values(engine, options)) {
        values = make_values(plan.problem, options.given, options.seed);
        run.values = &values;
    }
    const TimeBase time(machine.clock);
    if (run.timeline) {
        run.timeline->begin_operator(plan.problem.name,
                                     {.ticks_per_cycle = time.per_cycle(), .ticks_per_second = time.per_second()});
    }
    auto outcome = run_machine(machine, run);
    auto result = assemble(machine, plan, options, outcome, prefetched(neighbours));
    if (run.timeline)
        end_operator(*run.timeline, time, result);
    check_laws(result, plan.problem.homes, static_cast<bool>(options.external_memory));
    if (run.values)
        finish_values(plan, options, values, result);
    return {std::move(result), std::move(outcome.ahead)};
}

} // namespace systole
