// HBM behind a TLM-2.0 target socket. The timing of a request is known when it arrives, so BEGIN_REQ is answered with
// TLM_COMPLETED and the delay after which the data is there. Any module with such a socket can take its place.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "memory/bandwidth_pipe.h"
#include "memory/memory_config.h"

namespace systole {

class HbmModule : public sc_core::sc_module {
  public:
    tlm_utils::multi_passthrough_target_socket<HbmModule> socket;

    HbmModule(sc_core::sc_module_name name, const HbmConfig& config, const TimeBase& time);

    Ticks busy_before(Ticks now) const { return pipe_.busy_before(now); }

  private:
    tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    BandwidthPipe pipe_;
};

} // namespace systole
