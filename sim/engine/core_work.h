// What a core does with what its DMA engines bring: passes of its arrays (Sequencer) or blocks of its vector unit
// (VectorSequencer). It moves from event to event, and books every cycle of the arrays' issue port under its cause.
#pragma once

#include <string>

#include "memory/vmem_arbiter.h"
#include "sim/engine/wait_trail.h"

namespace systole {

class CoreWork {
  public:
    virtual ~CoreWork() = default;

    virtual void take_finished(VmemArbiter& vmem, const Moment& now) = 0; // what VMEM has moved for it
    virtual void step(const Moment& now) = 0; // after that; starts what can start in this cycle
    virtual Cycles next_event() const = 0;    // beyond what the arbiter and the DMA engines announce themselves
    virtual std::string waiting_for() const = 0;

    virtual bool done() const = 0;              // all results are in VMEM; from here on:
    virtual Cycles stream_done() const = 0;     // the cycle behind the last that is booked
    virtual Cycles results_in_vmem() const = 0; // the cycle behind the last in which one came there
    virtual void book_results() = 0;            // books what lies between these two
    virtual PortStack& waits() = 0;
};

} // namespace systole
