#include "sim/engine/run.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/engine/operator_run.h"
#include "sim/engine/run_budget.h"
#include "sim/roofline/roofline.h"
#include "sim/stats/total.h"

namespace systole {

namespace {

constexpr std::array engine_names{std::pair{EngineKind::structural, "structural"}, std::pair{EngineKind::flat, "flat"},
                                  std::pair{EngineKind::tile, "tile"}, std::pair{EngineKind::automatic, "auto"}};

bool same_but_for_the_name(const GemmProblem& a, const GemmProblem& b) {
    return std::tie(a.m, a.n, a.k, a.count, a.formats, a.sparsity, a.window, a.homes, a.epilogue) ==
           std::tie(b.m, b.n, b.k, b.count, b.formats, b.sparsity, b.window, b.homes, b.epilogue);
}

// As an operator before it that is the same, else made.
Plan plan_once(const Machine& machine, const GemmProblem& problem, const RunOptions& options,
               const std::vector<Plan>& before) {
    const auto known = std::find_if(before.begin(), before.end(),
                                    [&](const Plan& plan) { return same_but_for_the_name(plan.problem, problem); });
    if (known == before.end())
        return make_plan(machine, problem, options);
    Plan plan = *known;
    plan.problem = problem;
    return plan;
}

// Before any mapping is looked for.
void refuse_at_least(const Machine& machine, const std::vector<GemmProblem>& problems, EngineKind engine,
                     const RunOptions& options) {
    RunBudget budget(machine, engine, options);
    for (const auto& problem : problems)
        budget.add_products(fewest_cycles(machine, problem), 0);
    budget.check();
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

EngineKind resolve_engine(const RunOptions& options) {
    if (options.engine != EngineKind::automatic)
        return options.engine;
    if (options.waveform)
        return EngineKind::structural;
    return needs_values(options) ? EngineKind::flat : EngineKind::tile;
}

RunResult simulate(const Machine& machine, const std::vector<GemmProblem>& problems, const RunOptions& options) {
    require_simulable(machine);
    const auto engine = resolve_engine(options);
    if (options.waveform && (engine != EngineKind::structural || problems.size() != 1)) {
        throw InputError("--vcd shows the PEs of one operator on the structural engine (use --engine structural and "
                         "a single operator)");
    }
    if ((options.given.a || options.given.b || options.take_result) && problems.size() != 1) {
        throw InputError("--a, --b and --c are matrices of one operator (give a single one, with --gemm)");
    }
    // Everything that can be refused is refused before the first cycle runs.
    std::vector<Plan> plans;
    std::vector<SavedMapping> fixed;
    if (options.fixed)
        fixed = match(*options.fixed, problems, options.dataflow);
    for (const auto& problem : problems)
        validate(problem);
    if (problems.size() > 1)
        refuse_at_least(machine, problems, engine, options);
    RunBudget budget(machine, engine, options);
    for (const auto& problem : problems) {
        plans.push_back(fixed.empty() ? plan_once(machine, problem, options, plans)
                                      : make_plan(machine, problem, options, &fixed[plans.size()]));
        refuse_if_too_long(plans.back(), machine, engine, options);
        budget.add_products(plans.back().estimate, plans.back().events);
        if (wants_values(engine, options))
            refuse_if_too_large(problem);
    }
    budget.check();
    RunResult result;
    result.chip = machine.name;
    result.engine = name(engine);
    result.clock = machine.clock;
    std::vector<Roofline> rooflines;
    std::vector<std::int64_t> flops;
    // Of one operator the options hold the matrices, which are not copied.
    auto several = plans.size() > 1 ? options : RunOptions{};
    for (const auto& plan : plans) {
        result.operators.push_back(run_operator(machine, plan, engine, plans.size() > 1 ? several : options).result);
        several.cycles_before += result.operators.back().cycles;
        rooflines.push_back(result.operators.back().roofline);
        flops.push_back(result.operators.back().flops());
    }
    result.total = total_of(result.operators);
    result.total.roofline = sum(rooflines, flops);
    return result;
}

} // namespace systole
