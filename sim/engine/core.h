// One core: sequencer, VMEM and DMA engines, advanced from event to event in cycles of the core clock.
#pragma once

#include <memory>
#include <string>

#include "sim/engine/fetcher.h"
#include "sim/engine/host_link.h"
#include "sim/engine/sequencer.h"
#include "sim/engine/storer.h"
#include "sim/engine/tile_allocation.h"

namespace systole {

struct CoreConfig {
    SequencerConfig sequencer;
    VmemConfig vmem;
    DmaConfig dma;
    OperandMap operands;
    Timeline* timeline = nullptr; // null: nobody watches
    int index = 0;                // of the core
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
    bool done() const { return sequencer_.done() && (!storer_ || storer_->done()); }

    // Books what follows the last vector; `total`: cycles of the whole run, `cores_end`: when the last core was done.
    void finish(Cycles cores_end, Cycles total, const HostTail& host);

    Cycles end() const { return end_; } // of this core's work; valid once done
    Sequencer& sequencer() { return sequencer_; }
    const Sequencer& sequencer() const { return sequencer_; }
    const VmemArbiter& vmem() const { return vmem_; }
    const TileAllocation& allocation() const { return allocation_; }
    const Fetcher* fetcher() const { return fetcher_.get(); }
    const Storer* storer() const { return storer_.get(); }
    void response(int id, Ticks done) override; // even ids: reads, odd ids: writes
    std::string waiting_for() const;

  private:
    void begin(const Moment& now);
    void take_finished(const Moment& now);
    void exchange(Cycles now);
    void watch(const CoreConfig& config);
    void book_tail(Cycles cores_end, Cycles total, const HostTail& host);

    TimeBase time_;
    MemoryPort* memory_;
    TileAllocation allocation_;
    VmemArbiter vmem_;
    TrailEnds ends_;
    WaitTrail queue_;                        // of what VMEM has served last of the DMA
    std::unique_ptr<CoreTimeline> timeline_; // null: nobody watches
    std::unique_ptr<Fetcher> fetcher_;
    std::unique_ptr<Storer> storer_;
    Sequencer sequencer_;
    Cycles end_ = -1;
    bool results_in_vmem_ = false;
};

} // namespace systole
