// Every timing rule between the commands of a pseudo-channel: the clock before the one given here is too early.
#include <catch2/catch.hpp>

#include "memory/dram_banks.h"
#include "tests/unit/memory/distinct_dram.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("a new bank may be activated at once", "[dram]") {
    const DramBanks banks(distinct_dram());
    CHECK(banks.size() == 16);
    CHECK(banks.open() == 0);
    for (int i = 0; i < banks.size(); ++i) {
        CHECK(banks.open_row(i) == DramBanks::closed);
        CHECK(banks.earliest_activate(i) == 0);
    }
}

TEST_CASE("a column command waits for its row: tRCD", "[dram]") {
    DramBanks banks(distinct_dram());
    banks.activate(first_bank, 5, 100);
    CHECK(banks.open_row(first_bank) == 5);
    CHECK(banks.open() == 1);
    CHECK(banks.earliest_read(first_bank) == 100 + 31);
    CHECK(banks.earliest_write(first_bank) == 100 + 23);
}

TEST_CASE("a row stays open for tRAS, and its bank is activated again after tRC and tRP", "[dram]") {
    DramBanks banks(distinct_dram());
    banks.activate(first_bank, 5, 100);
    CHECK(banks.earliest_precharge(first_bank) == 100 + 60);
    SECTION("tRC counts after an early PRE") {
        banks.precharge(first_bank, 160);
        CHECK(banks.open_row(first_bank) == DramBanks::closed);
        CHECK(banks.earliest_activate(first_bank) == 100 + 97); // 160 + 26 = 186
    }
    SECTION("tRP counts after a late one") {
        banks.precharge(first_bank, 180);
        CHECK(banks.earliest_activate(first_bank) == 180 + 26); // 100 + 97 = 197
    }
}

TEST_CASE("columns of one direction are tCCD apart: same group, other group, other stack id", "[dram]") {
    const bool direction = GENERATE(rd, wr);
    DramBanks banks(distinct_dram());
    banks.column(first_bank, direction, 200);
    CHECK(banks.earliest_column(first_bank, direction) == 200 + 7);
    CHECK(banks.earliest_column(same_group, direction) == 200 + 7);
    CHECK(banks.earliest_column(other_group, direction) == 200 + 3);
    CHECK(banks.earliest_column(other_stack, direction) == 200 + 5);
    banks.column(other_group, direction, 203);
    CHECK(banks.earliest_column(first_bank, direction) == 207); // the first one's 200 + 7, not 203 + 3
    CHECK(banks.earliest_column(other_stack, direction) == 203 + 5);
}

TEST_CASE("columns are never closer than their data: the bus is one", "[dram]") {
    auto config = distinct_dram();
    config.organization.burst = 8;
    DramBanks banks(config);
    banks.column(first_bank, rd, 200);
    CHECK(banks.earliest_read(same_group) == 208);
    CHECK(banks.earliest_read(other_group) == 208);
    CHECK(banks.earliest_read(other_stack) == 208);
}

TEST_CASE("ACTs are tRRD apart: same group, other group, other stack id", "[dram]") {
    DramBanks banks(distinct_dram());
    banks.activate(first_bank, 5, 100);
    CHECK(banks.earliest_activate(same_group) == 100 + 11);
    CHECK(banks.earliest_activate(other_group) == 100 + 6);
    CHECK(banks.earliest_activate(other_stack) == 100 + 6);
    banks.activate(other_group, 5, 106);
    CHECK(banks.earliest_activate(same_group) == 106 + 6); // 100 + 11 = 111
}

TEST_CASE("a window of tFAW holds four ACTs", "[dram]") {
    DramBanks banks(distinct_dram());
    for (int i = 0; i < 4; ++i)
        banks.activate(2 * i, 5, 100 + 6 * i);               // 100, 106, 112, 118
    CHECK(banks.earliest_activate(other_stack) == 100 + 41); // tRRD_S would be 124
    banks.activate(other_stack, 5, 141);
    CHECK(banks.earliest_activate(other_stack + 2) == 106 + 41); // the second is the oldest of four: and 141 + 6
    banks.activate(other_stack + 2, 5, 150);
    CHECK(banks.earliest_activate(other_stack + 4) == 150 + 6); // 112 + 41 = 153 has passed
}

