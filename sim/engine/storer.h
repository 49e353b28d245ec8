// The DMA engine that takes results out of VMEM: unit by unit as they are final, in requests of `dma.burst` with at
// most `dma.outstanding` in flight. A VMEM tile of results is free again when all of it has been stored.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "memory/completion_queue.h"
#include "memory/memory_port.h"
#include "memory/vmem_arbiter.h"
#include "sim/engine/operand_map.h"
#include "sim/engine/wait_account.h"

namespace systole {

class HostLink;

class Storer {
  public:
    Storer(int buffers, const DmaConfig& dma, const TimeBase& time, const OperandMap& operands, MemoryPort& memory,
           VmemArbiter& vmem, HostLink* host);

    // The results of `pass` are in VMEM.
    void store(const Pass& pass);

    void read(int chunk, Cycles now); // VMEM has delivered a chunk
    void collect(Cycles now);
    void issue();
    // Books the time since the last call under what the results were waiting for; settle() ends a step.
    void account(Cycles now);
    void settle();
    const WaitAccount& account() const { return account_; }
    Cycles next_event() const { return completions_.next(); }

    bool may_open(std::int64_t out_sequence) const { return out_sequence < released_ + buffers_; }
    Cycles last_release() const { return last_release_; } // the cycle in which the last buffer became free
    bool done() const { return units_.empty() && in_flight_ == 0; }
    Bytes stored() const { return stored_; }
    std::int64_t requests() const { return requests_; }
    std::string waiting_for() const;

    void response(int chunk, Ticks done);

  private:
    struct Unit {
        std::int64_t sequence;
        std::uint64_t address;
        Bytes bytes;
        Bytes requested;
    };
    struct TileState {
        Bytes left = 0;
        bool closed = false;
    };
    struct Chunk {
        std::int64_t sequence;
        std::uint64_t address;
        Bytes bytes;
    };

    void finish(int chunk, Cycles now);

    int buffers_;
    DmaConfig dma_;
    TimeBase time_;
    MatrixPlace out_;
    MemoryPort& memory_;
    VmemArbiter& vmem_;
    HostLink* host_;
    std::deque<Unit> units_;
    std::vector<TileState> tiles_; // [sequence mod buffers]
    std::vector<Chunk> chunks_;
    std::vector<int> free_chunks_;
    int in_flight_ = 0;
    int in_memory_ = 0;
    CompletionQueue completions_;
    std::int64_t released_ = 0;
    Cycles last_release_ = 0;
    Bytes stored_ = 0;
    std::int64_t requests_ = 0;
    Cause state_ = Cause::useful;
    WaitAccount account_;
    Ticks accounted_ = 0;
    Ticks busy_ = 0; // of the memory, at accounted_
};

} // namespace systole
