#include "tests/bench/hbm.h"

#include <cstring>
#include <string>
#include <vector>

#include "memory/dram_player.h"
#include "sim/config/hbm_file.h"
#include "tests/bench/measure.h"

namespace systole::bench {

namespace {

constexpr Bytes streamed = Bytes{512} << 20;

// Accesses of the DRAM ("bursts") in `times` plays of the pattern.
double accesses(const DramConfig& config, const std::string& pattern, MemoryMode mode, int times) {
    std::int64_t count = 0;
    for (int i = 0; i < times; ++i) {
        const auto requests = make_dram_pattern(pattern, config.organization.access_bytes);
        const DramPlay result = play(config, mode, *requests);
        count += result.counts.reads + result.counts.writes;
    }
    return static_cast<double>(count);
}

Measured measure_pattern(const char* hbm, const std::string& pattern, MemoryMode mode, int times = 1) {
    const auto config = load_hbm(hbm);
    return measure([&] { return accesses(*config, pattern, mode, times); });
}

// Copies the bytes of the stream access by access from one buffer of 32 MiB into another.
double copy_stream(Bytes access_bytes) {
    constexpr Bytes buffer = Bytes{32} << 20;
    std::vector<char> from(buffer, 1);
    std::vector<char> to(buffer);
    [[maybe_unused]] volatile char kept = 0;
    for (Bytes done = 0; done < streamed; done += buffer) {
        for (Bytes at = 0; at < buffer; at += access_bytes) {
            std::memcpy(&to[static_cast<std::size_t>(at)], &from[static_cast<std::size_t>(at)],
                        static_cast<std::size_t>(access_bytes));
        }
        kept = to[static_cast<std::size_t>(done / buffer)]; // used, so the copy stays
    }
    return static_cast<double>(streamed / access_bytes);
}

} // namespace

void hbm() {
    const std::string stream = "seq_read_512M";
    const Measured copy = measure([] { return copy_stream(32); });
    const Measured hbm2 = measure_pattern("hbm2_1pc", stream, MemoryMode::fast);
    const Measured hbm3 = measure_pattern("hbm3_2pc", stream, MemoryMode::fast);
    const Measured stack = measure_pattern("hbm2e_3200", stream, MemoryMode::fast);
    const Measured random = measure_pattern("hbm3_2pc", "rand64_read", MemoryMode::fast, 4);
    const Measured burst = measure_pattern("hbm3_2pc", "seq_read_4M", MemoryMode::burst);
    const Measured random_burst = measure_pattern("hbm3_2pc", "rand64_read", MemoryMode::burst);
    print_rate("copy of 32 bytes at a time", copy.per_second(), "accesses");
    print_rate("HBM, stream, hbm2_1pc", hbm2.per_second(), "accesses");
    print_rate("HBM, stream, hbm3_2pc", hbm3.per_second(), "accesses");
    print_rate("HBM, stream, hbm2e_3200 (16 pseudo-channels)", stack.per_second(), "accesses");
    // Two accesses of the DRAM, 32 bytes each, make one of the 64 bytes.
    print_rate("HBM, 64 bytes at random, hbm3_2pc, of 32 bytes each", random.per_second(), "accesses");
    print_rate("HBM clock by clock, stream, hbm3_2pc", burst.per_second(), "accesses");
    print_rate("HBM clock by clock, the same", random_burst.per_second(), "accesses");
    print_ratio("stream of hbm2_1pc over its goal of 100 million", hbm2.per_second() / 100e6, "goal: at least 1");
    print_ratio("stream of hbm3_2pc over its goal of 100 million", hbm3.per_second() / 100e6, "goal: at least 1");
    print_ratio("random, accesses of 32 bytes, over its goal of 3 million", random.per_second() / 3e6,
                "goal: at least 1");
    print_ratio("time of a simulated stream over that of the copy", copy.per_second() / hbm3.per_second(),
                "lower is better");
}

} // namespace systole::bench
