// Laws of the DRAM over random organisations, timings and request streams: nothing is lost, no clock is unexplained,
// nothing is faster than the data bus, and better hardware is not slower beyond a scheduling anomaly.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include <catch2/catch.hpp>

#include "memory/hbm_device.h"
#include "tests/support/check_property.h"
#include "tests/support/dram_cases.h"

using namespace systole;
using namespace systole::test;

namespace {

// Calls check(draw) for the seeds of `cases` cases; a failure says which.
void for_each_draw(int cases, const std::function<void(DramDraw&)>& check) {
    for (int i = 0; i < cases; ++i) {
        const auto seed = property_seed() + static_cast<std::uint64_t>(i);
        INFO("to repeat: SYSTOLE_TEST_SEED=" << seed);
        DramDraw draw(seed);
        check(draw);
    }
}

// Any DRAM of a few channels.
DramConfig any_channels(DramDraw& draw) {
    auto config = any_dram(draw);
    config.organization.channels = 1 << draw.between(0, 2);
    config.organization.pseudo_channels = 1 << draw.between(0, 1);
    const auto bits = [](int count) { return count == 1 ? 0 : count == 2 ? 1 : 2; };
    // Consecutive accesses, from one on, stay in a channel.
    const auto channels = " ch" + std::to_string(bits(config.organization.channels)) + " pc" +
                          std::to_string(bits(config.organization.pseudo_channels)) + " ";
    const auto space = config.mapping.find(' ');
    const auto at = draw.one_in(2) && space != std::string::npos ? space : config.mapping.size() - 2; // before ro
    config.mapping.insert(at, channels);
    config.rotate = draw.one_in(2);
    REQUIRE(problems(config).empty());
    return config;
}

constexpr Ticks cycle = 1000; // of a clock of 1 GHz

HbmConfig hbm_of(const DramConfig& dram, int stacks = 1) {
    HbmConfig config;
    config.dram = std::make_shared<const DramConfig>(dram);
    config.stacks = stacks;
    config.bandwidth = dram.peak() * stacks;
    return config;
}

struct Request {
    Ticks at = 0;
    MemoryRequest request;
};

// Bursts of requests, as a DMA engine makes them.
std::vector<Request> any_requests(DramDraw& draw) {
    std::vector<Request> requests(static_cast<std::size_t>(draw.between(20, 120)));
    std::uint64_t address = 0;
    Ticks now = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto& request = requests[i].request;
        now += draw.one_in(8) ? cycle * draw.between(0, 400) : 0;
        requests[i].at = now;
        address = draw.one_in(4) ? static_cast<std::uint64_t>(draw.between(0, 1 << 20)) : address;
        request.id = static_cast<int>(i);
        request.write = draw.one_in(3);
        request.address = address;
        request.piece_bytes = draw.between(1, 512);
        request.pitch = draw.between(512, 4096);
        request.bytes = request.piece_bytes * draw.between(1, 8);
        address += static_cast<std::uint64_t>(request.bytes);
    }
    return requests;
}

