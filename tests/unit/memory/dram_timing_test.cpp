// The same rules as one sees them at a pseudo-channel's request port, in both modes: clocks from a request's arrival
// to its last byte. V is the first clock in which the controller sees the last request: its arrival + 1.
#include <vector>

#include <catch2/catch.hpp>

#include "memory/dram_port.h"
#include "sim/config/hbm_file.h"
#include "tests/unit/memory/distinct_dram.h"

using namespace systole;
using namespace systole::test;

namespace {

struct Access {
    Clocks arrival = 0;
    bool write = false;
    int bank = 0; // bank + 2 * (bank group + 4 * stack id)
    std::int64_t row = 0;
};

// When the last byte of the last access has moved.
Clocks done(const DramConfig& config, MemoryMode mode, const std::vector<Access>& accesses) {
    const auto port = make_dram_port(config, mode);
    std::int64_t tag = 0;
    for (const auto& access : accesses)
        port->push({access.arrival, 32 * (access.bank + 16 * access.row), 1, access.write, tag++});
    port->finish();
    REQUIRE(port->completions().size() == accesses.size());
    for (const auto& completion : port->completions()) {
        if (completion.tag == tag - 1)
            return completion.clock;
    }
    FAIL("the last access has no completion");
    return 0;
}

MemoryMode both_modes() { return GENERATE(MemoryMode::fast, MemoryMode::burst); }

} // namespace

TEST_CASE("idle latency of a hit, a closed row and a conflict of HBM2", "[dram]") {
    const auto mode = both_modes();
    const auto port = make_dram_port(*load_hbm("hbm2_1pc"), mode);
    // 4 bank groups, 32 columns, 4 banks: the next row of the bank is 512 accesses on.
    port->push({0, 0, 1, rd, 0});
    port->push({1000, 4, 1, rd, 1});
    port->push({2000, 512, 1, rd, 2});
    port->push({3000, 0, 1, wr, 3});
    port->push({3500, 4, 1, wr, 4});
    port->finish();
    const auto& completions = port->completions();
    REQUIRE(completions.size() == 5);
    CHECK(completions[0].clock - 0 == 1 + 14 + 14 + 2);         // ACT, RD, data: 31 ns
    CHECK(completions[1].clock - 1000 == 1 + 14 + 2);           // 17 ns
    CHECK(completions[2].clock - 2000 == 1 + 14 + 14 + 14 + 2); // PRE, ACT, RD, data: 45 ns
    CHECK(completions[3].clock - 3000 == 1 + 14 + 12 + 5 + 2);  // the same for a write
    CHECK(completions[4].clock - 3500 == 1 + 5 + 2);
}

TEST_CASE("the port shows tRCD, tRP, tRAS and tRC", "[dram]") {
    const auto mode = both_modes();
    auto config = distinct_dram();
    CHECK(done(config, mode, {{0, rd}}) == 1 + 31 + 20 + 2);
    CHECK(done(config, mode, {{0, wr}}) == 1 + 23 + 9 + 2);
    CHECK(done(config, mode, {{0, rd}, {1000, rd}}) == 1001 + 20 + 2);
    CHECK(done(config, mode, {{0, rd}, {1000, rd, 0, 1}}) == 1001 + 26 + 31 + 20 + 2);
    // ACT 1, RD 32, PRE 61 (tRAS), ACT 98 (tRC; tRP allows 87)
    CHECK(done(config, mode, {{0, rd}, {0, rd, 0, 1}}) == 98 + 31 + 22);
    config.timing.rc = 86; // ACT 87
    CHECK(done(config, mode, {{0, rd}, {0, rd, 0, 1}}) == 87 + 31 + 22);
}

TEST_CASE("the port shows tRTP and tWR", "[dram]") {
    const auto mode = both_modes();
    // RD at 71, PRE at 81, ACT 107
    CHECK(done(distinct_dram(), mode, {{0, rd}, {70, rd}, {70, rd, 0, 1}}) == 71 + 10 + 26 + 31 + 22);
    // WR at 61, its data end at 72, PRE at 105, ACT at 131
    CHECK(done(distinct_dram(), mode, {{0, wr}, {60, wr}, {60, wr, 0, 1}}) == 61 + 11 + 33 + 26 + 23 + 11);
}

