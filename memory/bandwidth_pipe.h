// A memory or link that moves one byte after the other at a constant rate and answers a constant latency later: the
// stand-in behind the HBM and PCIe interfaces. Exact: the busy time is kept as a fraction, nothing is rounded until a
// completion is reported (up to the next tick).
#pragma once

#include "memory/time_base.h"

namespace systole {

class BandwidthPipe {
  public:
    BandwidthPipe(const TimeBase& time, BytesPerSecond bandwidth, Picoseconds latency);

    // Requests are served in the order of the calls; `now` must not go back. Returns when the last byte is there.
    Ticks submit(Ticks now, Bytes bytes);
    // When the pipe will have moved all it was given (without the latency).
    Ticks free_at() const;
    // Time spent moving bytes before `now`, rounded down.
    Ticks busy_before(Ticks now) const;

  private:
    __extension__ using Scaled = __int128; // ticks * bandwidth

    Scaled scale(Ticks time) const { return static_cast<Scaled>(time) * bandwidth_; }

    Ticks per_second_;
    BytesPerSecond bandwidth_;
    Ticks latency_;
    Scaled free_at_ = 0;
    Scaled served_ = 0; // all the time the requests so far take
};

} // namespace systole