TEST_CASE("a read waits for the data of a write and tWTR", "[dram]") {
    DramBanks banks(distinct_dram());
    banks.column(first_bank, wr, 200); // data end at 200 + 9 + 2 = 211
    CHECK(banks.data_end(wr, 200) == 211);
    CHECK(banks.earliest_read(first_bank) == 211 + 13);
    CHECK(banks.earliest_read(same_group) == 211 + 13);
    CHECK(banks.earliest_read(other_group) == 211 + 8);
    CHECK(banks.earliest_read(other_stack) == 211 + 8);
    CHECK(banks.turned(other_group, rd) == 211 + 8);
    CHECK(banks.turned(same_group, rd) == 211 + 13);
}

TEST_CASE("a write waits for tRTW after a read, wherever it is", "[dram]") {
    DramBanks banks(distinct_dram());
    banks.column(first_bank, rd, 200);
    CHECK(banks.data_end(rd, 200) == 200 + 20 + 2);
    for (const int other : {first_bank, same_group, other_group, other_stack}) {
        CHECK(banks.earliest_write(other) == 200 + 17);
        CHECK(banks.turned(other, wr) == 200 + 17);
    }
}

TEST_CASE("a PRE waits for tRTP after a read and for tWR after the data of a write", "[dram]") {
    DramBanks banks(distinct_dram());
    banks.activate(first_bank, 5, 100);
    SECTION("an early read changes nothing") {
        banks.column(first_bank, rd, 131);
        CHECK(banks.earliest_precharge(first_bank) == 160); // 131 + 10 = 141 is before tRAS
    }
    SECTION("a late read") {
        banks.column(first_bank, rd, 155);
        CHECK(banks.earliest_precharge(first_bank) == 155 + 10);
        CHECK(banks.earliest_precharge(same_group) == 0);
    }
    SECTION("a write") {
        banks.column(first_bank, wr, 123);
        CHECK(banks.earliest_precharge(first_bank) == 123 + 9 + 2 + 33);
    }
}

TEST_CASE("the first column after an ACT is told from the row hits", "[dram]") {
    DramBanks banks(distinct_dram());
    banks.activate(first_bank, 5, 100);
    CHECK(banks.column(first_bank, rd, 131));
    CHECK_FALSE(banks.column(first_bank, rd, 138));
    banks.precharge(first_bank, 160);
    banks.activate(first_bank, 5, 197);
    CHECK(banks.column(first_bank, wr, 220));
}

TEST_CASE("an all-bank refresh closes every row, then waits until all could be activated", "[dram]") {
    DramBanks banks(distinct_dram());
    SECTION("idle banks") { CHECK(banks.refresh_all(1000) == 1000 + 300); }
    SECTION("rows that were left open") {
        banks.activate(first_bank, 5, 100);
        CHECK(banks.refresh_all(1000) == 1000 + 26 + 300);
    }
    SECTION("a row that has just been opened: tRAS, and tRC is longer than tRAS + tRP") {
        banks.activate(first_bank, 5, 990);
        banks.activate(other_group, 5, 800);
        CHECK(banks.refresh_all(1000) == 990 + 97 + 300); // one PRE for both at 1050
        CHECK(banks.open() == 0);
    }
    SECTION("a write late in the row") {
        banks.activate(first_bank, 5, 900);
        banks.column(first_bank, wr, 999);
        CHECK(banks.refresh_all(1000) == 999 + 9 + 2 + 33 + 26 + 300);
    }
    const Clocks end = banks.earliest_activate(first_bank);
    for (int i = 0; i < banks.size(); ++i)
        CHECK(banks.earliest_activate(i) == end);
}

TEST_CASE("a per-bank refresh leaves the other banks alone", "[dram]") {
    DramBanks banks(distinct_dram());
    banks.activate(first_bank, 5, 990);
    banks.activate(other_group, 6, 800);
    CHECK(banks.refresh_bank(first_bank, 1000) == 990 + 97 + 40);
    CHECK(banks.open_row(first_bank) == DramBanks::closed);
    CHECK(banks.earliest_activate(first_bank) == 990 + 97 + 40);
    CHECK(banks.open_row(other_group) == 6);
    CHECK(banks.refresh_bank(other_group, 1000) == 1000 + 26 + 40); // its row was open long enough
    CHECK(banks.refresh_bank(other_stack, 1000) == 1000 + 40);      // nothing was open
}