TEST_CASE("the port shows tCCD", "[dram]") {
    const auto mode = both_modes();
    const auto [bank, distance] =
        GENERATE(table<int, Clocks>({{first_bank, 7}, {same_group, 7}, {other_group, 3}, {other_stack, 5}}));
    const auto config = distinct_dram();
    CHECK(done(config, mode, {{0, rd}, {0, rd, bank}, {1000, rd}, {1000, rd, bank}}) == 1001 + distance + 22);
    CHECK(done(config, mode, {{0, wr}, {0, wr, bank}, {1000, wr}, {1000, wr, bank}}) == 1001 + distance + 11);
}

TEST_CASE("the port shows tRRD and tFAW", "[dram]") {
    const auto mode = both_modes();
    const auto config = distinct_dram();
    CHECK(done(config, mode, {{0, rd}, {0, rd, same_group}}) == 1 + 11 + 31 + 22);
    CHECK(done(config, mode, {{0, rd}, {0, rd, other_group}}) == 1 + 6 + 31 + 22);
    CHECK(done(config, mode, {{0, rd}, {0, rd, other_stack}}) == 1 + 6 + 31 + 22);
    // ACTs at 1, 7, 13, 19; the fifth at 1 + 41
    CHECK(done(config, mode, {{0, rd, 0}, {0, rd, 2}, {0, rd, 4}, {0, rd, 6}, {0, rd, 8}}) == 42 + 31 + 22);
}

TEST_CASE("the port shows tWTR and tRTW", "[dram]") {
    const auto mode = both_modes();
    const auto [bank, wtr] =
        GENERATE(table<int, Clocks>({{first_bank, 13}, {same_group, 13}, {other_group, 8}, {other_stack, 8}}));
    const auto config = distinct_dram();
    // Rows are open. WR at 1001, data end at 1012.
    CHECK(done(config, mode, {{0, rd}, {0, rd, bank}, {1000, wr}, {1001, rd, bank}}) == 1012 + wtr + 22);
    // RD at 1001, WR at 1018
    CHECK(done(config, mode, {{0, rd}, {0, rd, bank}, {1000, rd}, {1001, wr, bank}}) == 1001 + 17 + 11);
}

TEST_CASE("the port shows an all-bank refresh", "[dram]") {
    const auto mode = both_modes();
    auto config = distinct_dram();
    config.refresh = RefreshMode::all_bank;
    CHECK(done(config, mode, {{900, rd}}) == 901 + 53); // before the first
    // Admitted at 1000, when the refresh begins: ACT at 1300
    CHECK(done(config, mode, {{999, rd}}) == 1300 + 53);
    // ACT at 999; the refresh closes the row at 999 + tRAS, begins at 999 + tRC
    CHECK(done(config, mode, {{998, rd}}) == 999 + 97 + 300 + 53);
    // A row left open: PRE at 1000, refresh at 1026
    CHECK(done(config, mode, {{0, rd}, {1050, rd}}) == 1026 + 300 + 53);
    CHECK(done(config, mode, {{0, rd}, {1325, rd}}) == 1326 + 53);
    CHECK(done(config, mode, {{0, rd}, {1326, rd}}) == 1327 + 53);
}

TEST_CASE("the port shows a per-bank refresh", "[dram]") {
    const auto mode = both_modes();
    auto config = distinct_dram();
    config.refresh = RefreshMode::per_bank; // bank 0 at 50, bank 1 at 100, ..., bank 0 again at 50 + 16 * 50
    CHECK(done(config, mode, {{49, rd, 0}}) == 50 + 40 + 53);
    CHECK(done(config, mode, {{49, rd, 1}}) == 50 + 53);
    CHECK(done(config, mode, {{99, rd, 1}}) == 100 + 40 + 53);
    CHECK(done(config, mode, {{849, rd, 0}}) == 850 + 40 + 53);
    // ACT at 49; closed at 109, refreshed from 49 + tRC on
    CHECK(done(config, mode, {{48, rd, 0}}) == 49 + 97 + 40 + 53);
}

TEST_CASE("one refresh is counted for all banks, or for each", "[dram]") {
    const auto mode = both_modes();
    auto config = distinct_dram();
    config.refresh = GENERATE(RefreshMode::all_bank, RefreshMode::per_bank);
    const auto port = make_dram_port(config, mode);
    port->advance(10'001);
    CHECK(port->counts().refreshes == (config.refresh == RefreshMode::all_bank ? 10 : 200));
}
