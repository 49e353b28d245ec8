#include "sim/engine/wait_trail.h"

#include <algorithm>

namespace systole {

void WaitTrail::hold_in_vmem(const Moment& now, Cycles needed) {
    const Cycles took = now.cycle - until.cycle;
    const Cycles held = std::max<Cycles>(0, took - needed);
    spent.held += held;
    if (took > held)
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

DmaTrails::DmaTrails(const DmaConfig& dma, bool kept) : kept_(kept), outstanding_(dma.outstanding) {
    if (!kept_)
        return;
    requests_.resize(dma.in_flight());
    channels_.resize(dma.engines);
}

void DmaTrails::request(int chunk, const WaitTrail& unit) {
    if (!kept_)
        return;
    auto& [freed, requested] = channel(chunk);
    if (freed.ends_at(now_)) {
        requested = freed;
    } else if (unit.ends_at(now_)) {
        requested = unit;
    } else {
        requested.wait(now_, Cause::control);
    }
    of(chunk) = requested;
}

void DmaTrails::answer(int chunk) {
    if (!kept_)
        return;
    answered_.answer(now_, of(chunk));
    of(chunk) = answered_;
}

void DmaTrails::make_room(int chunk) {
    if (kept_)
        channel(chunk).freed = of(chunk);
}

void DmaTrails::begin_all() {
    const auto now = WaitTrail::from(now_);
    std::fill(requests_.begin(), requests_.end(), now);
    std::fill(channels_.begin(), channels_.end(), Channel{now, now});
    answered_ = now;
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

PortStack TrailEnds::wait_for_room(Cycles from, Cycles cycles, const WaitTrail& last) const {
    const Cycles in_array = std::clamp<Cycles>(last.origin - from, 0, cycles);
    PortStack parts;
    parts.split(cycles - in_array, before(last), last.spent, Cause::vmem_capacity);
    PortStack waits;
    for (const Cause cause : {Cause::vmem, Cause::hbm_bandwidth}) {
        waits[cause] = parts[cause];
        cycles -= parts[cause];
    }
    waits[Cause::vmem_capacity] = cycles;
    return waits;
}

} // namespace systole
