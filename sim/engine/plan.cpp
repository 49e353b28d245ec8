#include "sim/engine/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/engine/plan_search.h"
#include "sim/engine/window_values.h"

namespace systole {

namespace {

// What about ten minutes of an engine on one core of a common machine do (tests/bench shows the rates): PE-cycles of
// the structural and the flat engine, passes and DMA requests of the tile engine.
constexpr double structural_budget = 600 * 5e6;
constexpr double flat_budget = 600 * 1e9;
constexpr double tile_budget = 600 * 1e6;

// A PE of the structural engine is a module with ports and signals: about 5 KiB.
constexpr double most_modules = 262'144;

// Operands, result and one row of the reference.
constexpr double most_value_bytes = 4.0 * 1024 * 1024 * 1024;

double budget(EngineKind engine) {
    if (engine == EngineKind::structural)
        return structural_budget;
    return engine == EngineKind::flat ? flat_budget : tile_budget;
}

double bytes_per_cycle(const Machine& machine, DataOrigin from) {
    double rate = static_cast<double>(machine.hbm.bandwidth);
    if (from == DataOrigin::host)
        rate = std::min(rate, static_cast<double>(machine.pcie.bandwidth));
    return rate / static_cast<double>(machine.clock) / machine.cores;
}

void estimate(Plan& plan, const Machine& machine, DataOrigin from) {
    for (const auto& share : plan.shares) {
        const auto bytes = mapped_bytes(share.mapping, plan.limits);
        const double moved = static_cast<double>(bytes.x_fetched) + static_cast<double>(bytes.y_fetched) +
                             static_cast<double>(bytes.out_stored);
        double cycles = static_cast<double>(array_cycles(share.mapping, plan.limits));
        if (from != DataOrigin::vmem) {
            cycles = std::max(cycles, moved / bytes_per_cycle(machine, from));
            plan.events += moved / static_cast<double>(machine.dma.burst_bytes);
        }
        cycles = std::max(cycles, static_cast<double>(plan.problem.vector_operations()) /
                                      static_cast<double>(machine.vector.operations_per_cycle()) / machine.cores);
        plan.events += static_cast<double>(bytes.passes);
        plan.estimate = std::max(plan.estimate, cycles);
    }
}

} // namespace

MemoryRate memory_rate(const Machine& machine, DataOrigin from) {
    constexpr double picosecond = 1e-12;
    const bool host = from == DataOrigin::host;
    const Machine ideal = with_ideal_hbm(machine);
    const auto latency =
        static_cast<double>(ideal.hbm.latency) + (host ? static_cast<double>(machine.pcie.latency) : 0);
    const double clock = static_cast<double>(machine.clock);
    MemoryRate rate{.bytes_per_cycle = bytes_per_cycle(ideal, DataOrigin::hbm),
                    .most_bytes_per_cycle = static_cast<double>(machine.hbm.bandwidth) / clock,
                    .host_bytes_per_cycle =
                        host ? static_cast<double>(machine.pcie.bandwidth) / clock / machine.cores : 0,
                    .latency = latency * picosecond * clock,
                    .request_bytes = static_cast<double>(machine.dma.burst_bytes),
                    .outstanding = static_cast<double>(machine.dma.in_flight()),
                    .issue_interval = static_cast<double>(machine.dma.issue_interval) / machine.dma.engines};
    if (const auto& dram = machine.hbm.dram; dram && dram->refresh == RefreshMode::all_bank) {
        const double core_cycles = clock / static_cast<double>(dram->clock);
        rate.stall = static_cast<double>(dram->timing.rfc) * core_cycles;
        rate.stall_interval = static_cast<double>(dram->timing.refi) * core_cycles;
    }
    return rate;
}

MachineRun machine_run(const Plan& plan, EngineKind engine, const RunOptions& options) {
    MachineRun run;
    run.problem = plan.problem;
    run.shares = plan.shares;
    run.limits = plan.limits;
    run.from = options.from;
    run.engine = engine;
    return run;
}

Machine with_ideal_hbm(const Machine& machine) {
    Machine ideal = machine;
    const auto& dram = machine.hbm.dram;
    if (!dram)
        return ideal;
    ideal.hbm.dram = nullptr;
    const auto& t = dram->timing;
    const double used =
        dram->refresh == RefreshMode::all_bank ? 1 - static_cast<double>(t.rfc) / static_cast<double>(t.refi) : 1.0;
    ideal.hbm.bandwidth = static_cast<BytesPerSecond>(static_cast<double>(machine.hbm.bandwidth) * used);
    const Clocks idle = dram->queues.latency + t.rcd_read + t.cl + dram->organization.burst;
    ideal.hbm.latency += idle * 1'000'000'000'000 / dram->clock;
    return ideal;
}

// The kernel's time is a 64-bit count of ticks of about a picosecond.
void refuse_beyond_time_base(const Plan& plan, const Machine& machine) {
    const auto most = static_cast<double>(TimeBase(machine.clock).max_cycles());
    if (plan.estimate <= most)
        return;
    throw InputError(fmt::format("{}: about {:.3g} cycles are more than the {:.3g} that 64 bits of picoseconds hold at "
                                 "this clock (split the problem, or raise clock)",
                                 plan.problem.name, plan.estimate, most));
}

Plan plan_with(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, const RunOptions& options,
               const std::function<Mapping(const OrientedGemm&)>& map) {
    Plan plan{.problem = problem,
              .dataflow = dataflow,
              .limits = core_limits(machine, problem.formats),
              .shares = {},
              .choice = {}};
    plan.shares = share_among_cores(machine, problem, dataflow, [&](const OrientedGemm& part) {
        const Mapping mapping = map(part);
        plan.choice = choice_of(mapping);
        return mapping;
    });
    estimate(plan, machine, options.from);
    return plan;
}

namespace {

// Plans of fewer passes and requests are run where dataflows are compared, else their closed forms are.
constexpr double compared_events = 32768;

SearchedPlan plan_for(const Machine& machine, const GemmProblem& problem, Dataflow dataflow,
                      const RunOptions& options) {
    if (!options.tile)
        return search_mapping(machine, problem, dataflow, options, options.mapping == MappingMode::automatic);
    const auto limits = core_limits(machine, problem.formats);
    const Plan plan = plan_with(machine, problem, dataflow, options, [&](const OrientedGemm& part) {
        return explicit_mapping(part, *options.tile, options.from, limits);
    });
    return {plan, plan};
}

// As the naive plan decides what is compared, a search that finds nothing changes nothing.
double expected_cycles(const Machine& machine, const SearchedPlan& plan, const RunOptions& options) {
    if (plan.naive.events > compared_events)
        return plan.naive.estimate;
    return static_cast<double>(cycles_of(machine, machine_run(plan.best, EngineKind::tile, options)));
}

Plan fixed_plan(const Machine& machine, const GemmProblem& problem, const SavedMapping& fixed,
                const RunOptions& options) {
    const auto limits = core_limits(machine, problem.formats);
    try {
        return plan_with(machine, problem, fixed.choice.dataflow, options, [&](const OrientedGemm& part) {
            return chosen_mapping(part, fixed.choice, options.from, limits);
        });
    } catch (const InputError& error) {
        throw InputError(fixed.place, fmt::format("operator '{}': {}", fixed.name.substr(0, 60),
                                                  error.diagnostics().front().message));
    }
}

} // namespace

Plan make_plan(const Machine& machine, const GemmProblem& problem, const RunOptions& options,
               const SavedMapping* fixed) {
    if (fixed)
        return fixed_plan(machine, problem, *fixed, options);
    if (options.dataflow)
        return plan_for(machine, problem, *options.dataflow, options).best;
    constexpr std::array dataflows{Dataflow::weight_stationary, Dataflow::output_stationary,
                                   Dataflow::input_stationary};
    Plan best;
    double fewest = 0;
    std::optional<InputError> refused; // of the first dataflow that does not fit
    for (const auto dataflow : dataflows) {
        SearchedPlan plan;
        try {
            plan = plan_for(machine, problem, dataflow, options);
        } catch (const InputError& error) {
            if (!refused)
                refused = error;
            continue;
        }
        const double cycles = expected_cycles(machine, plan, options);
        if (!best.shares.empty() && cycles >= fewest)
            continue;
        fewest = cycles;
        best = std::move(plan.best);
    }
    if (best.shares.empty())
        throw InputError(*refused);
    return best;
}

void refuse_cost(const std::string& what, const Cost& cost, EngineKind engine, const std::string& cure) {
    if (engine == EngineKind::structural && cost.pes > most_modules) {
        throw InputError(fmt::format("{}: {:.0f} PEs are too many for the structural engine, which takes {:.0f} "
                                     "(use --engine flat or tile)",
                                     what, cost.pes, most_modules));
    }
    const double work = engine == EngineKind::tile ? cost.events : cost.cycles * cost.pes;
    if (work <= budget(engine))
        return;
    throw InputError(fmt::format("{}: about {:.3g} cycles would take the {} engine some {:.0f} minutes ({})", what,
                                 cost.cycles, name(engine), 10 * work / budget(engine), cure));
}

void refuse_if_too_long(const Plan& plan, const Machine& machine, EngineKind engine, const RunOptions& options) {
    refuse_beyond_time_base(plan, machine);
    const Cost cost{plan.estimate, static_cast<double>(machine.pe_count()), plan.events};
    if (!options.max_cycles) {
        const auto* instead = engine == EngineKind::tile ? "larger tiles" : "--engine tile";
        refuse_cost(plan.problem.name, cost, engine,
                    fmt::format("use {}, or --max-cycles {:.0f} to run it all the same", instead,
                                std::ceil(plan.estimate * 2)));
        return;
    }
    if (plan.estimate > static_cast<double>(*options.max_cycles)) {
        throw InputError(fmt::format("{}: about {:.3g} cycles are more than --max-cycles {} (raise it)",
                                     plan.problem.name, plan.estimate, *options.max_cycles));
    }
    refuse_cost(plan.problem.name, {0, cost.pes, 0}, engine, ""); // the modules must fit all the same
}

void refuse_if_too_large(const GemmProblem& problem) {
    const double width = problem.formats.accumulation() == Accumulation::int32 ? sizeof(std::int8_t) : sizeof(float);
    const double one = width * static_cast<double>(problem.m) * static_cast<double>(problem.k) +
                       width * static_cast<double>(problem.k) * static_cast<double>(problem.n) +
                       4 * static_cast<double>(problem.m) * static_cast<double>(problem.n);
    const double map = // beside what the window sees of it: the feature map, and again within its padding
        problem.window
            ? width * (static_cast<double>(problem.count * problem.window->pixels()) + padded_elements(problem))
            : 0;
    const double bytes = static_cast<double>(problem.count) * one + map + 4 * static_cast<double>(problem.n);
    if (bytes <= most_value_bytes)
        return;
    throw InputError(fmt::format("{}: the values of its operands and result would take {:.1f} GiB, {:.0f} GiB are the "
                                 "most (use --no-verify, or --engine tile)",
                                 problem.name, bytes / (1024.0 * 1024 * 1024),
                                 most_value_bytes / (1024.0 * 1024 * 1024)));
}

} // namespace systole
