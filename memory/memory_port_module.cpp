#include "memory/memory_port_module.h"

#include "memory/dma_shape_module.h"
#include "sim/base/error.h"
#include "sim/kernel/session.h"

namespace systole {

MemoryPortModule::MemoryPortModule(sc_core::sc_module_name name, int ids, std::function<Ticks(Ticks)> busy_before,
                                   std::function<void(Ticks)> woken)
    : sc_module(name), socket("socket"), busy_before_(std::move(busy_before)), woken_(std::move(woken)) {
    socket.register_nb_transport_bw(this, &MemoryPortModule::nb_transport_bw);
    for (int id = 0; id < ids; ++id) {
        auto payload = std::make_unique<tlm::tlm_generic_payload>();
        auto* tag = new Tag; // owned by the payload
        tag->id = id;
        payload->set_extension(tag);
        payload->set_extension(new DmaShape);
        transactions_.push_back({std::move(payload), {}});
    }
}

void MemoryPortModule::request(Ticks now, const MemoryRequest& request) {
    if (open_) {
        waiting_.push_back(request);
    } else {
        send(now, request);
    }
}

void MemoryPortModule::send(Ticks now, const MemoryRequest& request) {
    auto& [payload, data] = transactions_[request.id];
    if (static_cast<Bytes>(data.size()) < request.bytes)
        data.resize(request.bytes);
    payload->set_command(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload->set_address(request.address);
    payload->set_data_ptr(data.data());
    payload->set_data_length(static_cast<unsigned>(request.bytes));
    payload->set_streaming_width(static_cast<unsigned>(request.bytes));
    payload->set_byte_enable_ptr(nullptr);
    auto* shape = payload->get_extension<DmaShape>();
    shape->piece_bytes = request.piece_bytes;
    shape->pitch = request.pitch;
    payload->set_dmi_allowed(false);
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    in_request_ = true;
    open_ = payload.get();
    const auto status = socket->nb_transport_fw(*payload, phase, delay);
    in_request_ = false;
    if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
        open_ = nullptr;
        complete(*payload, now + kernel_ticks(delay));
        if (status == tlm::TLM_COMPLETED)
            return;
        phase = tlm::END_RESP;
        socket->nb_transport_fw(*payload, phase, delay);
    } else if (status == tlm::TLM_UPDATED) { // END_REQ
        open_ = nullptr;
    }
}

void MemoryPortModule::end_request(const tlm::tlm_generic_payload& payload) {
    if (open_ != &payload)
        return;
    open_ = nullptr;
    while (!in_request_ && !open_ && !waiting_.empty()) {
        const MemoryRequest next = waiting_.front();
        waiting_.pop_front();
        send(kernel_ticks(sc_core::sc_time_stamp()), next);
    }
}

tlm::tlm_sync_enum MemoryPortModule::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) { // END_REQ
        end_request(payload);
        return tlm::TLM_ACCEPTED;
    }
    // An answer out of the blue is seen strictly later, so that the order of the processes at one time cannot matter.
    const bool ahead = in_request_ || delay != sc_core::SC_ZERO_TIME;
    const Ticks done = kernel_ticks(sc_core::sc_time_stamp() + delay) + (ahead ? 0 : 1);
    complete(payload, done);
    if (!in_request_)
        woken_(done);
    end_request(payload); // a response ends its request, too
    return tlm::TLM_COMPLETED;
}

void MemoryPortModule::complete(tlm::tlm_generic_payload& payload, Ticks done) {
    if (payload.is_response_error()) {
        throw InternalError("the memory answered a request with " + payload.get_response_string());
    }
    Tag* tag = nullptr;
    payload.get_extension(tag);
    client_->response(tag->id, done);
}

} // namespace systole
