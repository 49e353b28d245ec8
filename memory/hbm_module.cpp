#include "memory/hbm_module.h"

#include <algorithm>

#include "memory/dma_shape_module.h"
#include "sim/kernel/session.h"

namespace systole {

HbmModule::HbmModule(sc_core::sc_module_name name, const HbmConfig& config, const TimeBase& time)
    : sc_module(name), socket("socket"), device_(config, time) {
    socket.register_nb_transport_fw(this, &HbmModule::nb_transport_fw);
    socket.register_b_transport(this, &HbmModule::b_transport);
    SC_METHOD(advance);
    sensitive << wake_event_;
    dont_initialize();
}

MemoryRequest HbmModule::request_of(const tlm::tlm_generic_payload& payload) {
    MemoryRequest request{.write = payload.get_command() == tlm::TLM_WRITE_COMMAND,
                          .address = payload.get_address(),
                          .bytes = payload.get_data_length()};
    const DmaShape* shape = nullptr;
    payload.get_extension(shape);
    if (shape) {
        request.piece_bytes = shape->piece_bytes;
        request.pitch = shape->pitch;
    }
    return request;
}

int HbmModule::new_pending(const Pending& pending) {
    if (free_.empty()) {
        pending_.push_back(pending);
        return static_cast<int>(pending_.size()) - 1;
    }
    const int id = free_.back();
    free_.pop_back();
    pending_[id] = pending;
    return id;
}

void HbmModule::schedule() {
    const Ticks wake = device_.next_wake();
    if (wake == scheduled_ || wake == unlimited)
        return;
    scheduled_ = wake;
    wake_event_.notify(kernel_time(wake - kernel_ticks(sc_core::sc_time_stamp())));
}

void HbmModule::advance() {
    const Ticks now = kernel_ticks(sc_core::sc_time_stamp());
    scheduled_ = unlimited;
    const auto answers = device_.advance(now); // a copy: an answer may bring the next request at once
    for (const auto& answer : answers) {
        const Pending pending = pending_[answer.id];
        free_.push_back(answer.id);
        pending.payload->set_response_status(tlm::TLM_OK_RESPONSE);
        if (pending.blocked) {
            pending.blocked->notify(kernel_time(answer.done - now));
            continue;
        }
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = kernel_time(answer.done - now);
        socket[answer.client]->nb_transport_bw(*pending.payload, phase, delay);
    }
    schedule();
}

void HbmModule::b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    const Ticks now = kernel_ticks(sc_core::sc_time_stamp());
    auto request = request_of(payload);
    sc_core::sc_event answered;
    request.id = new_pending({&payload, &answered});
    if (const auto done = device_.submit(now, initiator, request)) {
        free_.push_back(request.id);
        delay = kernel_time(*done - now);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    schedule();
    wait(answered);
}

tlm::tlm_sync_enum HbmModule::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ)
        return tlm::TLM_COMPLETED; // END_RESP: nothing is held for it
    const Ticks arrival = kernel_ticks(sc_core::sc_time_stamp() + delay);
    auto request = request_of(payload);
    request.id = new_pending({&payload, nullptr});
    if (const auto done = device_.submit(arrival, initiator, request)) {
        free_.push_back(request.id);
        delay += kernel_time(*done - arrival);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        phase = tlm::BEGIN_RESP;
        return tlm::TLM_COMPLETED;
    }
    schedule();
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

} // namespace systole
