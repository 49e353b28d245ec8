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
#include "sim/engine/ahead.h"
#include "sim/engine/dma_channel.h"
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

// What to bring, and the VMEM buffers it goes into.
struct FetchPlan {
    std::unique_ptr<UnitSource> units;
    std::array<std::int64_t, 2> units_of_tile{}; // at most, of each operand
    int buffers = 2;                             // tiles of an operand that VMEM holds at a time

    // Of operand `here_operand`, the first units in their order: those that are in VMEM at the start, wholly or in
    // part.
    AheadUnits here;
    int here_operand = 1;
    // Behind everything else, for a later run. VMEM has room for all of them.
    AheadUnits ahead;

    bool causes = true; // somebody asks for the trails of arrivals
};

class Fetcher {
  public:
    Fetcher(FetchPlan plan, const DmaConfig& dma, const TimeBase& time, MemoryPort& memory,
            const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host);

    void watch(CoreTimeline* timeline) { timeline_ = timeline; } // before the first step; null: nobody watches

    void collect(Cycles now);            // responses that are visible at `now` go on into VMEM
    void written(int chunk, Cycles now); // VMEM has taken a chunk; usable from `now` on
    void issue(Cycles now);              // new requests
    Bytes bytes(int chunk) const { return chunks_[static_cast<std::size_t>(chunk)].bytes; }
    // Of what is in flight; not of what a later run needs, for which nothing waits here.
    DmaTrails& trails() { return trails_; }
    bool is_ahead(int chunk) const { return chunks_[static_cast<std::size_t>(chunk)].operand == ahead_operand; }
    Cycles next_event() const { return std::min(completions_.next(), next_slot_); } // the next response or request

    // Operand 0 = x, 1 = y.
    const Arrival& arrival(int operand, const UnitRef& unit) const;
    void release(int operand, const UnitRef& unit) { released_[operand] = unit.sequence + 1; }

    Bytes fetched(int operand) const { return fetched_[operand]; } // values
    Bytes indices_fetched() const { return indices_fetched_; }
    Bytes ahead_fetched() const { return ahead_fetched_; } // for a later run, all of it
    AheadUnits take_ahead();                               // after the run: as the later one will find them
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
        bool in_flight = false;
        MemoryRequest request;
        Cycles from = 0; // when it was requested
    };
    struct Job { // a unit at its engine
        int operand = 0;
        std::int64_t sequence = 0;
        std::int64_t unit = 0;
        OperandTransfer requests;         // those to come
        DmaDescriptor indices;            // behind them
        std::vector<MemoryRequest> again; // before them: of an earlier run
        WaitTrail trail;                  // of what it waited for before it was dealt
    };
    struct Engine {
        DmaChannel channel;
        std::deque<Job> jobs;
    };

    void put_here(const AheadUnits& units);
    bool next_own_unit();
    bool next_unit();
    MemoryRequest next_request(Job& job, bool& indices) const;
    Block blocked();
    WaitTrail trail_of_pending() const;
    void deal_pending(Cycles now);
    bool has_job(const Engine& engine, Cycles now);
    bool issue_one(Engine& engine, Cycles now);
    void request_chunk(Engine& engine, Cycles now);

    std::unique_ptr<UnitSource> units_;
    bool exhausted_ = false;           // the source
    FetchUnit pending_;                // the next unit that will be dealt
    bool pending_active_ = false;      // there is one
    bool pending_staged_ = false;      // it has come from the host; it stays
    Block held_by_ = Block::none;      // it was, last
    std::vector<MemoryRequest> again_; // of the next unit
    AheadUnits here_, ahead_;
    int here_operand_;
    std::size_t next_here_ = 0, next_ahead_ = 0; // of these, the first that has not been dealt
    std::vector<Engine> engines_;
    std::array<std::vector<Slot>, 2> slots_; // [operand][sequence mod buffers]
    std::array<std::int64_t, 2> released_{};
    std::array<Bytes, 2> fetched_{};
    Bytes indices_fetched_ = 0;
    Bytes ahead_fetched_ = 0;
    int buffers_;
    DmaConfig dma_;
    TimeBase time_;
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
    DmaTrails trails_;
};

} // namespace systole
