#include "memory/hbm_module.h"

#include "sim/kernel/session.h"

namespace systole {

HbmModule::HbmModule(sc_core::sc_module_name name, const HbmConfig& config, const TimeBase& time)
    : sc_module(name), socket("socket"), pipe_(time, config.bandwidth, config.latency) {
    socket.register_nb_transport_fw(this, &HbmModule::nb_transport_fw);
    socket.register_b_transport(this, &HbmModule::b_transport);
}

void HbmModule::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const Ticks arrival = kernel_ticks(sc_core::sc_time_stamp() + delay);
    delay += kernel_time(pipe_.submit(arrival, payload.get_data_length()) - arrival);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

tlm::tlm_sync_enum HbmModule::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ)
        return tlm::TLM_COMPLETED; // END_RESP: nothing is held for it
    b_transport(initiator, payload, delay);
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_COMPLETED;
}

} // namespace systole
