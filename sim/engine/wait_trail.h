// What the operands and results on their way wait for. Each transfer carries a trail: step by step, what it has waited
// for since the array set it off. A step that waits for several things goes on with the trail of the one that came
// last, so the time of a trail has no gap. docs/model.md, "Where the cycles go", has the rules.
#pragma once

#include <array>
#include <vector>

#include "memory/memory_config.h"
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

    // Of results that VMEM could have had since the cycle `out` and has now: they are written while they come out.
    static WaitTrail written_back(Cycles out, const Moment& now) {
        WaitTrail trail{out, now, {}};
        trail.spent.held = std::max<Cycles>(0, now.cycle - out);
        return trail;
    }

    // It has waited for `cause` until `now`; of hbm_bandwidth and control, see WaitAccount::add_memory_time().
    void wait(const Moment& now, Cause cause) {
        spent.add_memory_time(cause, now.at - until.at, now.busy - until.busy);
        until = now;
    }
    // VMEM has served the DMA's request until `now`, in order; `needed`: cycles that takes a VMEM that serves nobody
    // else; `before`: the trail of what it has served last. What took longer has waited for that.
    void leave_vmem(const Moment& now, Cycles needed, const WaitTrail& before);
    // The memory has answered a request whose trail until it was asked is `asked`; this one is that of the answer
    // before. If data have moved all the time since then, the request stood behind it and did not wait by itself.
    void answer(const Moment& now, const WaitTrail& asked);
    bool ends_at(const Moment& now) const { return until.at == now.at; }

  private:
    void hold_in_vmem(const Moment& now, Cycles needed);
};

// Of the requests of all read, or of all write, channels of a core's DMA; by chunk, of which each channel has
// `dma.outstanding`.
class DmaTrails {
  public:
    // kept: false if nobody will ask what was waited for; then of() is not to be called, and the others do nothing.
    DmaTrails(const DmaConfig& dma, bool kept);

    void begin(const Moment& now) { now_ = now; } // of a step, before anything else in a cycle
    const Moment& now() const { return now_; }
    bool kept() const { return kept_; }

    // A request is issued; `unit`: the trail of its unit until it could be moved. It has waited for whichever of room
    // in its channel, unit and slot came in this cycle (ties in this order, as among the causes).
    void request(int chunk, const WaitTrail& unit);
    void answer(int chunk);    // by the memory
    void make_room(int chunk); // it leaves its channel, which was full
    void begin_all();          // all that is on its way waits from now on
    WaitTrail& of(int chunk) { return requests_[static_cast<std::size_t>(chunk)]; }
    const WaitTrail& answered() const { return answered_; } // of the last answer

  private:
    struct Channel {
        WaitTrail freed;     // of the one that last made room
        WaitTrail requested; // of the last request, until then
    };

    Channel& channel(int chunk) { return channels_[static_cast<std::size_t>(chunk / outstanding_)]; }

    bool kept_;
    int outstanding_;
    Moment now_;
    std::vector<WaitTrail> requests_;
    std::vector<Channel> channels_;
    WaitTrail answered_;
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

    // A wait of `cycles`, from the cycle `from` of these ends on, for a VMEM buffer that results take; `last`: the
    // trail of those that gave it back. What they have waited for VMEM and HBM's bandwidth holds the wait up, and no
    // further buffer would help for long. The rest one would hide.
    PortStack wait_for_room(Cycles from, Cycles cycles, const WaitTrail& last) const;
};

} // namespace systole
