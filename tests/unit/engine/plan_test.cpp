// What a plan says before a run must not be more than the run takes: problems are refused by it.
#include <algorithm>
#include <optional>

#include "sim/base/error.h"
#include "sim/engine/machine_run.h"
#include "sim/engine/plan.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

RunOptions from_vmem(Dataflow dataflow) { return run_options(EngineKind::tile, dataflow, DataOrigin::vmem); }

RunOptions with_tile(RunOptions options, const Tile& tile) {
    options.tile = tile;
    return options;
}

Cycles cycles_of_plan(const Machine& machine, const Plan& plan, const RunOptions& options) {
    return cycles_of(machine, machine_run(plan, EngineKind::tile, options));
}

} // namespace

TEST_CASE("the array's own cycles are a lower estimate of a run", "[engine][plan]") {
    check_property("array_cycles", 500, [] {
        const Case drawn = *any_ideal_case({.largest_array = 6, .largest_dimension = 20});
        const Machine machine = drawn.machine();
        const auto part = [](std::int64_t extent) { return *rc::gen::inRange<std::int64_t>(1, extent + 1); };
        const Tile tile{part(drawn.m), part(drawn.n), ceil_div(part(drawn.k), drawn.group) * drawn.group};
        const auto options = with_tile(from_vmem(drawn.dataflow), tile);
        Plan plan = make_plan(machine, drawn.problem(), options);
        RC_ASSERT(plan.shares.size() == 1U);
        auto& mapping = plan.shares.front().mapping;
        mapping.cols_outer = *rc::gen::arbitrary<bool>();
        RC_LOG() << "tile " << tile.m << "x" << tile.n << "x" << tile.k << (mapping.cols_outer ? ", cols outer" : "")
                 << std::endl;
        RC_ASSERT(array_cycles(mapping, plan.limits) <= cycles_of_plan(machine, plan, options));
    });
}

TEST_CASE("a run that would end in time is not refused", "[engine][plan]") {
    // 16x16, two passes of one vector: load 16, interval max(1, 16) = 16, S 1, R + C - 2 + E = 31
    const Machine machine = ideal_machine(16, 16);
    const GemmProblem problem = gemm(1, 16, 32);
    auto options = from_vmem(ws);
    const Plan plan = make_plan(machine, problem, options);
    REQUIRE(cycles_of_plan(machine, plan, options) == 16 + 16 + 1 + 31);
    options.max_cycles = 64;
    CHECK_NOTHROW(refuse_if_too_long(plan, machine, EngineKind::tile, options));
    options.max_cycles = 31; // less than the crossing alone
    CHECK_THROWS_AS(refuse_if_too_long(plan, machine, EngineKind::tile, options), InputError);
}

TEST_CASE("a stationary tile that stays for the next rows is loaded once in the plan, too", "[engine][plan]") {
    // 4x4, B is 4x8 in two tiles of 4x4, each kept for all 32 tiles of two rows of A.
    const Machine machine = ideal_machine(4, 4);
    auto options = with_tile(from_vmem(ws), {2, 4, 4});
    const Plan plan = make_plan(machine, gemm(64, 8, 4), options);
    REQUIRE(plan.shares.front().mapping.cols_outer);
    // load 4, 64 passes of two vectors, 4 + 4 - 2 + 1 to cross the array
    REQUIRE(cycles_of_plan(machine, plan, options) == 4 + 64 * 2 + 7);
    const auto bytes = mapped_bytes(plan.shares.front().mapping, plan.limits);
    CHECK(bytes.x_streamed == 64 * 4 * 2);
    CHECK(bytes.y_streamed == 4 * 8);
    options.max_cycles = 139;
    CHECK_NOTHROW(refuse_if_too_long(plan, machine, EngineKind::tile, options));
}
