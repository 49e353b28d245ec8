// The tick is the kernel's unit of time: about a picosecond, but always a whole part of a core cycle.
#include <catch2/catch.hpp>

#include "memory/time_base.h"

using namespace systole;

namespace {

constexpr Hertz clocks[] = {1'000'000'000, 1'500'000'000, 700'000'000, 333'333'333, 1, 940'000'000, 3'000'000'000};

} // namespace

TEST_CASE("a cycle is a whole number of ticks, a multiple of its four phases", "[memory][time_base]") {
    // 4 * ceil(1e12 / (4 * clock)):
    CHECK(TimeBase(1'000'000'000).per_cycle() == 1000); // 1e12 / 4e9 = 250
    CHECK(TimeBase(1'500'000'000).per_cycle() == 668);  // 1e12 / 6e9 = 166.67 -> 167
    CHECK(TimeBase(700'000'000).per_cycle() == 1432);   // 1e12 / 2.8e9 = 357.14 -> 358
    CHECK(TimeBase(333'333'333).per_cycle() == 3004);   // 1e12 / 1333333332 = 750.00000075 -> 751
}

TEST_CASE("a second holds exactly as many cycles as the clock says, whatever the clock", "[memory][time_base]") {
    for (const Hertz clock : clocks) {
        INFO(clock << " Hz");
        const TimeBase time(clock);
        CHECK(time.per_second() == time.per_cycle() * clock);
        CHECK(time.at(clock) == time.per_second());
        CHECK(time.cycle_at_or_after(time.per_second()) == clock);
        CHECK(time.from_picoseconds(1'000'000'000'000) == time.per_second());
        CHECK(time.per_second() >= 1'000'000'000'000); // a tick is never longer than a picosecond
    }
}

TEST_CASE("what happens on a clock edge is seen in its cycle, a tick later in the next", "[memory][time_base]") {
    for (const Hertz clock : clocks) {
        INFO(clock << " Hz");
        const TimeBase time(clock);
        CHECK(time.cycle_at_or_after(0) == 0);
        for (const Cycles cycle : {Cycles{1}, Cycles{2}, Cycles{999}, Cycles{1'000'000'007} % time.max_cycles()}) {
            CHECK(time.cycle_at_or_after(time.at(cycle) - 1) == cycle);
            CHECK(time.cycle_at_or_after(time.at(cycle)) == cycle);
            CHECK(time.cycle_at_or_after(time.at(cycle) + 1) == cycle + 1);
        }
    }
}

TEST_CASE("a duration in picoseconds is never cut short", "[memory][time_base]") {
    const TimeBase at_1000_mhz(1'000'000'000); // 1 tick = 1 ps
    CHECK(at_1000_mhz.from_picoseconds(0) == 0);
    CHECK(at_1000_mhz.from_picoseconds(12'345) == 12'345);

    const TimeBase at_1500_mhz(1'500'000'000); // 668 * 1.5e9 = 1.002e12 ticks/s: 1 ps = 1.002 ticks
    CHECK(at_1500_mhz.from_picoseconds(0) == 0);
    CHECK(at_1500_mhz.from_picoseconds(1) == 2);        // 1.002
    CHECK(at_1500_mhz.from_picoseconds(499) == 500);    // 499.998
    CHECK(at_1500_mhz.from_picoseconds(500) == 501);    // 501 exactly
    CHECK(at_1500_mhz.from_picoseconds(501) == 503);    // 502.002
    CHECK(at_1500_mhz.from_picoseconds(2'000) == 2004); // three cycles exactly
    CHECK(at_1500_mhz.cycle_at_or_after(at_1500_mhz.from_picoseconds(2'000)) == 3);
    CHECK(at_1500_mhz.cycle_at_or_after(at_1500_mhz.from_picoseconds(2'001)) == 4);

    const TimeBase at_700_mhz(700'000'000);            // 1432 * 7e8 = 1.0024e12 ticks/s
    CHECK(at_700_mhz.from_picoseconds(1'250) == 1253); // exactly
    CHECK(at_700_mhz.from_picoseconds(1'251) == 1255); // 1254.0024

    const TimeBase third(333'333'333);            // 3004 * 333333333 = 1001333332332 ticks/s
    CHECK(third.from_picoseconds(1'000) == 1002); // 1001.33
    // 3 ns is a thousand-millionth less than a cycle (3.000000003 ns): 3003.999997 ticks, the tick of the edge itself.
    CHECK(third.from_picoseconds(3'000) == 3004);
    CHECK(third.from_picoseconds(3'001) == 3006); // 3005.0013
}

TEST_CASE("the last cycle that can be counted has a tick, and so has twice as many", "[memory][time_base]") {
    for (const Hertz clock : clocks) {
        INFO(clock << " Hz");
        const TimeBase time(clock);
        REQUIRE(time.max_cycles() > 0);
        CHECK(time.max_cycles() <= unlimited / time.per_cycle() / 2);
        CHECK(time.at(time.max_cycles()) > unlimited / 2 - 2 * time.per_cycle());
    }
}
