// What moves the operands through the PEs, cycle by cycle: the interface of the structural and the flat engine. The
// tile engine has no grid: the sequencer's closed forms are its whole array.
#pragma once

#include "dataflow/schedule.h"
#include "memory/vmem_arbiter.h"

namespace systole {

// What the sequencer has decided for a pass. The grid must arrive at the same cycles by itself, or the run fails.
struct PassTiming {
    Cycles start = 0;       // first vector may enter
    Cycles stream_end = 0;  // last vector enters
    Cycles drain_start = 0; // OS: results begin to shift out, in the wave's time
    Cycles last_result = 0; // last result is out
};

class ArrayGrid {
  public:
    virtual ~ArrayGrid() = default;

    virtual void start_load(const Pass& pass, Cycles start) = 0;
    virtual void start_pass(const Pass& pass, const PassTiming& timing) = 0;
    // Feeders: puts on the edges what enters in cycle `now`. Called in every cycle in which active(now).
    virtual void drive(Cycles now, const VmemArbiter& vmem) = 0;
    // Sinks: takes what has left the array in cycle `now`, after the PEs have latched.
    virtual void collect(Cycles now) = 0;
    virtual bool active(Cycles now) const = 0;
    virtual bool idle() const = 0; // every result that was promised has come out
};

} // namespace systole
