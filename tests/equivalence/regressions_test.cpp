// Cases that once told the engines apart, by what they showed.
#include <catch2/catch.hpp>

#include "tests/support/engines.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

void agree(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, RunOptions options) {
    options.dataflow = dataflow;
    std::optional<OperatorResult> first;
    for (const auto engine : engines) {
        options.engine = engine;
        const auto result = run_one(machine, problem, options);
        INFO("engine " << name(engine));
        CHECK(result.macs == problem.macs());
        if (computes_values(engine)) CHECK(result.verified == true);
        if (first) {
            CHECK(result.cycles == first->cycles);
            CHECK(result.stack == first->stack);
            CHECK(result.traffic == first->traffic);
        }
        first = result;
    }
}

} // namespace

// Three arrays share the streamed rows. A tile of 4 rows once gave them 2, 2 and 0, so the third array never took the
// stationary tile that the last tile (11 = 4 + 4 + 3 rows: 1, 1 and 1) then needed of it.
TEST_CASE("an array that a short tile leaves idle still has the stationary tile for the next") {
    auto machine = ideal_machine(1, 1);
    machine.array.count = 3;
    RunOptions options;
    options.from = DataOrigin::hbm;
    options.tile = Tile{4, 1, 1};
    agree(machine, gemm(11, 1, 1), ws, options);
}

// At 1 byte a cycle a vector of 2 bytes comes a cycle after its pass has started. The switch to its
// tile must not: the next tile begins to shift in at once.
TEST_CASE("the switch enters with the pass, not with its late first vector") {
    auto machine = ideal_machine(2, 1);
    machine.vmem.bandwidth = 1;
    RunOptions options;
    options.from = DataOrigin::vmem;
    agree(machine, gemm(1, 1, 3), ws, options);
}

// Depth 29 with q = 2 leaves 9 values for 5 rows: the row that is not full must not be the last that VMEM owes.
TEST_CASE("a stationary tile whose rows are not all full shifts in by what VMEM owes") {
    auto machine = ideal_machine(5, 1);
    machine.macs_per_pe_cycle = {{Format::int8, 2}};
    machine.vmem.bandwidth = 11;
    RunOptions options;
    options.from = DataOrigin::vmem;
    agree(machine, gemm(1, 1, 29), ws, options);
}
