// A pipe moves one byte after the other and rounds nothing but the completion it reports.
#include <numeric>
#include <vector>

#include "memory/bandwidth_pipe.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::test;

namespace {

__extension__ using Wide = __int128;

// ceil(bytes * ticks_per_second / bandwidth)
Ticks moving_time(const TimeBase& time, Wide bytes, BytesPerSecond bandwidth) {
    return static_cast<Ticks>((bytes * time.per_second() + bandwidth - 1) / bandwidth);
}

constexpr Hertz gigahertz = 1'000'000'000;      // 1 tick = 1 ps
constexpr BytesPerSecond third = 3'000'000'000; // at 1 GHz a byte takes 333.33 ticks
constexpr BytesPerSecond hbm2e = 819'000'000'000;

} // namespace

TEST_CASE("requests back to back complete at exact fractions, rounded up one by one", "[memory][bandwidth_pipe]") {
    const TimeBase time(gigahertz);
    BandwidthPipe pipe(time, hbm2e, 100'000);
    // 64 B at 819 GB/s take 64e12 / 819e9 = 78.144 ticks; the latency is 100000.
    CHECK(pipe.submit(0, 64) == 79 + 100'000);  //  78.14
    CHECK(pipe.submit(0, 64) == 157 + 100'000); // 156.29
    CHECK(pipe.submit(0, 64) == 235 + 100'000); // 234.43
    CHECK(pipe.submit(0, 64) == 313 + 100'000); // 312.58
    CHECK(pipe.free_at() == 313);               // without the latency
}

TEST_CASE("a million requests back to back do not drift by a tick", "[memory][bandwidth_pipe]") {
    for (const Hertz clock : {gigahertz, Hertz{1'500'000'000}, Hertz{700'000'000}, Hertz{333'333'333}}) {
        const TimeBase time(clock);
        BandwidthPipe pipe(time, hbm2e, 12'345);
        const Ticks latency = time.from_picoseconds(12'345);
        std::int64_t wrong = 0;
        Ticks last = 0;
        for (std::int64_t n = 1; n <= 1'000'000; ++n) {
            last = pipe.submit(0, 64);
            wrong += last != moving_time(time, Wide{n} * 64, hbm2e) + latency ? 1 : 0;
        }
        INFO(clock << " Hz");
        CHECK(wrong == 0);
        if (clock == gigahertz) // 64e6 * 1e12 / 819e9 = 78144078.14
            CHECK(last == 78'144'079 + latency);
    }
}

TEST_CASE("a request after a pause starts at once, one before its end waits for the fraction",
          "[memory][bandwidth_pipe]") {
    BandwidthPipe pipe(TimeBase(gigahertz), third, 0);
    CHECK(pipe.submit(0, 1) == 334);     // 0 + 333.33
    CHECK(pipe.submit(333, 1) == 667);   // the pipe is busy up to 333.33: 666.67, not 333 + 333.33 = 666.33
    CHECK(pipe.submit(667, 1) == 1001);  // idle for a third of a tick: 667 + 333.33 = 1000.33
    CHECK(pipe.submit(5000, 3) == 6000); // idle: 5000 + 1000
    CHECK(pipe.free_at() == 6000);
}

TEST_CASE("the busy time before a moment leaves out the pauses and what lies ahead", "[memory][bandwidth_pipe]") {
    BandwidthPipe pipe(TimeBase(gigahertz), third, 777);
    CHECK(pipe.busy_before(100) == 0);
    pipe.submit(100, 2); // busy in [100, 766.67): the latency is no work
    CHECK(pipe.busy_before(100) == 0);
    CHECK(pipe.busy_before(101) == 1);
    CHECK(pipe.busy_before(500) == 400);
    CHECK(pipe.busy_before(766) == 666);
    CHECK(pipe.busy_before(767) == 666); // 666.67
    CHECK(pipe.busy_before(900) == 666);
    pipe.submit(1000, 1); // busy in [1000, 1333.33): a thousand ticks in all
    CHECK(pipe.busy_before(1000) == 666);
    CHECK(pipe.busy_before(1001) == 667);
    CHECK(pipe.busy_before(1333) == 999);
    CHECK(pipe.busy_before(1334) == 1000);
    CHECK(pipe.busy_before(1'000'000) == 1000);
}

TEST_CASE("an unlimited pipe takes no time but its latency and is never busy", "[memory][bandwidth_pipe]") {
    const TimeBase time(1'500'000'000);
    BandwidthPipe pipe(time, unlimited, 1'000); // 1 ns = 1002 ticks
    CHECK(pipe.submit(0, 64) == 1002);
    CHECK(pipe.submit(0, std::int64_t{1} << 40) == 1002);
    CHECK(pipe.submit(7, 1) == 1009);
    CHECK(pipe.free_at() == 0);
    CHECK(pipe.busy_before(1'000'000) == 0);
}

TEST_CASE("a request of the largest size that is counted does not overflow", "[memory][bandwidth_pipe]") {
    const TimeBase time(gigahertz);
    BandwidthPipe pipe(time, 1'000'000'000'000, 0);
    const Bytes bytes = unlimited / 4; // 2^61 - 1 B at 1 TB/s and a tick of 1 ps: one byte a tick
    CHECK(pipe.submit(0, bytes) == bytes);
    CHECK(pipe.submit(0, bytes) == 2 * bytes);
    CHECK(pipe.busy_before(bytes) == bytes);
}

TEST_CASE("it makes no difference to the last byte in how many requests the bytes come", "[memory][bandwidth_pipe]") {
    check_property("cut requests", 200, [] {
        const auto bandwidth = *rc::gen::inRange<BytesPerSecond>(1, 2'000'000'000'000);
        const auto latency = *rc::gen::inRange<Picoseconds>(0, 100'000);
        const TimeBase time(
            *rc::gen::elementOf(std::vector<Hertz>{gigahertz, 1'500'000'000, 700'000'000, 333'333'333}));
        BandwidthPipe whole(time, bandwidth, latency);
        BandwidthPipe cut(time, bandwidth, latency);
        Ticks now = 0;
        for (int burst = 0; burst < 5; ++burst) {
            now += *rc::gen::inRange<Ticks>(0, 2'000'000);
            const auto parts =
                *rc::gen::nonEmpty(rc::gen::container<std::vector<Bytes>>(rc::gen::inRange<Bytes>(1, 5000)));
            Ticks last = 0;
            for (const Bytes part : parts)
                last = cut.submit(now, part);
            RC_ASSERT(last == whole.submit(now, std::accumulate(parts.begin(), parts.end(), Bytes{0})));
            RC_ASSERT(cut.busy_before(now + 1000) == whole.busy_before(now + 1000));
        }
        RC_ASSERT(cut.busy_before(cut.free_at()) <= cut.free_at());
    });
}
