// Random DRAMs and request streams for property tests of one pseudo-channel, each drawn from one number.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "memory/dram_port.h"

namespace systole::test {

// Whole numbers that are the same on every standard library.
class DramDraw {
  public:
    explicit DramDraw(std::uint64_t seed) : engine_(seed) {}

    // Both ends included.
    int between(std::int64_t least, std::int64_t most) {
        return static_cast<int>(least + static_cast<std::int64_t>(engine_() % (most - least + 1)));
    }
    bool one_in(int count) { return between(1, count) == 1; }

  private:
    std::mt19937_64 engine_;
};

// One pseudo-channel of any organisation, timing, refresh, queues and mapping; problems() has none.
DramConfig any_dram(DramDraw& draw);

// One step of a stream: clocks pass, the port is perhaps emptied or advanced, then a piece arrives.
struct DramStep {
    Clocks gap = 0;
    std::optional<std::int64_t> room; // advance_until_waiting(this) first; the piece arrives no sooner than it returns
    bool advance = false;             // to the arrival, before the piece is pushed
    DramPiece piece;                  // its arrival is the time reached
};

std::vector<DramStep> any_dram_traffic(DramDraw& draw);

// All that a port tells of a stream.
struct DramRecord {
    std::vector<Clocks> room_at;             // answers of advance_until_waiting()
    std::vector<DramCompletion> completions; // by clock, then by tag
    DramCounts counts;
    DramTime time;  // until the last byte
    DramTime later; // until 1000 clocks later
};

DramRecord play_steps(DramPort& port, const std::vector<DramStep>& steps);

void sort_completions(std::vector<DramCompletion>& completions);

// What differs first, as text; empty if nothing does.
std::string difference(const std::vector<DramCompletion>& a, const std::vector<DramCompletion>& b);
std::string difference(const DramCounts& a, const DramCounts& b);
std::string difference(const DramTime& a, const DramTime& b);
std::string difference(const DramRecord& a, const DramRecord& b);

// For a message: what was drawn.
std::string describe(const DramConfig& config);
std::string describe(const std::vector<DramStep>& steps);

} // namespace systole::test
