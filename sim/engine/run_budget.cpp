#include "sim/engine/run_budget.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

RunBudget::RunBudget(const Machine& machine, EngineKind engine, const RunOptions& options)
    : engine_(engine), most_cycles_(options.max_cycles), pes_(static_cast<double>(machine.pe_count())) {}

void RunBudget::add_products(double cycles, double events) {
    products_.cycles += cycles;
    products_.events += events;
    add_others(cycles);
}

void RunBudget::check() const {
    constexpr const char* whole = "the whole run";
    if (!most_cycles_) {
        const auto* instead = engine_ == EngineKind::tile ? "run fewer operators" : "use --engine tile";
        refuse_cost(whole, {products_.cycles, pes_, products_.events}, engine_,
                    fmt::format("{}, or give --max-cycles to run it all the same", instead));
    } else if (cycles_ > static_cast<double>(*most_cycles_)) {
        throw InputError(fmt::format("{}: about {:.3g} cycles are more than --max-cycles {} (raise it)", whole, cycles_,
                                     *most_cycles_));
    }
}

double fewest_cycles(const Machine& machine, const GemmProblem& problem) {
    const auto slots = static_cast<double>(machine.pe_count()) * macs_per_pe_cycle(machine, problem.formats);
    return static_cast<double>(problem.macs()) / slots;
}

double fewest_cycles(const Machine& machine, const VectorProblem& problem) {
    const auto rate = static_cast<double>(machine.vector.operations_per_cycle()) * machine.cores;
    return static_cast<double>(problem.operations()) / rate;
}

} // namespace systole
