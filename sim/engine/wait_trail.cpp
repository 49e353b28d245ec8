#include "sim/engine/wait_trail.h"

#include <algorithm>

namespace systole {

void WaitTrail::hold_in_vmem(const Moment& now, Cycles needed) {
    const Cycles took = now.cycle - until.cycle;
    const Cycles held = std::max<Cycles>(0, took - needed);
    spent.held += held;
    if (took > 0)
        spent.add(Cause::vmem, (now.at - until.at) / took * (took - held));
    until = now;
}

void WaitTrail::leave_vmem(const Moment& now, Cycles needed, const WaitTrail& before) {
    if (now.cycle - until.cycle > needed && before.until.at > until.at)
        *this = before;
    hold_in_vmem(now, needed);
}

void WaitTrail::answer(const Moment& now, const WaitTrail& asked) {
    const bool behind = until.at > asked.until.at && now.busy - until.busy + 1 >= now.at - until.at; // 1: rounding
    if (!behind)
        *this = asked;
    wait(now, Cause::hbm_bandwidth);
}

const WaitTrail& ChannelTrails::request(const Moment& now, const WaitTrail& unit) {
    if (freed.ends_at(now)) {
        requested = freed;
    } else if (unit.ends_at(now)) {
        requested = unit;
    } else {
        requested.wait(now, Cause::control);
    }
    return requested;
}

WaitAccount TrailEnds::before(const WaitTrail& trail) const {
    WaitAccount found;
    for (const auto* end : {&fetched, &stored}) {
        if (end->origin == trail.origin)
            found.raise_to(end->spent);
    }
    return found;
}

void TrailEnds::pass(WaitTrail& end, const WaitTrail& trail) {
    if (end.origin != trail.origin) {
        end = trail;
        return;
    }
    end.until = trail.until;
    end.spent.raise_to(trail.spent);
}

} // namespace systole
