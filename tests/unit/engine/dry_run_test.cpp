// The dry run steps the same machine without the kernel; what it counts must be what a run on the kernel takes.
#include <algorithm>

#include "sim/base/error.h"
#include "sim/engine/machine_run.h"
#include "sim/engine/plan.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr int cases = 300;
constexpr double most_discarded = 0.7;

// The naive mapping's run, or that of a random tile. Empty if it does not fit.
std::optional<MachineRun> drawn_run(const Case& drawn, const Machine& machine) {
    auto options = run_options(EngineKind::tile, drawn.dataflow, drawn.from);
    if (*rc::gen::arbitrary<bool>()) {
        const auto part = [](std::int64_t extent) { return *rc::gen::inRange<std::int64_t>(1, extent + 1); };
        options.tile = Tile{part(drawn.m), part(drawn.n), part(drawn.k)};
    }
    try {
        return machine_run(make_plan(machine, drawn.problem(), options), EngineKind::tile, options);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

} // namespace

TEST_CASE("a dry run takes the cycles that the tile engine takes on the kernel", "[engine][dry_run]") {
    DiscardCounter counter;
    check_property("dry run", cases, [&] {
        const Case drawn = *any_case();
        const Machine machine = drawn.machine();
        const auto run = drawn_run(drawn, machine);
        if (!run) {
            counter.discarded();
            RC_DISCARD("does not fit the machine");
        }
        counter.kept();
        const Cycles on_the_kernel = run_machine(machine, *run).cycles;
        RC_ASSERT(cycles_of(machine, *run) == on_the_kernel);
        RC_ASSERT(cycles_of(machine, *run) == on_the_kernel); // and again: nothing is left behind
    });
    counter.require_at_most(most_discarded);
}

TEST_CASE("a dry run is given up exactly where it takes no fewer cycles than are enough", "[engine][dry_run]") {
    DiscardCounter counter;
    check_property("dry run that is given up", cases, [&] {
        const Case drawn = *any_case();
        const Machine machine = drawn.machine();
        const auto run = drawn_run(drawn, machine);
        if (!run) {
            counter.discarded();
            RC_DISCARD("does not fit the machine");
        }
        counter.kept();
        const Cycles cycles = cycles_of(machine, *run);
        RC_ASSERT(cycles_of(machine, *run, cycles + 1) == cycles);
        RC_ASSERT(cycles_of(machine, *run, cycles) == cycles);
        const Cycles fewer = *rc::gen::inRange<Cycles>(0, cycles);
        RC_ASSERT(cycles_of(machine, *run, fewer) == fewer);
    });
    counter.require_at_most(most_discarded);
}

TEST_CASE("a dry run of a single pass takes the cycles of the closed form", "[engine][dry_run]") {
    const auto options = run_options(EngineKind::tile, ws, DataOrigin::vmem);
    const auto cycles = [&](const Machine& machine, const GemmProblem& problem) {
        return cycles_of(machine, machine_run(make_plan(machine, problem, options), EngineKind::tile, options));
    };
    // load R, then S + R + C - 2 + E; E = 1
    CHECK(cycles(ideal_machine(4, 4), gemm(4, 4, 4)) == 4 + 4 + 4 + 4 - 2 + 1);
    CHECK(cycles(ideal_machine(4, 8), gemm(9, 3, 2)) == 4 + 9 + 4 + 8 - 2 + 1);
}
