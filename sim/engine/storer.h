// What takes results out of VMEM: the write channels of a core's DMA engines. The results of a pass are one unit; units
// are dealt to the engines in turn as they become final, and each takes its own in order, in requests of up to
// `dma.burst`, one every `dma.issue_interval` cycles, with at most `dma.outstanding` in flight. A VMEM tile of results
// is free again when all of it has been stored.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "memory/completion_queue.h"
#include "memory/memory_port.h"
#include "memory/vmem_arbiter.h"
#include "sim/engine/dma_channel.h"
#include "sim/engine/operand_map.h"
#include "sim/engine/tile_allocation.h"
#include "sim/engine/wait_trail.h"

namespace systole {

class CoreTimeline;
class HostLink;

class Storer {
  public:
    Storer(int buffers, const DmaConfig& dma, const TimeBase& time, const OperandMap& operands, MemoryPort& memory,
           const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host);

    void watch(CoreTimeline* timeline) { timeline_ = timeline; } // before the first step; null: nobody watches

    void begin(const Moment& now); // of a step, before anything else in a cycle

    // The results of `pass` are in VMEM; `trail`: what they have waited for.
    void store(const Pass& pass, const WaitTrail& trail);

    void read(int chunk, Cycles now); // VMEM has delivered a chunk
    void collect(Cycles now);
    void issue(Cycles now);
    Bytes bytes(int chunk) const { return chunks_[static_cast<std::size_t>(chunk)].request.bytes; }
    WaitTrail& trail(int chunk) { return chunks_[static_cast<std::size_t>(chunk)].trail; } // of one that is in flight
    void begin_trails();                                            // all that is on its way waits from now on
    const WaitTrail& stored_trail() const { return stored_trail_; } // of what has been stored last
    Cycles next_event() const { return std::min(completions_.next(), next_slot_); }

    bool may_open(std::int64_t out_sequence) const { return out_sequence < released_ + buffers_; }
    Cycles last_release() const { return last_release_; } // the cycle in which the last buffer became free
    const WaitTrail& release_trail() const { return release_trail_; }
    bool done() const { return waiting_ == 0 && in_flight_ == 0; }
    Bytes stored() const { return stored_; }
    std::int64_t requests() const { return requests_; }
    std::string waiting_for() const;

    void response(int chunk, Ticks done);

  private:
    struct Unit {
        std::int64_t sequence;
        BankId bank;
        DmaDescriptor requests; // those to come
        WaitTrail trail;        // until it was in VMEM
    };
    struct Engine {
        DmaChannel channel;
        std::deque<Unit> units;
        ChannelTrails trails;
    };
    struct TileState {
        Bytes left = 0;
        bool closed = false;
    };
    struct Chunk {
        std::int64_t sequence = 0;
        MemoryRequest request;
        Cycles from = 0; // when VMEM was asked for it
        WaitTrail trail;
    };

    bool issue_one(Engine& engine, Cycles now);
    void finish(int chunk, Cycles now);

    int buffers_;
    DmaConfig dma_;
    TimeBase time_;
    MatrixPlace out_;
    MemoryPort& memory_;
    const TileAllocation& allocation_;
    VmemArbiter& vmem_;
    HostLink* host_;
    CoreTimeline* timeline_ = nullptr;
    std::vector<Engine> engines_;
    std::size_t turn_ = 0;         // the engine that gets the next unit
    std::int64_t waiting_ = 0;     // units that are not all requested
    std::vector<TileState> tiles_; // [sequence mod buffers]
    std::vector<Chunk> chunks_;
    int in_flight_ = 0;
    int in_memory_ = 0;
    CompletionQueue completions_;
    Cycles next_slot_ = unlimited; // of the engines that wait for nothing else
    std::int64_t released_ = 0;
    Cycles last_release_ = 0;
    WaitTrail release_trail_;
    Bytes stored_ = 0;
    std::int64_t requests_ = 0;
    Moment now_;
    WaitTrail stored_trail_;
};

} // namespace systole
