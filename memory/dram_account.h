// Books every clock of a pseudo-channel's data bus under one cause. Both ways to advance a pseudo-channel use it: it
// looks at what has happened and decides nothing.
#pragma once

#include <algorithm>

#include "memory/dram_port.h"

namespace systole {

class DramAccount {
  public:
    explicit DramAccount(Clocks burst) : burst_(burst) {}

    // The queues hold something again, from this clock on.
    void busy_from(Clocks at) { busy_from_ = at; }

    // The end of the last burst, and all that is booked until then; `settled`: nothing before counts for what is to
    // come.
    Clocks free() const { return free_; }
    const DramTime& booked() const { return time_; }
    bool settled() const { return busy_from_ <= free_; }
    // The same once more as in `time`, up to a last burst that ends at `free`.
    void repeat(const DramTime& time, Clocks free) {
        time_ += time;
        free_ = free;
    }

    // Whether the bus was empty before a column command at `at`.
    bool has_gap(Clocks at) const { return at > free_; }

    // A column command at `at`, the first since the last call. The gap before it (in clocks of the command, as if data
    // came at once) belongs to: nothing to do, then the refresh of its bank, then the bus that turns, then the row.
    // refresh: the bank's last one; turned: when the bus may carry this direction, long ago if it carried it before.
    void column(Clocks at, Clocks refresh_from, Clocks refresh_to, Clocks turned) {
        Clocks from = std::min(free_, at);
        const Clocks idle = std::clamp(busy_from_, from, at);
        time_.idle += idle - from;
        from = idle;
        const Clocks refresh = std::max<Clocks>(0, std::min(at, refresh_to) - std::max(from, refresh_from));
        time_.refresh += refresh;
        const Clocks rest = at - from - refresh;
        const Clocks turning = std::clamp<Clocks>(turned - from - refresh, 0, rest);
        time_.turnaround += turning;
        time_.row += rest - turning;
        add_data(at, 1, 0);
    }

    // `count` more bursts behind the last one, each `gap` clocks after the data of the one before.
    void add_data(Clocks last_command, Clocks count, Clocks gap) {
        time_.data += count * burst_;
        time_.row += count * gap;
        free_ = last_command + burst_;
    }

    // With all that is left until then as idle.
    DramTime time(Clocks until) const {
        DramTime time = time_;
        time.idle += until - time_.total();
        return time;
    }

  private:
    Clocks burst_;
    DramTime time_;
    Clocks free_ = 0; // end of the last burst
    Clocks busy_from_ = 0;
};

} // namespace systole
