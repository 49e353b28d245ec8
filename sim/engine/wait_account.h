// Where the time of the operand path goes, as running sums: the difference of two snapshots splits a wait by cause.
#pragma once

#include <algorithm>
#include <array>

#include "memory/time_base.h"
#include "sim/stats/cycle_stack.h"

namespace systole {

inline constexpr std::array account_causes{Cause::vmem,        Cause::vmem_capacity, Cause::hbm_bandwidth,
                                           Cause::hbm_latency, Cause::pcie,          Cause::control};

struct WaitAccount {
    std::array<Ticks, account_causes.size()> ticks{};
    Cycles held = 0; // by VMEM, beyond what it takes a VMEM that serves nobody else; not in `ticks`

    // hbm_bandwidth, control (the next request waits for its slot): while the memory was moving data that is what was
    // waited for; of the rest, the former is latency. The memory tells of data when they are there, those of several
    // buses at once: for what came just now `moving` may exceed the duration, which evens out (split() takes what is
    // over a wait as nothing). A plain sum, so that it does not matter in how many steps the time is booked.
    void add_memory_time(Cause cause, Ticks duration, Ticks moving) {
        if (cause != Cause::hbm_bandwidth && cause != Cause::control) {
            add(cause, duration);
            return;
        }
        add(Cause::hbm_bandwidth, moving);
        add(cause == Cause::control ? Cause::control : Cause::hbm_latency, duration - moving);
    }

    // Of each cause the longer of both.
    void raise_to(const WaitAccount& other) {
        held = std::max(held, other.held);
        for (std::size_t i = 0; i < ticks.size(); ++i)
            ticks[i] = std::max(ticks[i], other.ticks[i]);
    }

    void add(Cause cause, Ticks duration) {
        for (std::size_t i = 0; i < ticks.size(); ++i)
            ticks[i] += account_causes[i] == cause ? duration : 0;
    }
};

// Cycles of the core's issue port by cause; one core.
class PortStack {
  public:
    Cycles& operator[](Cause cause) { return cycles_[static_cast<std::size_t>(cause)]; }
    Cycles operator[](Cause cause) const { return cycles_[static_cast<std::size_t>(cause)]; }

    // Deals `cycles`: what VMEM held up between the snapshots first, as it stands first among the causes and whoever
    // was held is late by that wherever it waits next; the others in proportion to what passed. Sums exactly. If
    // nothing passed, all go to `otherwise`.
    void split(Cycles cycles, const WaitAccount& before, const WaitAccount& after, Cause otherwise);

    PortStack& operator+=(const PortStack& other);

  private:
    std::array<Cycles, all_causes.size()> cycles_{};
};

} // namespace systole
