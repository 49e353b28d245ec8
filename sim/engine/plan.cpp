#include "sim/engine/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "sim/base/error.h"

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
        plan.events += static_cast<double>(bytes.passes);
        plan.estimate = std::max(plan.estimate, cycles);
    }
}

MemoryRate memory_rate(const Machine& machine, DataOrigin from) {
    constexpr double picosecond = 1e-12;
    const bool host = from == DataOrigin::host;
    const auto latency =
        static_cast<double>(machine.hbm.latency) + (host ? static_cast<double>(machine.pcie.latency) : 0);
    const double clock = static_cast<double>(machine.clock);
    return {.bytes_per_cycle = bytes_per_cycle(machine, DataOrigin::hbm),
            .host_bytes_per_cycle = host ? static_cast<double>(machine.pcie.bandwidth) / clock / machine.cores : 0,
            .latency = latency * picosecond * clock,
            .request_bytes = static_cast<double>(machine.dma.burst_bytes),
            .outstanding = static_cast<double>(machine.dma.in_flight()),
            .issue_interval = static_cast<double>(machine.dma.issue_interval) / machine.dma.engines};
}

// The naive mapping: the closed form ranks the tiles and the tile engine settles the best of them, as many as this
// number of passes and requests allows.
constexpr double settled_events = 32768;
constexpr double events_of_a_run = 192; // what it costs to set one up
constexpr std::size_t most_settled = 24;

// From VMEM the three operands lie in banks of their own, as long as there are three.
bool operands_meet(const VmemConfig& vmem) { return ceil_div(3, vmem.banks) > vmem.ports; }

// Nothing but the array decides: operands are there and nobody has to wait for room or bandwidth.
bool closed_form_is_exact(const Machine& machine, DataOrigin from) {
    return from == DataOrigin::vmem && machine.vmem.bandwidth == unlimited && !operands_meet(machine.vmem) &&
           machine.accumulator_capacity == unlimited;
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

Plan plan_for(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, const RunOptions& options) {
    const Plan empty{
        .problem = problem, .dataflow = dataflow, .limits = core_limits(machine, problem.formats), .shares = {}};
    const auto planned = [&](const std::function<Mapping(const OrientedGemm&)>& map) {
        Plan plan = empty;
        plan.shares = share_among_cores(machine, problem, dataflow, map);
        estimate(plan, machine, options.from);
        return plan;
    };
    if (options.tile) {
        return planned([&](const OrientedGemm& part) {
            return explicit_mapping(part, *options.tile, options.from, empty.limits);
        });
    }
    std::vector<Mapping> ranked;
    Plan best = planned([&](const OrientedGemm& part) {
        ranked = naive_mappings(part, options.from, empty.limits, memory_rate(machine, options.from));
        return ranked.front();
    });
    const auto settled = static_cast<std::size_t>(settled_events / (best.events + events_of_a_run));
    if (settled < 2 || closed_form_is_exact(machine, options.from))
        return best;
    refuse_beyond_time_base(best, machine);
    Cycles fewest = unlimited;
    ranked.resize(std::min({ranked.size(), settled, most_settled}));
    for (const auto& mapping : ranked) {
        Plan plan = planned([&](const OrientedGemm&) { return mapping; });
        const Cycles cycles = cycles_of(machine, machine_run(plan, EngineKind::tile, options), fewest);
        if (cycles < fewest)
            best = plan;
        fewest = std::min(fewest, cycles);
    }
    return best;
}

// Cycles of a plan as the tile engine counts them, or, where that is not cheap, as the closed form estimates them.
double expected_cycles(const Machine& machine, const Plan& plan, const RunOptions& options) {
    if (plan.events > settled_events)
        return plan.estimate;
    return static_cast<double>(cycles_of(machine, machine_run(plan, EngineKind::tile, options)));
}

} // namespace

MachineRun machine_run(const Plan& plan, EngineKind engine, const RunOptions& options) {
    MachineRun run;
    run.problem = plan.problem;
    run.shares = plan.shares;
    run.limits = plan.limits;
    run.from = options.from;
    run.engine = engine;
    return run;
}

Plan make_plan(const Machine& machine, const GemmProblem& problem, const RunOptions& options) {
    if (options.dataflow)
        return plan_for(machine, problem, *options.dataflow, options);
    constexpr std::array dataflows{Dataflow::weight_stationary, Dataflow::output_stationary,
                                   Dataflow::input_stationary};
    Plan best;
    double fewest = 0;
    std::optional<InputError> refused; // of the first dataflow that does not fit
    for (const auto dataflow : dataflows) {
        Plan plan;
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
        best = std::move(plan);
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
    const double bytes = width * static_cast<double>(problem.m) * static_cast<double>(problem.k) +
                         width * static_cast<double>(problem.k) * static_cast<double>(problem.n) +
                         4 * static_cast<double>(problem.m) * static_cast<double>(problem.n) +
                         4 * static_cast<double>(problem.n);
    if (bytes <= most_value_bytes)
        return;
    throw InputError(fmt::format("{}: the values of its operands and result would take {:.1f} GiB, {:.0f} GiB are the "
                                 "most (use --no-verify, or --engine tile)",
                                 problem.name, bytes / (1024.0 * 1024 * 1024),
                                 most_value_bytes / (1024.0 * 1024 * 1024)));
}

} // namespace systole
