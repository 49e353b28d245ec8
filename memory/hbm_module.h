// HBM behind a TLM-2.0 target socket. An ideal memory knows its answer when it is asked (TLM_COMPLETED with a delay);
// stacks of DRAM end the request at once and answer on the backward path, always ahead of the time the data is there.
// Any module with such a socket can take its place.
#pragma once

#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "memory/hbm_device.h"

namespace systole {

class HbmModule : public sc_core::sc_module {
  public:
    tlm_utils::multi_passthrough_target_socket<HbmModule> socket;

    HbmModule(sc_core::sc_module_name name, const HbmConfig& config, const TimeBase& time);

    SC_HAS_PROCESS(HbmModule);

    HbmDevice& device() { return device_; }

  private:
    tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    struct Pending {
        tlm::tlm_generic_payload* payload = nullptr;
        sc_core::sc_event* blocked = nullptr; // of a b_transport that waits
    };

    static MemoryRequest request_of(const tlm::tlm_generic_payload& payload);
    int new_pending(const Pending& pending);
    void schedule();
    void advance();

    HbmDevice device_;
    sc_core::sc_event wake_event_;
    Ticks scheduled_ = unlimited;
    std::vector<Pending> pending_; // by the id that the device knows
    std::vector<int> free_;
};

} // namespace systole
