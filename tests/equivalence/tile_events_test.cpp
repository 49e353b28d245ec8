// The tile engine's cost is one event per pass: counted, not timed.
#include <catch2/catch.hpp>

#include "tests/support/engines.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("the tile engine's kernel events grow with the passes and not with their length or the array") {
    if (!has_engine(EngineKind::tile)) {
        return;
    }
    const auto events = [](int side, std::int64_t m, std::int64_t passes) {
        const GemmProblem problem = gemm(m, side * passes, side);
        return run_from_vmem(ideal_machine(side, side), problem, ws, EngineKind::tile).kernel_events;
    };
    const std::int64_t few = events(16, 64, 20);
    CHECK(events(16, 64 * 128, 20) == few);
    CHECK(events(128, 64 * 128, 20) == few);
    CHECK(events(16, 64, 40) <= 2 * few);
}
