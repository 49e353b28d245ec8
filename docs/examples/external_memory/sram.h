// An SRAM in the place of the HBM: it stores what is written, answers after a constant latency, and takes either any
// number of requests at a time (ideal) or one in each cycle.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "sim/engine/external_memory.h"

struct SramConfig {
    systole::Picoseconds latency = 0;
    bool one_request_a_cycle = false;
    std::uint64_t capacity = 1 << 20; // bytes
};

// What the memory has seen; the SRAM itself is gone when the run is over.
struct SramCounts {
    std::int64_t reads = 0;
    std::int64_t writes = 0;
    std::int64_t bytes = 0;
};

class Sram : public sc_core::sc_module, public systole::ExternalMemory {
  public:
    Sram(sc_core::sc_module_name name, const SramConfig& config, const systole::TimeBase& time, SramCounts& counts);

    void bind(tlm::tlm_initiator_socket<>& dma) override { dma.bind(socket); }
    systole::Ticks busy_before(systole::Ticks now) const override;

    tlm_utils::multi_passthrough_target_socket<Sram> socket; // takes as many DMA engines as there are

  private:
    tlm::tlm_sync_enum nb_transport_fw(int dma, tlm::tlm_generic_payload& request, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned transport_dbg(int dma, tlm::tlm_generic_payload& request);
    bool access(tlm::tlm_generic_payload& request);

    SramConfig config_;
    systole::Ticks cycle_;
    systole::Ticks latency_;
    systole::Ticks free_at_ = 0; // when the next request can be taken
    systole::Ticks busy_ = 0;    // all the time that requests so far take
    std::vector<unsigned char> storage_;
    SramCounts& counts_;
};
