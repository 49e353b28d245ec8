// The kernel's time unit. A tick is an exact fraction of a core cycle, so cycles are never derived by rounding a time.
#pragma once

#include "sim/base/quantities.h"

namespace systole {

using Ticks = std::int64_t;

class TimeBase {
  public:
    // Ticks are as near to 1 ps as a whole number of them (a multiple of 4: the phases of a cycle) allows.
    explicit TimeBase(Hertz clock);

    Ticks per_cycle() const { return per_cycle_; }
    Ticks per_second() const { return per_second_; }
    Ticks at(Cycles cycle) const { return cycle * per_cycle_; }
    // The first cycle that begins at or after `time`: when a core can see what happened in another clock domain.
    Cycles cycle_at_or_after(Ticks time) const { return ceil_div(time, per_cycle_); }
    Ticks from_picoseconds(Picoseconds duration) const; // rounded up
    Cycles max_cycles() const;                          // beyond it ticks would leave 64 bits

  private:
    Ticks per_cycle_;
    Ticks per_second_;
};

} // namespace systole
