// What brings operands into VMEM: the read channels of a core's DMA engines. Units in the order of their first use, as
// far ahead as the buffers of VMEM allow, are dealt to the engines in turn; each takes its own in order, in requests of
// up to `dma.burst`, one every `dma.issue_interval` cycles, with at most `dma.outstanding` in flight.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "dataflow/schedule.h"
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

struct Arrival {
    Cycles cycle = -1; // the first in which the unit can be read; -1: not there yet
    Bytes missing = 0; // requested and not there yet
    WaitTrail trail;   // of what came last
};

class Fetcher {
  public:
    Fetcher(const Mapping& mapping, const CoreLimits& limits, const DmaConfig& dma, const TimeBase& time,
            const OperandMap& operands, MemoryPort& memory, const TileAllocation& allocation, VmemArbiter& vmem,
            HostLink* host);

    void watch(CoreTimeline* timeline) { timeline_ = timeline; } // before the first step; null: nobody watches

    void begin(const Moment& now);       // of a step, before anything else in a cycle
    void collect(Cycles now);            // responses that are visible at `now` go on into VMEM
    void written(int chunk, Cycles now); // VMEM has taken a chunk; usable from `now` on
    void issue(Cycles now);              // new requests
    Bytes bytes(int chunk) const { return chunks_[static_cast<std::size_t>(chunk)].bytes; }
    WaitTrail& trail(int chunk) { return chunks_[static_cast<std::size_t>(chunk)].trail; } // of one that is in flight
    Cycles next_event() const { return std::min(completions_.next(), next_slot_); } // the next response or request

    // Operand 0 = x, 1 = y.
    const Arrival& arrival(int operand, const UnitRef& unit) const;
    void release(int operand, const UnitRef& unit) { released_[operand] = unit.sequence + 1; }

    Bytes fetched(int operand) const { return fetched_[operand]; } // values
    Bytes indices_fetched() const { return indices_fetched_; }
    std::int64_t requests() const { return requests_; }
    std::string waiting_for() const;

    void response(int chunk, Ticks done);

  private:
    enum class Block { none, capacity, host };
    struct Slot {
        std::int64_t sequence = -1;
        std::vector<Arrival> arrivals;
    };
    struct Chunk {
        int operand = 0;
        std::int64_t sequence = 0;
        std::int64_t unit = 0;
        Bytes bytes = 0;
        bool indices = false;
        std::uint64_t address = 0;
        Cycles from = 0; // when it was requested
        WaitTrail trail;
    };
    struct Pending { // the next unit that will be dealt
        int operand = 0;
        UnitRef unit;
        bool active = false;
        bool staged = false;         // it has come from the host; it stays
        Block held_by = Block::none; // last
    };
    struct Job { // a unit at its engine
        int operand = 0;
        std::int64_t sequence = 0;
        std::int64_t unit = 0;
        DmaDescriptor requests; // those to come
        DmaDescriptor indices;  // behind them
        WaitTrail trail;        // of what it waited for before it was dealt
    };
    struct Engine {
        DmaChannel channel;
        std::deque<Job> jobs;
        ChannelTrails trails;
    };

    bool next_unit();
    Block blocked();
    WaitTrail trail_of_pending() const;
    void deal_pending(Cycles now);
    bool has_job(const Engine& engine, Cycles now);
    bool issue_one(Engine& engine, Cycles now);
    void request_chunk(Engine& engine, Cycles now);

    PassCursor cursor_;
    int stage_ = 0; // of the cursor's pass: 0: y to come, 1: x to come, 2: next pass
    Pending pending_;
    std::vector<Engine> engines_;
    std::array<std::vector<Slot>, 2> slots_; // [operand][sequence mod buffers]
    std::array<std::int64_t, 2> released_{};
    std::array<Bytes, 2> fetched_{};
    Bytes indices_fetched_ = 0;
    int buffers_;
    DmaConfig dma_;
    TimeBase time_;
    OperandMap operands_;
    MemoryPort& memory_;
    const TileAllocation& allocation_;
    VmemArbiter& vmem_;
    HostLink* host_;
    CoreTimeline* timeline_ = nullptr;
    std::size_t turn_ = 0; // the engine that gets the next unit
    std::vector<Chunk> chunks_;
    int in_flight_ = 0; // requested, not yet in VMEM
    int in_memory_ = 0; // requested, not yet answered
    CompletionQueue completions_;
    Cycles next_slot_ = unlimited; // of the engines that wait for nothing else
    std::int64_t requests_ = 0;
    Moment now_;
    WaitTrail answered_; // of the last answer
};

} // namespace systole
