// What the operands and results on their way wait for. Each transfer carries a trail: step by step, what it has waited
// for since the array set it off. A step that waits for several things goes on with the trail of the one that came
// last, so the time of a trail has no gap. docs/model.md, "Where the cycles go", has the rules.
#pragma once

#include <array>

#include "sim/engine/wait_account.h"

namespace systole {

struct Moment {
    Cycles cycle = 0;
    Ticks at = 0;
    Ticks busy = 0; // for how long the memory has moved data until then, anybody's
};

struct WaitTrail {
    Cycles origin = 0; // when the array set it off, by giving back a buffer or by a result; 0: the run's beginning
    Moment until;
    WaitAccount spent; // between the two

    static WaitTrail from(const Moment& now) { return {now.cycle, now, {}}; }

    // It has waited for `cause` until `now`; of hbm_bandwidth and control, see WaitAccount::add_memory_time().
    void wait(const Moment& now, Cause cause) {
        spent.add_memory_time(cause, now.at - until.at, now.busy - until.busy);
        until = now;
    }
    // VMEM has served it until `now`; `needed`: cycles that takes a VMEM that serves nobody else.
    void hold_in_vmem(const Moment& now, Cycles needed);
    // The same of the DMA, which VMEM serves in order; `before`: the trail of what it has served last. What took longer
    // than it needs has waited for that.
    void leave_vmem(const Moment& now, Cycles needed, const WaitTrail& before);
    // The memory has answered a request whose trail until it was asked is `asked`; this one is that of the answer
    // before. If data have moved all the time since then, the request stood behind it and did not wait by itself.
    void answer(const Moment& now, const WaitTrail& asked);
    bool ends_at(const Moment& now) const { return until.at == now.at; }
};

// Of the requests of one DMA channel.
struct ChannelTrails {
    WaitTrail freed;     // of the one that last made room in the full channel
    WaitTrail requested; // of the last request, until then

    // A request is issued; `unit`: the trail of its unit until it could be moved. It has waited for whichever of room,
    // unit and slot came in this cycle (ties in this order, as among the causes).
    const WaitTrail& request(const Moment& now, const WaitTrail& unit);
};

// The ends of a core's trails at a time, of what came through each part last. Of those that the array set off together
// the longest wait for each cause: the parts are a pipeline, so what varies from one to the next is no new wait.
struct TrailEnds {
    WaitTrail fetched; // operands that arrived in VMEM
    WaitTrail stored;  // results that the memory has accepted

    static void pass(WaitTrail& end, const WaitTrail& trail);

    // What had been spent at that time by those that `trail` follows: it is behind them in the pipeline and has waited
    // for the same before. Nothing if the array has set `trail` off since.
    WaitAccount before(const WaitTrail& trail) const;
};

} // namespace systole
