// What a stream costs: a step that has been met before is one event, whatever it holds.
#include <catch2/catch.hpp>

#include "memory/dram_fast.h"
#include "sim/config/hbm_file.h"

using namespace systole;

namespace {

// Reads so many accesses of one pseudo-channel in pieces of 64, two or three of which wait at a time.
std::int64_t events_of_stream(const DramConfig& config, std::int64_t accesses) {
    FastDramPort port(config);
    Clocks now = 0;
    for (std::int64_t at = 0; at < accesses; at += 64) {
        port.push({now, at, 64, false, at});
        if (port.waiting() > 128)
            now = port.advance_until_waiting(64);
    }
    port.finish();
    CHECK(port.counts().reads == accesses);
    CHECK(port.completions().size() == static_cast<std::size_t>(accesses / 64));
    return port.events();
}

} // namespace

TEST_CASE("a long stream costs fewer events than an eighth of its bursts", "[dram]") {
    for (const char* name : {"hbm2_1pc", "hbm3_2pc"}) {
        INFO(name);
        const auto config = load_hbm(name);
        CHECK(events_of_stream(*config, 1 << 22) < (1 << 22) / 8);
    }
}

TEST_CASE("twice the stream costs twice the steps and no other events", "[dram]") {
    const auto config = load_hbm("hbm2_1pc");
    const auto once = events_of_stream(*config, 1 << 20);
    const auto twice = events_of_stream(*config, 1 << 21);
    // Each access more costs a 64th of an event, but where the last steps are cut short.
    CHECK(twice - once >= (1 << 20) / 64);
    CHECK(twice - once < (1 << 20) / 32);
}

TEST_CASE("each access of a short stream is an event or two", "[dram]") {
    const auto config = load_hbm("hbm2_1pc");
    // 128 accesses in 4 banks: as many column commands and nearly as many admissions, 4 ACT.
    const auto events = events_of_stream(*config, 128);
    CHECK(events > 128);
    CHECK(events < 2 * 128 + 16);
}
