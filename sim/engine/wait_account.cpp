#include "sim/engine/wait_account.h"

namespace systole {

namespace {
__extension__ using Wide = __int128; // ticks * cycles
}

void PortStack::split(Cycles cycles, const WaitAccount& before, const WaitAccount& after, Cause otherwise) {
    const Cycles held = std::clamp<Cycles>(after.held - before.held, 0, cycles);
    (*this)[Cause::vmem] += held;
    cycles -= held;
    const auto passed_in = [&](std::size_t i) { return std::max<Ticks>(0, after.ticks[i] - before.ticks[i]); };
    Wide total = 0;
    for (std::size_t i = 0; i < after.ticks.size(); ++i)
        total += passed_in(i);
    if (total == 0) {
        (*this)[otherwise] += cycles;
        return;
    }
    // Floors of the running sum: every cycle lands exactly once.
    Wide passed = 0;
    Cycles dealt = 0;
    for (std::size_t i = 0; i < after.ticks.size(); ++i) {
        passed += passed_in(i);
        const auto upto = static_cast<Cycles>(passed * cycles / total);
        (*this)[account_causes[i]] += upto - dealt;
        dealt = upto;
    }
}

PortStack& PortStack::operator+=(const PortStack& other) {
    for (std::size_t i = 0; i < cycles_.size(); ++i)
        cycles_[i] += other.cycles_[i];
    return *this;
}

} // namespace systole
