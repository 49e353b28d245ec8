// One core: what it does, VMEM and DMA engines, advanced from event to event in cycles of the core clock.
#pragma once

#include <memory>
#include <string>

#include "sim/engine/fetcher.h"
#include "sim/engine/host_link.h"
#include "sim/engine/sequencer.h"
#include "sim/engine/storer.h"
#include "sim/engine/tile_allocation.h"
#include "sim/engine/vector_sequencer.h"

namespace systole {

struct CoreConfig {
    SequencerConfig sequencer;
    std::optional<VectorBlocks> vector{}; // these instead: the vector unit works, the array does not
    VmemConfig vmem;
    DmaConfig dma;
    OperandMap operands;
    AheadUnits here;              // of B, in VMEM at the start, wholly or in part
    int here_operand = 1;         // the oriented operand that B is
    AheadUnits ahead;             // of a later run
    Timeline* timeline = nullptr; // null: nobody watches
    int index = 0;                // of the core
    bool causes = true;           // false: only the time is asked, not what it went to

    std::unique_ptr<UnitSource> units() const; // that it will fetch
};

// The host link's account when the last core was done, and at the end of the run.
struct HostTail {
    WaitAccount before, after;
};

class Core : public MemoryClient {
  public:
    // memory: null when data starts in VMEM; host: null unless it starts in host memory.
    Core(const CoreConfig& config, const TimeBase& time, MemoryPort* memory, HostLink* host, ArrayGrid* grid);

    void step(Cycles now);
    Cycles next_event() const;
    bool done() const { return work_.done() && (!storer_ || storer_->done()); }

    // Books what follows the last vector; `total`: cycles of the whole run, `cores_end`: when the last core was done.
    void finish(Cycles cores_end, Cycles total, const HostTail& host);

    Cycles end() const { return end_; } // of this core's work; valid once done
    PortStack& waits() { return work_.waits(); }
    const Sequencer& sequencer() const { return *sequencer_; } // of a core whose array works
    const VectorSequencer& vector() const { return *vector_; } // of one whose vector unit does
    const VmemArbiter& vmem() const { return vmem_; }
    const TileAllocation& allocation() const { return allocation_; }
    AheadUnits take_ahead() { return fetcher_ ? fetcher_->take_ahead() : AheadUnits{}; } // after the run
    const Fetcher* fetcher() const { return fetcher_.get(); }
    const Storer* storer() const { return storer_.get(); }
    void response(int id, Ticks done) override; // even ids: reads, odd ids: writes
    std::string waiting_for() const;

  private:
    Moment begin(Cycles now);
    void take_finished(const Moment& now);
    void follow(const VmemArbiter::Done& done, const Moment& now);
    void exchange(Cycles now);
    void begin_tail();
    void watch(const CoreConfig& config);
    void book_tail(Cycles cores_end, Cycles total, const HostTail& host);

    TimeBase time_;
    MemoryPort* memory_;
    bool causes_;
    TileAllocation allocation_;
    VmemArbiter vmem_;
    TrailEnds ends_;
    WaitTrail queue_;                        // of what VMEM has served last of the DMA
    std::unique_ptr<CoreTimeline> timeline_; // null: nobody watches
    std::unique_ptr<Fetcher> fetcher_;
    std::unique_ptr<Storer> storer_;
    std::unique_ptr<Sequencer> sequencer_; // or:
    std::unique_ptr<VectorSequencer> vector_;
    CoreWork& work_; // the one that is there
    Cycles end_ = -1;
    bool results_in_vmem_ = false;
};

} // namespace systole
