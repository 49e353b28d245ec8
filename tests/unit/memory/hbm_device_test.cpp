// The HBM as the DMA engines see it. One tick of these tests is a picosecond and one clock of the DRAM a nanosecond,
// unless the bandwidth is scaled.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "memory/hbm_device.h"

using namespace systole;

namespace {

const TimeBase picoseconds(1'000'000'000);
constexpr Ticks ns = 1000;

// Two channels of the default timing (cl 14, cwl 4, rcd 14, rp 14) without refresh: 64 bytes of each in turn.
DramConfig two_channels() {
    DramConfig config;
    config.organization.channels = 2;
    config.organization.pseudo_channels = 1;
    config.mapping = "bg1 ch1 bg1 co5 ba2 ro";
    config.refresh = RefreshMode::none;
    return config;
}

HbmConfig hbm_of(const DramConfig& dram, double scale = 1) {
    HbmConfig config;
    config.dram = std::make_shared<const DramConfig>(dram);
    config.bandwidth = static_cast<BytesPerSecond>(scale * static_cast<double>(dram.peak()));
    return config;
}

struct Timed {
    Ticks at = 0;
    MemoryRequest request;
};

MemoryRequest rows(std::uint64_t address, Bytes piece, Bytes pitch, int count, bool write = false) {
    return {.write = write, .address = address, .bytes = piece * count, .id = 0, .piece_bytes = piece, .pitch = pitch};
}

MemoryRequest row(std::uint64_t address, Bytes bytes, bool write = false) { return rows(address, bytes, 0, 1, write); }

// Plays requests, their ids in order, and advances when the device asks for it, and every `extra` ticks besides.
std::vector<HbmDevice::Answer> answers_of(HbmDevice& device, const std::vector<Timed>& requests, Ticks extra = 0) {
    std::vector<HbmDevice::Answer> all;
    Ticks now = 0;
    const auto advance_to = [&](Ticks until) {
        for (;;) {
            const Ticks next = std::min(device.next_wake(), extra > 0 ? now + extra : unlimited);
            if (device.next_wake() == unlimited || next > until)
                break;
            now = next;
            for (const auto& answer : device.advance(now)) {
                REQUIRE(answer.done > now);
                all.push_back(answer);
            }
        }
    };
    for (std::size_t i = 0; i < requests.size(); ++i) {
        advance_to(requests[i].at);
        now = requests[i].at;
        auto request = requests[i].request;
        request.id = static_cast<int>(i);
        REQUIRE_FALSE(device.submit(now, static_cast<int>(i % 3), request).has_value());
    }
    advance_to(unlimited);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    REQUIRE(all.size() == requests.size());
    return all;
}

Ticks done(const HbmConfig& config, const MemoryRequest& request) {
    HbmDevice device(config, picoseconds);
    return answers_of(device, {{0, request}}).front().done;
}

std::vector<Timed> random_requests(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
    std::vector<Timed> requests;
    Ticks now = 0;
    for (int i = 0; i < 100; ++i) {
        now += below(3) == 0 ? below(400 * ns) : 0;
        requests.push_back({now, rows(static_cast<std::uint64_t>(below(1 << 20)), 1 + below(700), 700 + below(3000),
                                      static_cast<int>(1 + below(6)), below(3) == 0)});
    }
    return requests;
}

// What has happened by far later than the last answer.
HbmUse use_of(HbmDevice& device) { return device.use(1'000'000); }

Ticks last_of(const std::vector<HbmDevice::Answer>& answers) {
    Ticks last = 0;
    for (const auto& answer : answers)
        last = std::max(last, answer.done);
    return last;
}

} // namespace

TEST_CASE("a read of the HBM takes what its DRAM takes, and the way there and back", "[memory][hbm]") {
    auto config = hbm_of(two_channels());
    // Controller 1, ACT to RD 14, CL 14, burst 2.
    CHECK(done(config, row(0, 32)) == 31 * ns);
    CHECK(done(config, row(0, 1)) == 31 * ns); // a burst is the least that moves
    CHECK(done(config, row(0, 32, true)) == (1 + 14 + 4 + 2) * ns);
    config.latency = 7 * ns;
    CHECK(done(config, row(0, 32)) == (31 + 7) * ns);
}

TEST_CASE("an arrival between two clocks is seen at the next", "[memory][hbm]") {
    HbmDevice device(hbm_of(two_channels()), picoseconds);
    const auto answers = answers_of(device, {{1, row(0, 32)}, {1'000'000, row(0, 32)}, {2'000'999, row(0, 32)}});
    CHECK(answers[0].done == (1 + 31) * ns);
    CHECK(answers[1].done == (1000 + 17) * ns);
    CHECK(answers[2].done == (2001 + 17) * ns);
    CHECK(answers[1].client == 1);
}

TEST_CASE("a clock that is no whole number of ticks is rounded up once", "[memory][hbm]") {
    // 3/7 of the bandwidth: a clock is 7/3 ns. 31 clocks are 72333.3 ps.
    auto config = hbm_of(two_channels());
    config.bandwidth = config.bandwidth / 7 * 3 + 3 * (config.bandwidth % 7) / 7;
    const auto peak = static_cast<double>(config.dram->peak()) / static_cast<double>(config.bandwidth);
    CHECK(done(config, row(0, 32)) == static_cast<Ticks>(std::ceil(31'000 * peak)));
}

TEST_CASE("a request of several rows is done with its last row", "[memory][hbm]") {
    const auto config = hbm_of(two_channels());
    // Four rows of 64 bytes, 128 apart, are in channel 0, two bank groups of it in turn: 8 bursts, two for each ACT of
    // the four bank groups.
    HbmDevice one(config, picoseconds);
    answers_of(one, {{0, rows(0, 64, 128, 4)}});
    CHECK(use_of(one).accesses == 8);
    CHECK(use_of(one).activates == 4);
    // The same bytes as one piece take both channels.
    HbmDevice two(config, picoseconds);
    answers_of(two, {{0, row(0, 256)}});
    CHECK(use_of(two).accesses == 8);
    CHECK(use_of(two).activates == 8);
    // As four requests of one row each, submitted together, they take as long as the one of four rows.
    HbmDevice four(config, picoseconds);
    std::vector<Timed> single;
    for (std::uint64_t i = 0; i < 4; ++i)
        single.push_back({0, row(128 * i, 64)});
    CHECK(last_of(answers_of(four, single)) == done(config, rows(0, 64, 128, 4)));
}

TEST_CASE("rows that do not begin at a burst move the bursts they touch", "[memory][hbm]") {
    const auto reads = [](const MemoryRequest& request) {
        HbmDevice device(hbm_of(two_channels()), picoseconds);
        answers_of(device, {{0, request}});
        return use_of(device).accesses;
    };
    CHECK(reads(row(31, 2)) == 2);
    CHECK(reads(row(1, 31)) == 1);
    CHECK(reads(row(1, 32)) == 2);
    CHECK(reads(row(1, 64 * 1024)) == 2 * 1024 + 1);
    CHECK(reads(rows(31, 2, 100, 5)) == 2 + 1 + 1 + 1 + 1 + 0 + 0); // 31, 131, 231, 331, 431: offsets 31, 3, 7, 11, 15
    CHECK(reads(rows(0, 32, 32, 4)) == 4);
}

TEST_CASE("answers come in the order of their times, ahead of them", "[memory][hbm]") {
    HbmDevice device(hbm_of(two_channels()), picoseconds);
    const auto requests = random_requests(5);
    std::size_t answered = 0;
    Ticks before = 0;
    for (std::size_t i = 0; i < requests.size() || device.next_wake() != unlimited;) {
        if (i < requests.size() && requests[i].at <= device.next_wake()) {
            auto request = requests[i].request;
            request.id = static_cast<int>(i);
            device.submit(requests[i].at, 0, request);
            ++i;
            continue;
        }
        const Ticks now = device.next_wake();
        Ticks last = now;
        for (const auto& answer : device.advance(now)) {
            CHECK(answer.done > now);
            CHECK(answer.done >= last);
            last = answer.done;
            ++answered;
        }
        CHECK(now > before);
        before = now;
    }
    CHECK(answered == requests.size());
}

TEST_CASE("how often the HBM is advanced changes nothing", "[memory][hbm]") {
    auto dram = two_channels();
    dram.refresh = GENERATE(RefreshMode::none, RefreshMode::all_bank, RefreshMode::per_bank);
    const auto mode = GENERATE(MemoryMode::fast, MemoryMode::burst);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        auto config = hbm_of(dram);
        config.mode = mode;
        const auto requests = random_requests(seed);
        HbmDevice plain(config, picoseconds);
        const auto expected = answers_of(plain, requests);
        for (const Ticks extra : {Ticks{1'234}, 7 * ns, 50 * ns}) {
            HbmDevice often(config, picoseconds);
            const auto answers = answers_of(often, requests, extra);
            bool same = true;
            for (std::size_t i = 0; i < answers.size(); ++i)
                same = same && answers[i].done == expected[i].done;
            CHECK(same);
            CHECK(use_of(often) == use_of(plain));
        }
    }
}

TEST_CASE("both modes of the HBM give the same answers", "[memory][hbm]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const auto requests = random_requests(seed);
        auto config = hbm_of(two_channels());
        HbmDevice fast(config, picoseconds);
        config.mode = MemoryMode::burst;
        HbmDevice burst(config, picoseconds);
        const auto expected = answers_of(fast, requests);
        const auto answers = answers_of(burst, requests);
        for (std::size_t i = 0; i < answers.size(); ++i)
            CHECK(answers[i].done == expected[i].done);
    }
}

TEST_CASE("the HBM's busy time never goes back and is no more than has passed", "[memory][hbm]") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        HbmDevice device(hbm_of(two_channels()), picoseconds);
        const auto requests = random_requests(seed);
        const auto answers = answers_of(device, requests);
        const Ticks end = last_of(answers);
        Ticks before = 0;
        for (Ticks now = 0; now <= end + ns; now += 777) {
            const Ticks busy = device.busy_before(now);
            CHECK(busy >= before);
            CHECK(busy <= now);
            before = busy;
        }
        Bytes bytes = 0;
        for (const auto& timed : requests)
            bytes += timed.request.bytes;
        // What the accesses took, were the pins never idle: each of 32 bytes, at 32 bytes a ns. Those at the ends of
        // rows are whole ones too.
        CHECK(before == device.use(1'000'000).accesses * ns);
        CHECK(before >= bytes * ns / 32);
    }
}

TEST_CASE("busy time before an answer is what its data take at full bandwidth", "[memory][hbm]") {
    HbmDevice device(hbm_of(two_channels()), picoseconds); // 32 bytes a ns
    const auto answers = answers_of(device, {{0, row(0, 64)}, {1000 * ns, row(0, 6400)}});
    CHECK(device.busy_before(answers[0].done - 1) == 0);
    CHECK(device.busy_before(answers[0].done) == 2 * ns);
    CHECK(device.busy_before(1000 * ns) == 2 * ns);
    CHECK(device.busy_before(answers[1].done) == (2 + 200) * ns);
}

TEST_CASE("twice the bandwidth is half the time", "[memory][hbm]") {
    auto dram = two_channels();
    dram.refresh = GENERATE(RefreshMode::none, RefreshMode::all_bank, RefreshMode::per_bank);
    std::vector<Timed> stream;
    for (std::uint64_t i = 0; i < 500; ++i)
        stream.push_back({0, row(4096 * i, 4096)});
    HbmDevice whole(hbm_of(dram), picoseconds), twice(hbm_of(dram, 2), picoseconds),
        half(hbm_of(dram, 0.5), picoseconds);
    const Ticks time = last_of(answers_of(whole, stream));
    CHECK(last_of(answers_of(twice, stream)) * 2 == time);
    CHECK(last_of(answers_of(half, stream)) == 2 * time);
    CHECK(time >= 500 * 4096 / 32 * ns);
}

TEST_CASE("a stream without refresh is limited by the pins", "[memory][hbm]") {
    auto dram = two_channels();
    dram.mapping = "bg2 ch1 co5 ba2 ro"; // the short distance between neighbours
    HbmDevice device(hbm_of(dram), picoseconds);
    std::vector<Timed> stream;
    for (std::uint64_t i = 0; i < 500; ++i)
        stream.push_back({0, row(4096 * i, 4096)});
    const Ticks time = last_of(answers_of(device, stream));
    CHECK(time >= 500 * 4096 / 32 * ns);
    CHECK(time <= 500 * 4096 / 32 * ns * 101 / 100); // a start, and rows that are opened behind others
}

TEST_CASE("rotation spreads a pitch of a power of two over the pseudo-channels", "[memory][hbm]") {
    DramConfig dram; // 16 pseudo-channels
    dram.mapping = "bg2 pc1 ch3 co5 ba2 ro";
    dram.refresh = RefreshMode::none;
    std::vector<Timed> column;
    for (std::uint64_t i = 0; i < 64; ++i)
        column.push_back({0, rows(i * 16 * 8192, 128, 8192, 16)});
    HbmDevice straight(hbm_of(dram), picoseconds);
    dram.rotate = true;
    HbmDevice rotated(hbm_of(dram), picoseconds);
    const Ticks camped = last_of(answers_of(straight, column));
    const Ticks spread = last_of(answers_of(rotated, column));
    CHECK(use_of(straight).accesses == use_of(rotated).accesses);
    // 1024 rows of 4 bursts in one pseudo-channel are no faster than its pins. 16 would be 16 times as fast, but each
    // opens all the DRAM rows.
    CHECK(camped >= 1024 * 4 * 2 * ns);
    CHECK(spread * 6 <= camped);
}

TEST_CASE("an ideal memory answers at once", "[memory][hbm]") {
    HbmConfig config;
    config.bandwidth = 1'000'000'000'000; // a byte a tick
    config.latency = 7;
    HbmDevice device(config, picoseconds);
    CHECK(device.submit(100, 0, row(0, 30)) == 100 + 30 + 7);
    CHECK(device.submit(110, 1, rows(0, 10, 1000, 3)) == 130 + 30 + 7);
    CHECK(device.next_wake() == unlimited);
    CHECK(device.busy_before(115) == 15);
    CHECK(device.ports() == 0);
    CHECK(device.use(1000) == HbmUse{});
}

TEST_CASE("the parts of the HBM's time sum to the cycles of the run", "[memory][hbm]") {
    const Cycles end = GENERATE(20'000, 20'001, 77'777);
    HbmDevice device(hbm_of(two_channels(), 0.37), picoseconds);
    answers_of(device, random_requests(3));
    const auto use = device.use(end);
    CHECK(use.data + use.row + use.turnaround + use.refresh + use.idle == end);
    // A burst of 2 clocks, at 0.37 of a GHz, on one of two buses; the end is rounded up to a clock.
    CHECK(static_cast<double>(use.data) == Approx(static_cast<double>(use.accesses) * 2 / 0.37 / 2).margin(3));
    CHECK(use.row_hits + use.activates >= use.accesses);
}
