// Where the time of a run's HBM went, and how it was used. All 0 for an ideal memory and for one that is not Systole's.
#pragma once

#include "sim/base/quantities.h"

namespace systole {

struct HbmUse {
    // Core cycles, as the mean of the pseudo-channels' data buses; they sum to the cycles of the run exactly, each a
    // difference of cumulated times rounded down. What is meant: DramTime in dram_port.h.
    Cycles data = 0, row = 0, turnaround = 0, refresh = 0, idle = 0;
    std::int64_t accesses = 0; // column commands
    std::int64_t row_hits = 0; // of them
    std::int64_t activates = 0;

    HbmUse& operator+=(const HbmUse& other) {
        data += other.data;
        row += other.row;
        turnaround += other.turnaround;
        refresh += other.refresh;
        idle += other.idle;
        accesses += other.accesses;
        row_hits += other.row_hits;
        activates += other.activates;
        return *this;
    }
    bool operator==(const HbmUse&) const = default;
};

} // namespace systole
