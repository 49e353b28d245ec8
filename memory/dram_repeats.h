// States of a pseudo-channel in the middle of a stream that have been met before, and what each led to. Two states with
// the same description, but for the clock, the row and the numbers of the pieces, go on in the same way; so a stream
// takes a step that is known in one go, the bursts, the row commands and the refresh in it included.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "memory/dram_port.h"
#include "memory/dram_state.h"

namespace systole {

class DramRepeats {
  public:
    static constexpr int none = -1;
    static constexpr Clocks no_refresh = -1;
    using Key = std::vector<std::int64_t>;

    struct Done {               // of a piece
        std::int64_t piece = 0; // counted from the one at the head of the port when the step began
        Clocks clock = 0;       // counted from there, too
    };
    struct Step {
        int to = none;
        Clocks clocks = 0;
        Clocks refresh_in = no_refresh; // one became due in it, so many clocks from its start
        int refresh_turn = 0;           // and that was the bank's number, if one by one
        DramCounts counts;              // in the step; last_data counted from its start
        DramTime time;
        std::vector<Done> done;
    };
    struct Entry {
        Key key;
        DramState state;
        std::int64_t first = 0; // access at the head of the port
        std::int64_t piece = 0; // and its piece
        std::vector<Step> steps;
    };

    // The state's number; none: it is not kept, or not yet.
    int find(const Key& key) const;
    // Keeps a state that is met for the second time. Returns its number or none.
    int meet(const Key& key, const DramState& state, std::int64_t first, std::int64_t piece);
    void add(int from, Step step);
    // Those known so far differ in the refresh alone.
    const std::vector<Step>& steps(int entry) const { return entries_[entry].steps; }
    const Entry& entry(int number) const { return entries_[number]; }

  private:
    static std::uint64_t hash(const Key& key);

    std::vector<Entry> entries_;
    std::unordered_map<std::uint64_t, int> by_hash_;
    std::vector<std::uint64_t> met_once_ = std::vector<std::uint64_t>(1024);
};

} // namespace systole
