// A DMA engine's way to the memory: turns requests into TLM-2.0 transactions on an initiator socket and their
// completions into responses. Takes both a target that annotates its delay (TLM_COMPLETED, or BEGIN_RESP at once) and
// one that answers later on the backward path.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "memory/memory_port.h"

namespace systole {

class MemoryPortModule : public sc_core::sc_module, public MemoryPort {
  public:
    tlm_utils::simple_initiator_socket<MemoryPortModule> socket;

    // ids: requests of this client carry ids below it. busy_before: what the memory reports, see MemoryPort.
    // woken: called when a response comes in by itself, outside the client's own step.
    MemoryPortModule(sc_core::sc_module_name name, int ids, std::function<Ticks(Ticks)> busy_before,
                     std::function<void(Ticks)> woken);

    void attach(MemoryClient* client) { client_ = client; }
    void request(Ticks now, const MemoryRequest& request) override;
    Ticks busy_before(Ticks now) const override { return busy_before_(now); }

  private:
    struct Tag : tlm::tlm_extension<Tag> {
        int id = 0;
        tlm::tlm_extension_base* clone() const override { return new Tag(*this); }
        void copy_from(const tlm::tlm_extension_base& other) override { id = static_cast<const Tag&>(other).id; }
    };

    struct Transaction {
        std::unique_ptr<tlm::tlm_generic_payload> payload;
        std::vector<unsigned char> data; // timing only: nobody looks at it, but a target may touch it
    };

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void send(Ticks now, const MemoryRequest& request);
    void end_request(const tlm::tlm_generic_payload& payload); // then the target can take the next
    void complete(tlm::tlm_generic_payload& payload, Ticks done);

    MemoryClient* client_ = nullptr;
    std::function<Ticks(Ticks)> busy_before_;
    std::function<void(Ticks)> woken_;
    std::vector<Transaction> transactions_;    // one for each id
    std::deque<MemoryRequest> waiting_;        // the target has not yet ended the request before (END_REQ)
    tlm::tlm_generic_payload* open_ = nullptr; // the request that the target has not ended
    bool in_request_ = false;
};

} // namespace systole
