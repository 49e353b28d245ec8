#include "memory/bandwidth_pipe.h"

#include <algorithm>

namespace systole {

BandwidthPipe::BandwidthPipe(const TimeBase& time, BytesPerSecond bandwidth, Picoseconds latency)
    : per_second_(time.per_second()), bandwidth_(bandwidth), latency_(time.from_picoseconds(latency)) {}

Ticks BandwidthPipe::submit(Ticks now, Bytes bytes) {
    if (bandwidth_ == unlimited)
        return now + latency_;
    const Scaled service = static_cast<Scaled>(bytes) * per_second_;
    free_at_ = std::max(free_at_, scale(now)) + service;
    served_ += service;
    return free_at() + latency_;
}

Ticks BandwidthPipe::free_at() const {
    if (bandwidth_ == unlimited)
        return 0;
    return static_cast<Ticks>((free_at_ + bandwidth_ - 1) / bandwidth_);
}

Ticks BandwidthPipe::busy_before(Ticks now) const {
    if (bandwidth_ == unlimited)
        return 0;
    // From now to free_at the pipe has no gap: later requests only append.
    const Scaled ahead = std::max<Scaled>(0, free_at_ - scale(now));
    return static_cast<Ticks>((served_ - ahead) / bandwidth_);
}

} // namespace systole
