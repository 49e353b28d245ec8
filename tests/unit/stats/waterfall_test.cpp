#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "sim/stats/waterfall.h"

using namespace systole;

namespace {

std::map<std::string, Cycles> by_cause(const OperatorResult& result) {
    std::map<std::string, Cycles> bars;
    for (const WaterfallBar& bar : waterfall(result)) {
        bars[bar.cause] = bar.cycles;
    }
    return bars;
}

} // namespace

// 10 cycles of 16 slots. Cumulated slots: useful 40, padding 55, stationary_load 71, control 160; in whole cycles:
// 40/16 = 2, 55/16 = 3, 71/16 = 4, 10. The bars are their differences.
TEST_CASE("each bar of the waterfall is a difference of cumulated slots in whole cycles") {
    OperatorResult result;
    result.cycles = 10;
    result.pe_slots = 160;
    result.stack[Cause::useful] = 40;
    result.stack[Cause::padding] = 15;
    result.stack[Cause::stationary_load] = 16;
    result.stack[Cause::control] = 89;
    const std::map<std::string, Cycles> bars = by_cause(result);
    CHECK(bars.at("t_math") == 2);
    CHECK(bars.at("padding") == 1);
    CHECK(bars.at("stationary_load") == 1);
    CHECK(bars.at("vmem") == 0);
    CHECK(bars.at("control") == 6);
    CHECK(bars.count("useful") == 0);
}

TEST_CASE("the waterfall starts at t_math and has every other cause in the order of the stack") {
    const std::vector<WaterfallBar> bars = waterfall(OperatorResult{});
    REQUIRE(bars.size() == all_causes.size());
    CHECK(bars.front() == WaterfallBar{"t_math", 0});
    for (std::size_t i = 1; i < bars.size(); ++i) {
        CHECK(bars[i].cause == name(all_causes[i]));
    }
}

TEST_CASE("slots near the end of 64 bits do not overflow the waterfall") {
    OperatorResult result;
    result.cycles = std::numeric_limits<std::int64_t>::max() / 4;
    result.pe_slots = 4 * result.cycles;
    result.stack[Cause::useful] = 2 * result.cycles + 3; // half of the cycles and 3/4 of one
    result.stack[Cause::vector] = 2 * result.cycles - 3;
    const std::map<std::string, Cycles> bars = by_cause(result);
    CHECK(bars.at("t_math") == result.cycles / 2 + 1); // cycles is odd: .5 + .75 = 1.25
    CHECK(bars.at("t_math") + bars.at("vector") == result.cycles);
}
