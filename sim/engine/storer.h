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

// What becomes final at once and lies in one bank.
struct StoreUnit {
    std::int64_t sequence = 0; // of the VMEM tile it lies in
    Bytes bytes = 0;
    bool closes_tile = false; // nothing of the tile follows
    bool to_host = false;     // by way of HBM
    BankId bank = 0;
    DmaDescriptor requests;
    WaitTrail trail; // until it was in VMEM
};

class Storer {
  public:
    // operands, host: of results of passes (store(pass)); host null: these stay in HBM. causes: somebody asks for
    // trails.
    Storer(int buffers, const DmaConfig& dma, const TimeBase& time, const OperandMap& operands, MemoryPort& memory,
           const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host, bool causes);

    void watch(CoreTimeline* timeline) { timeline_ = timeline; } // before the first step; null: nobody watches

    void store(const StoreUnit& unit);                    // it is in VMEM
    void store(const Pass& pass, const WaitTrail& trail); // its results are

    void read(int chunk, Cycles now); // VMEM has delivered a chunk
    void collect(Cycles now);
    void issue(Cycles now);
    Bytes bytes(int chunk) const { return chunks_[static_cast<std::size_t>(chunk)].request.bytes; }
    DmaTrails& trails() { return trails_; }
    const DmaTrails& trails() const { return trails_; }
    void begin_trails(); // all that is on its way waits from now on
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
    struct Engine {
        DmaChannel channel;
        std::deque<StoreUnit> units; // their requests: those to come
    };
    struct TileState {
        Bytes left = 0;
        bool closed = false;
    };
    struct Chunk {
        std::int64_t sequence = 0;
        bool to_host = false;
        MemoryRequest request;
        Cycles from = 0; // when VMEM was asked for it
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
    DmaTrails trails_;
};

} // namespace systole
