#include "sram.h"

#include <algorithm>
#include <cstring>

#include "sim/kernel/session.h"

using systole::kernel_ticks;
using systole::kernel_time;
using systole::Ticks;

// Times go through the TimeBase: the kernel's unit is a whole fraction of a core cycle, not always exactly 1 ps.
Sram::Sram(sc_core::sc_module_name name, const SramConfig& config, const systole::TimeBase& time, SramCounts& counts)
    : sc_module(name), socket("socket"), config_(config), cycle_(time.per_cycle()),
      latency_(time.from_picoseconds(config.latency)), storage_(config.capacity), counts_(counts) {
    socket.register_nb_transport_fw(this, &Sram::nb_transport_fw);
    socket.register_transport_dbg(this, &Sram::transport_dbg);
}

// The time of the answer is known when the request comes, so it is answered at once, with a delay. A model that does
// not know yet returns TLM_ACCEPTED, or TLM_UPDATED with END_REQ, and calls nb_transport_bw with BEGIN_RESP later.
tlm::tlm_sync_enum Sram::nb_transport_fw(int, tlm::tlm_generic_payload& request, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ)
        return tlm::TLM_COMPLETED;
    const Ticks arrival = kernel_ticks(sc_core::sc_time_stamp() + delay);
    Ticks taken = arrival;
    if (config_.one_request_a_cycle) {
        taken = std::max(arrival, free_at_);
        free_at_ = taken + cycle_;
        busy_ += cycle_;
    }
    if (access(request)) {
        ++(request.is_write() ? counts_.writes : counts_.reads);
        counts_.bytes += request.get_data_length();
    }
    delay += kernel_time(taken - arrival + latency_);
    return tlm::TLM_COMPLETED;
}

// From `now` to free_at_ the SRAM has no gap, so what lies behind `now` is cut off.
Ticks Sram::busy_before(Ticks now) const { return busy_ - std::max<Ticks>(0, free_at_ - now); }

bool Sram::access(tlm::tlm_generic_payload& request) {
    const auto address = request.get_address();
    const auto length = request.get_data_length();
    if (address > storage_.size() || length > storage_.size() - address) {
        request.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }
    if (request.is_write())
        std::memcpy(&storage_[address], request.get_data_ptr(), length);
    else
        std::memcpy(request.get_data_ptr(), &storage_[address], length);
    request.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

// For debuggers and tests: reads and writes the storage without taking time.
unsigned Sram::transport_dbg(int, tlm::tlm_generic_payload& request) {
    return access(request) ? request.get_data_length() : 0;
}
