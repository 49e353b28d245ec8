#include "memory/time_base.h"

namespace systole {

namespace {
constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;
constexpr std::int64_t phases = 4;
__extension__ using Wide = __int128;
} // namespace

TimeBase::TimeBase(Hertz clock)
    : per_cycle_(phases * ceil_div(picoseconds_per_second, phases * clock)), per_second_(per_cycle_ * clock) {}

Ticks TimeBase::from_picoseconds(Picoseconds duration) const {
    const Wide scaled = static_cast<Wide>(duration) * per_second_;
    return static_cast<Ticks>((scaled + picoseconds_per_second - 1) / picoseconds_per_second);
}

Cycles TimeBase::max_cycles() const { return unlimited / per_cycle_ / 2; }

} // namespace systole
