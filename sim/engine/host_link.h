// The way between host memory and HBM over PCIe, for runs whose data starts and ends in host memory. Operands come down
// in the order in which the cores will use them, each once, whichever core asks first: the chip's DMA reads them.
// Results go up as they are stored, as posted DMA writes. The chip has one engine for this, beside those of the cores.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "memory/completion_queue.h"
#include "memory/memory_config.h"
#include "memory/memory_port.h"
#include "memory/pcie_link.h"
#include "sim/base/timeline.h"
#include "sim/engine/dma_channel.h"
#include "sim/engine/unit_source.h"
#include "sim/engine/wait_account.h"

namespace systole {

class HostLink : public MemoryClient {
  public:
    HostLink(const PcieConfig& pcie, const DmaConfig& dma, const TimeBase& time, MemoryPort& memory);

    void add_core(std::unique_ptr<UnitSource> units); // that one core will fetch

    void watch(Timeline* timeline); // before the first step; null: nobody watches

    void step(Cycles now);
    Cycles next_event() const;

    bool staged(const UnitKey& unit) const;
    // What the operands on their way from the host, and the results on their way to it, were waiting for, up to the
    // last step. The way down waits for nobody else, so its time runs on from the beginning.
    const WaitAccount& account_down() const { return down_account_; }
    const WaitAccount& account_up() const { return up_account_; }

    void send_up(const MemoryRequest& stored);

    bool done() const { return down_done_ && in_flight_down_ == 0 && up_.empty() && in_flight_up_ == 0; }
    Bytes sent_down(std::uint64_t base) const; // of the matrix, or the indices of one, at `base`
    Bytes sent_up() const { return sent_up_; }
    std::int64_t requests() const { return requests_; }
    // What crossed the link in the first `cycles`, which hold the whole run; times in cycles.
    PcieUse use(Cycles cycles) const { return link_.use(time_.at(cycles), time_.per_cycle()); }
    std::string waiting_for() const;

    void response(int id, Ticks done) override;

  private:
    // What a chunk is waiting for. Down: link, then HBM write; up: HBM read, then link.
    enum class Stage { down_link, down_memory, up_memory, up_link };
    struct Unit {
        std::uint64_t base = 0;
        std::uint64_t index_base = 0;
        Bytes left = 0; // not yet in HBM, indices included
        const char* name = "";
    };
    struct Chunk {
        Stage stage = Stage::down_link;
        std::size_t unit = 0;
        MemoryRequest request; // of HBM
        bool indices = false;  // of the unit's sparse operand
        Cycles from = 0;       // when it was given to the link
    };

    bool next_unit();
    bool next_unit_of(UnitSource& source);
    bool may_issue(const DmaChannel& channel, Cycles now);
    void issue_down(Cycles now);
    void issue_up(Cycles now);
    void poll_link(Cycles now);
    void progress(int id, Cycles now);
    void complete(int id);
    void account(Cycles now);
    void settle();

    DmaConfig dma_;
    TimeBase time_;
    PcieLink link_;
    TimelineTrack to_device_, to_host_;
    MemoryPort& memory_;
    std::vector<std::unique_ptr<UnitSource>> sources_;
    std::size_t turn_ = 0;
    std::vector<Unit> units_;
    std::map<UnitKey, std::size_t> by_key_;
    std::map<std::uint64_t, Bytes> down_bytes_;
    OperandTransfer to_ask_; // of units_.back(), and behind it
    DmaDescriptor indices_to_ask_;
    bool down_done_ = false;
    std::deque<MemoryRequest> up_; // stored results not yet read back
    std::vector<Chunk> chunks_;
    DmaChannel down_, up_channel_;
    Cycles next_slot_ = unlimited; // of the channels that wait for nothing else
    int in_flight_down_ = 0, in_flight_up_ = 0;
    int on_link_down_ = 0, on_link_up_ = 0; // of them; the others are at HBM
    CompletionQueue completions_;
    Bytes sent_up_ = 0;
    std::int64_t requests_ = 0;
    Cause down_state_ = Cause::useful, up_state_ = Cause::useful; // `useful`: nothing waits
    WaitAccount down_account_, up_account_;
    Ticks accounted_ = 0;
    Ticks busy_ = 0; // of the memory, at accounted_
};

} // namespace systole
