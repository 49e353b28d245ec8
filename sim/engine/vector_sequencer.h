// Decides for one core in which cycle its vector unit begins each block of a problem, and books every cycle of the
// arrays' issue port, which waits for all of it (docs/model.md, "The vector unit").
//
// A block begins when the block before is done, its operands are in VMEM and there is room for its results. It ends
// when the ALUs have done its operations and VMEM has moved its operands and results.
#pragma once

#include <optional>

#include "sim/engine/core_timeline.h"
#include "sim/engine/core_work.h"
#include "sim/engine/fetcher.h"
#include "sim/engine/storer.h"
#include "sim/engine/vector_units.h"

namespace systole {

struct VectorSequencerConfig {
    VectorBlocks blocks;
    Cycles read_latency = 0; // of VMEM
    Bytes burst = 0;         // of the DMA
};

class VectorSequencer final : public CoreWork {
  public:
    // fetcher, storer: null when data starts in VMEM; ends: of the core's trails in the cycle of a step.
    VectorSequencer(const VectorSequencerConfig& config, const TileAllocation& allocation, VmemArbiter& vmem,
                    Fetcher* fetcher, Storer* storer, const TrailEnds& ends);

    void watch(CoreTimeline* timeline) { timeline_ = timeline; } // before the first step; null: nobody watches

    void take_finished(VmemArbiter& vmem, const Moment& now) override;
    void step(const Moment& now) override;
    Cycles next_event() const override { return retry_; }
    std::string waiting_for() const override;

    bool done() const override { return !working_ && block_ == config_.blocks.count(); }
    Cycles stream_done() const override { return free_since_; }
    Cycles results_in_vmem() const override { return free_since_; }
    void book_results() override {}
    PortStack& waits() override { return waits_; }

    Bytes read() const { return read_; } // of VMEM, by the vector unit
    Bytes written() const { return written_; }
    std::int64_t accesses() const { return accesses_; }

  private:
    // What the next block waited for last.
    struct Release {
        Cycles cycle = 0;
        const Arrival* arrival = nullptr; // of an operand that comes through the DMA; null: of those in VMEM
    };

    void finish_block(const Moment& now);
    void store_results(const Moment& now);
    bool operands_there(Cycles now, Release& latest);
    bool room_there();
    void try_block(Cycles now);
    void begin_block(Cycles now, const Release& operands);
    void book_wait(Cycles start, const Release& operands);

    VectorSequencerConfig config_;
    const TileAllocation& allocation_;
    VmemArbiter& vmem_;
    Fetcher* fetcher_;
    Storer* storer_;
    const TrailEnds& ends_;
    CoreTimeline* timeline_ = nullptr;
    std::int64_t block_ = 0;        // the next, or the one that is being worked on
    std::int64_t out_sequence_ = 0; // of its results, among the blocks that have any to store
    bool stores_ = false;           // it has
    bool working_ = false;
    Cycles start_ = 0;
    Cycles alu_cycles_ = 0;
    std::optional<Cycles> moved_; // the cycle in which VMEM moved its last byte
    bool held_by_room_ = false;   // the next block has been held back by its results
    Cycles free_since_ = 0;       // the first cycle after the block before
    TrailEnds ends_at_free_;      // in that cycle
    Cycles retry_ = unlimited;    // a condition that only time will meet
    Bytes read_ = 0, written_ = 0;
    std::int64_t accesses_ = 0;
    PortStack waits_;
};

} // namespace systole