// When the last answer is there; each comes once.
Ticks last_answer(const HbmConfig& config, const std::vector<Request>& requests) {
    HbmDevice device(config, TimeBase(1'000'000'000));
    std::set<int> open;
    Ticks last = 0;
    const auto collect = [&](Ticks now) {
        for (const auto& answer : device.advance(now)) {
            REQUIRE(open.erase(answer.id) == 1);
            REQUIRE(answer.done > now);
            last = std::max(last, answer.done);
        }
    };
    for (const auto& [at, request] : requests) {
        while (device.next_wake() <= at)
            collect(device.next_wake());
        REQUIRE_FALSE(device.submit(at, 0, request).has_value());
        open.insert(request.id);
    }
    while (device.next_wake() != unlimited) {
        REQUIRE(device.next_wake() < 1'000'000'000 * cycle / 1000); // a millisecond: a deadlock
        collect(device.next_wake());
    }
    REQUIRE(open.empty());
    const Cycles cycles = ceil_div(last, cycle);
    const auto use = device.use(cycles);
    REQUIRE(use.data + use.row + use.turnaround + use.refresh + use.idle == cycles);
    return last;
}

// What may be lost by chance in one run: 1 % or a refresh.
Ticks allowance(const DramConfig& dram, Ticks before) {
    const auto& t = dram.timing;
    const Clocks refresh = dram.refresh == RefreshMode::per_bank ? t.rfc_per_bank : t.rfc;
    return std::max(before / 100, (refresh + t.rc) * cycle);
}

// How often may a change for the better cost more than that, and how much at worst (docs/model.md, section 7).
struct Anomalies {
    double share;
    double worst;
};

void never_slower(int cases, Anomalies allowed, const std::function<void(DramDraw&, DramConfig&, HbmConfig&)>& better) {
    int compared = 0, slower = 0;
    double worst = 1;
    for_each_draw(cases, [&](DramDraw& draw) {
        auto dram = any_channels(draw);
        const auto requests = any_requests(draw);
        auto config = hbm_of(dram);
        const Ticks before = last_answer(config, requests);
        const Ticks limit = before + allowance(dram, before);
        better(draw, dram, config);
        REQUIRE(problems(dram).empty());
        const Ticks after = last_answer(config, requests);
        ++compared;
        slower += after > limit;
        worst = std::max(worst, static_cast<double>(after) / static_cast<double>(before));
    });
    INFO(slower << " of " << compared << " slower by more than 1 % and a refresh; the worst " << worst);
    CHECK(slower <= allowed.share * compared);
    CHECK(worst <= allowed.worst);
}

} // namespace

TEST_CASE("every piece of a DRAM completes once, and no clock of its bus is unexplained", "[dram]") {
    const auto mode = GENERATE(MemoryMode::fast, MemoryMode::burst);
    for_each_draw(mode == MemoryMode::fast ? 600 : 60, [&](DramDraw& draw) {
        const auto config = any_dram(draw);
        const auto steps = any_dram_traffic(draw);
        INFO(describe(config));
        std::int64_t reads = 0, writes = 0;
        for (const auto& step : steps)
            (step.piece.write ? writes : reads) += step.piece.count;
        const auto port = make_dram_port(config, mode);
        const auto record = play_steps(*port, steps);
        CHECK(port->idle());
        CHECK(port->waiting() == 0);
        std::set<std::int64_t> tags;
        for (const auto& [tag, clock, count] : record.completions) {
            CHECK(tags.insert(tag).second);
            CHECK(count == steps[static_cast<std::size_t>(tag)].piece.count);
            CHECK(clock >= count * config.organization.burst);
        }
        CHECK(tags.size() == steps.size());
        const auto& counts = record.counts;
        CHECK(counts.reads == reads);
        CHECK(counts.writes == writes);
        CHECK(record.completions.back().clock == counts.last_data);
        // Each column that is no hit is the first one after an ACT; an ACT may be for nothing if a refresh follows.
        CHECK(counts.activates >= reads + writes - counts.row_hits);
        CHECK(counts.precharges <= counts.activates);
        const Clocks data = (reads + writes) * config.organization.burst;
        CHECK(record.time.data == data);
        CHECK(counts.last_data >= data);
        CHECK(record.time.total() == counts.last_data);
        CHECK(record.later.total() == counts.last_data + 1000);
        CHECK(record.later.data == data);
        for (const auto& time : {record.time, record.later}) {
            CHECK(std::min({time.row, time.turnaround, time.refresh, time.idle}) >= 0);
        }
        if (config.refresh == RefreshMode::none) {
            CHECK(record.time.refresh == 0);
            CHECK(counts.refreshes == 0);
        }
        if (reads == 0 || writes == 0) {
            CHECK(record.time.turnaround == 0);
        }
    });
}

TEST_CASE("more pseudo-channels are not slower", "[dram]") {
    never_slower(300, {.share = 0.01, .worst = 1.13},
                 [](DramDraw&, DramConfig& dram, HbmConfig& config) { config = hbm_of(dram, 2); });
}

TEST_CASE("a faster data rate is not slower", "[dram]") {
    never_slower(300, {.share = 0.0, .worst = 1.01},
                 [](DramDraw&, DramConfig&, HbmConfig& config) { config.bandwidth *= 2; });
}

// More row hits, and more misses left over side by side.
TEST_CASE("deeper queues are hardly ever slower", "[dram]") {
    never_slower(300, {.share = 0.06, .worst = 1.13}, [](DramDraw&, DramConfig& dram, HbmConfig& config) {
        dram.queues.read *= 2;
        dram.queues.write *= 2;
        config = hbm_of(dram);
    });
}

TEST_CASE("a DRAM without refresh is not slower", "[dram]") {
    never_slower(300, {.share = 0.01, .worst = 1.07}, [](DramDraw&, DramConfig& dram, HbmConfig& config) {
        dram.refresh = RefreshMode::none;
        config = hbm_of(dram);
    });
}
