// A SystemC memory model in the place of the HBM: what RunOptions::external_memory makes (docs/extending.md shows a
// complete one). The DMA engines speak the TLM-2.0 base protocol to it, non-blocking, on 32-bit sockets.
#pragma once

#include <tlm>

#include "memory/time_base.h"

namespace systole {

// Made once for each operator that is run, while the kernel elaborates, so it may be an sc_module or own some; gone
// before the next operator's is made.
class ExternalMemory {
  public:
    virtual ~ExternalMemory() = default;

    // Called while the kernel elaborates, once for each DMA engine: of the host link if data starts there, then of each
    // core that has work. They all see the same addresses: A, B and C one behind the other, from 0. Requests
    // are of dma.burst bytes at most and need not be aligned; many may be in flight; they may be answered at once
    // with a delay or later on the backward path, in any order. Data buffers hold nothing that means anything.
    virtual void bind(tlm::tlm_initiator_socket<>& dma) = 0;

    // Time the memory has spent moving data before `now`, which never goes back: a wait is `hbm_bandwidth` as far as
    // this grows during it, else `hbm_latency` (docs/model.md). A memory that does not know says 0.
    virtual Ticks busy_before(Ticks /*now*/) const { return 0; }
};

} // namespace systole
