// Plays a stream of requests on the channels of one stack, as fast as their queues take them, and measures.
#pragma once

#include <memory>
#include <vector>

#include "memory/clock_histogram.h"
#include "memory/dram_address.h"
#include "memory/dram_patterns.h"
#include "memory/dram_port.h"

namespace systole {

struct DramPlay {
    std::int64_t requests = 0;
    Bytes bytes = 0;
    Clocks cycles = 0;      // of the last completion
    DramCounts counts;      // of all pseudo-channels
    DramTime time;          // mean over the pseudo-channels; its parts are whole and sum to `cycles`
    ClockHistogram latency; // of each request, from when it was taken to its last byte

    double row_hit_rate() const; // share of the accesses that found their row open; 0 if there were none
    // Bytes moved over what the pins could have moved meanwhile; 0 if nothing was.
    double efficiency(const DramConfig& config) const;
};

// Requests are taken in their order: one at a time, cut into one piece for each pseudo-channel, as soon as none of the
// pseudo-channels it touches has more than `queues.port` accesses waiting; those of the longest queue are then let
// through down to half of that first. The next may be taken in the same clock.
DramPlay play(const DramConfig& config, MemoryMode mode, DramRequests& requests);

// The same on given ports, one for each port of DramAddress(config, 1).
DramPlay play(const DramConfig& config, std::vector<std::unique_ptr<DramPort>> ports, DramRequests& requests);

} // namespace systole
