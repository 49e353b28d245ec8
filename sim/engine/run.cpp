#include "sim/engine/run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/engine/machine_run.h"
#include "sim/roofline/roofline.h"
#include "sim/stats/total.h"

namespace systole {

namespace {

constexpr std::array engine_names{std::pair{EngineKind::structural, "structural"}, std::pair{EngineKind::flat, "flat"},
                                  std::pair{EngineKind::tile, "tile"}, std::pair{EngineKind::automatic, "auto"}};

// What about ten minutes of an engine on one core of a common machine do (tests/bench shows the rates): PE-cycles of
// the structural and the flat engine, passes and DMA requests of the tile engine.
constexpr double structural_budget = 600 * 5e6;
constexpr double flat_budget = 600 * 1e9;
constexpr double tile_budget = 600 * 1e6;

double budget(EngineKind engine) {
    if (engine == EngineKind::structural)
        return structural_budget;
    return engine == EngineKind::flat ? flat_budget : tile_budget;
}

struct Plan {
    GemmProblem problem;
    Dataflow dataflow;
    CoreLimits limits;
    std::vector<CoreShare> shares;
    double estimate = 0; // cycles
    double events = 0;   // passes and DMA requests
};

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
    double latency = static_cast<double>(machine.hbm.latency);
    if (from == DataOrigin::host)
        latency += static_cast<double>(machine.pcie.latency);
    return {.bytes_per_cycle = bytes_per_cycle(machine, from),
            .latency = latency * picosecond * static_cast<double>(machine.clock),
            .request_bytes = static_cast<double>(machine.dma.burst_bytes),
            .outstanding = static_cast<double>(machine.dma.outstanding)};
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

// The naive mapping: the closed form ranks the tiles and the tile engine settles the best of them, as many as this
// number of passes and requests allows.
constexpr double settled_events = 8192;
constexpr double events_of_a_run = 192; // what it costs to set one up

// Nothing but the array decides: operands are there and nobody has to wait for room or bandwidth.
bool closed_form_is_exact(const Machine& machine, DataOrigin from) {
    return from == DataOrigin::vmem && machine.vmem.bandwidth == unlimited && machine.vmem.banks > 1 &&
           machine.accumulator_capacity == unlimited;
}

Plan make_plan(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, const RunOptions& options) {
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
    Cycles fewest = unlimited;
    ranked.resize(std::min(ranked.size(), settled));
    for (const auto& mapping : ranked) {
        Plan plan = planned([&](const OrientedGemm&) { return mapping; });
        const Cycles cycles = cycles_of(machine, machine_run(plan, EngineKind::tile, options));
        if (cycles < fewest)
            best = plan;
        fewest = std::min(fewest, cycles);
    }
    return best;
}

void refuse_if_too_long(const Plan& plan, const Machine& machine, EngineKind engine, const RunOptions& options) {
    if (options.max_cycles) {
        if (plan.estimate <= static_cast<double>(*options.max_cycles))
            return;
        throw InputError(fmt::format("{}: about {:.3g} cycles are more than --max-cycles {} (raise it)",
                                     plan.problem.name, plan.estimate, *options.max_cycles));
    }
    const bool tile = engine == EngineKind::tile;
    const double work = tile ? plan.events : plan.estimate * static_cast<double>(machine.pe_count());
    if (work <= budget(engine))
        return;
    throw InputError(fmt::format("{}: about {:.3g} cycles would take the {} engine some {:.0f} minutes (use {}, or "
                                 "--max-cycles {:.0f} to run it all the same)",
                                 plan.problem.name, plan.estimate, name(engine), 10 * work / budget(engine),
                                 tile ? "larger tiles" : "--engine tile", std::ceil(plan.estimate * 2)));
}

bool wants_values(const GemmProblem& problem, EngineKind engine, const RunOptions& options) {
    const bool possible = engine != EngineKind::tile && carries_values(problem.formats);
    if (options.verify.value_or(false) && !possible) {
        throw InputError(engine == EngineKind::tile
                             ? std::string("--verify needs values and the tile engine carries none "
                                           "(use --engine flat or structural)")
                             : fmt::format("--verify: values are carried for int8 operands alone so far, not {} and {} "
                                           "(use --no-verify)",
                                           name(problem.formats.a), name(problem.formats.b)));
    }
    return possible && options.verify.value_or(true);
}

TiledBytes tiled_bytes(const Plan& plan, const Roofline& compulsory) {
    TiledBytes tiled;
    for (const auto& share : plan.shares) {
        const auto bytes = mapped_bytes(share.mapping, plan.limits);
        tiled.vmem += bytes.x_streamed + bytes.y_streamed + bytes.out_stored;
        tiled.hbm += bytes.x_fetched + bytes.y_fetched + bytes.out_stored;
    }
    const auto pcie = compulsory.levels.find("pcie");
    if (pcie != compulsory.levels.end())
        tiled.pcie = pcie->second.compulsory_bytes; // each operand crosses once
    return tiled;
}

// The two laws of the model (docs/model.md): never below the roof, nothing unexplained.
void check_laws(const OperatorResult& result) {
    if (result.stack.total() != result.pe_slots) {
        throw InternalError(
            fmt::format("{}: the causes sum to {} PE-slots of {}", result.name, result.stack.total(), result.pe_slots));
    }
    constexpr double rounding = 1e-12; // of the double divisions alone
    if (result.seconds < result.roofline.lower_bound_s * (1 - rounding)) {
        throw InternalError(fmt::format("{}: {} s beat the roofline's {} s ({})", result.name, result.seconds,
                                        result.roofline.lower_bound_s, result.roofline.bound));
    }
    const auto& t = result.traffic;
    const bool conserved =
        result.from == DataOrigin::vmem || (t.hbm.read.a == t.vmem.write.a && t.hbm.read.b == t.vmem.write.b &&
                                            t.hbm.write.c == t.vmem.read.c && t.vmem.write.c == t.vmem.read.c);
    if (!conserved)
        throw InternalError(result.name + ": bytes were lost between VMEM and HBM");
}

OperatorResult assemble(const Machine& machine, const Plan& plan, const RunOptions& options,
                        const MachineOutcome& outcome) {
    OperatorResult result;
    result.name = plan.problem.name;
    result.m = plan.problem.m;
    result.n = plan.problem.n;
    result.k = plan.problem.k;
    result.dataflow = plan.dataflow;
    result.formats = plan.problem.formats;
    result.from = options.from;
    result.tile = to_tile(plan.shares.front().mapping.tile);
    result.passes = outcome.array_passes;
    result.macs = outcome.macs;
    result.dense_macs = plan.problem.macs();
    result.cycles = outcome.cycles;
    result.seconds = static_cast<double>(outcome.cycles) / static_cast<double>(machine.clock);
    if (__builtin_mul_overflow(machine.pe_count() * plan.limits.q, outcome.cycles, &result.pe_slots)) {
        throw InputError(result.name + ": the PE-slots of the run leave 64 bits (use a smaller problem)");
    }
    result.stack = outcome.stack;
    result.traffic = outcome.traffic;
    result.kernel_events = outcome.kernel_events;
    const auto compulsory = analyze(machine, plan.problem, options.from, {});
    result.roofline = analyze(machine, plan.problem, options.from, tiled_bytes(plan, compulsory));
    return result;
}

OperatorResult run_one(const Machine& machine, const Plan& plan, EngineKind engine, const RunOptions& options) {
    auto run = machine_run(plan, engine, options);
    run.max_cycles = options.max_cycles.value_or(unlimited);
    run.waveform = options.waveform;
    if (options.progress) {
        run.progress = [&](Cycles now) { options.progress(now, static_cast<Cycles>(plan.estimate)); };
    }
    const bool verify = wants_values(plan.problem, engine, options);
    GemmValues values;
    if (verify) {
        values = random_values(plan.problem, options.seed);
        run.values = &values;
    }
    auto result = assemble(machine, plan, options, run_machine(machine, run));
    check_laws(result);
    if (verify)
        result.verified = first_difference(plan.problem, values) < 0;
    return result;
}

} // namespace

std::string_view name(EngineKind kind) {
    return std::find_if(engine_names.begin(), engine_names.end(), [&](const auto& e) { return e.first == kind; })
        ->second;
}

std::optional<EngineKind> parse_engine(std::string_view text) {
    for (const auto& [kind, word] : engine_names) {
        if (text == word)
            return kind;
    }
    return std::nullopt;
}

EngineKind resolve_engine(EngineKind asked, std::optional<bool> verify) {
    if (asked != EngineKind::automatic)
        return asked;
    return verify.value_or(false) ? EngineKind::flat : EngineKind::tile;
}

RunResult simulate(const Machine& machine, const std::vector<GemmProblem>& problems, const RunOptions& options) {
    const bool only_structural = options.waveform && options.engine == EngineKind::automatic;
    const auto engine = only_structural ? EngineKind::structural : resolve_engine(options.engine, options.verify);
    if (options.waveform && (engine != EngineKind::structural || problems.size() != 1)) {
        throw InputError("--vcd shows the PEs of one operator on the structural engine (use --engine structural and "
                         "a single operator)");
    }
    // Everything that can be refused is refused before the first cycle runs.
    std::vector<Plan> plans;
    for (const auto& problem : problems) {
        validate(problem);
        plans.push_back(make_plan(machine, problem, options.dataflow.value_or(Dataflow::weight_stationary), options));
        wants_values(problem, engine, options);
        refuse_if_too_long(plans.back(), machine, engine, options);
    }
    RunResult result;
    result.chip = machine.name;
    result.engine = name(engine);
    result.clock = machine.clock;
    std::vector<Roofline> rooflines;
    std::vector<std::int64_t> flops;
    for (const auto& plan : plans) {
        result.operators.push_back(run_one(machine, plan, engine, options));
        rooflines.push_back(result.operators.back().roofline);
        flops.push_back(result.operators.back().flops());
    }
    result.total = total_of(result.operators);
    result.total.roofline = sum(rooflines, flops);
    return result;
}

} // namespace systole
