// Decides for one core in which cycle each stationary tile begins to shift in and each pass begins to stream, and books
// every cycle of the array's issue port under its cause. Shared by all engines.
#pragma once

#include <array>
#include <deque>
#include <string>

#include "dataflow/pass_counter.h"
#include "dataflow/schedule.h"
#include "memory/vmem_arbiter.h"
#include "pe/array_grid.h"
#include "sim/engine/core_timeline.h"
#include "sim/engine/core_work.h"
#include "sim/engine/epilogue_unit.h"
#include "sim/engine/fetcher.h"
#include "sim/engine/storer.h"
#include "sim/engine/tile_allocation.h"
#include "sim/engine/wait_trail.h"

namespace systole {

struct SequencerConfig {
    Mapping mapping;
    CoreLimits limits;
    Cycles read_latency = 0;
    Cycles idle = 0;           // idle cycles after every pass (probe)
    bool preload_bias = false; // OS: accumulators are preloaded before the first pass (probe)
    Epilogue epilogue{};
    std::int64_t vector_operations_per_cycle = 1; // of the vector unit
};

// Events of the array, as cycles; -1: has not happened.
struct ArrayMarks {
    Cycles first_load = -1;
    Cycles first_vector = -1;
    Cycles last_result = -1;
    Cycles last_start = -1;
    Cycles start_before = -1;
};

class Sequencer final : public CoreWork {
  public:
    // fetcher, storer: null when data starts in VMEM; ends: of the core's trails in the cycle of a step; grid: null in
    // the tile engine.
    Sequencer(const SequencerConfig& config, const TileAllocation& allocation, VmemArbiter& vmem, Fetcher* fetcher,
              Storer* storer, const TrailEnds& ends, ArrayGrid* grid);

    void watch(CoreTimeline* timeline) { timeline_ = timeline; } // before the first step; null: nobody watches

    void take_finished(VmemArbiter& vmem, const Moment& now) override;
    void step(const Moment& now) override;
    Cycles next_event() const override;
    std::string waiting_for() const override;

    bool done() const override { return cursor_.done() && !streaming_ && writebacks_.empty(); }
    Cycles stream_done() const override { return free_since_; }
    Cycles results_in_vmem() const override { return std::max(end_of_array(), last_writeback_ + 1); }
    void book_results() override;
    PortStack& waits() override { return waits_; }

    const ArrayMarks& marks() const { return marks_; }
    const PassCounter& counter() const { return counter_; }
    Bytes epilogue_read() const { return epilogue_.read_bytes(); } // of VMEM
    Cycles issue_cycles() const { return issue_cycles_; }          // cycles in which a vector entered

  private:
    // A condition that held a start back, and the cycle from which it no longer did.
    struct Release {
        Cycles cycle = 0;
        Cause cause = Cause::control;
        const Arrival* arrival = nullptr; // the operand path: split by its trail
    };
    struct Load {
        bool active = false; // shifting in, or waiting for VMEM
        bool ready = false;  // complete, not yet switched to
        Cycles start = 0;
        Cycles end = 0;     // last row is in; valid once ready
        Release held;       // what its start waited for last
        Cycles on_time = 0; // when it could have started had the tile been in VMEM
        Arrival arrival;    // copy: the slot may be refilled before the pass starts
    };

    Cycles end_of_array() const { return marks_.last_result + 1; }
    void written_back(Cycles last, const Moment& now);
    void finish_stream(Cycles now);
    void finish_load(Cycles now);
    bool try_load(Cycles now);
    bool try_pass(Cycles now);
    bool operand_ready(int operand, const UnitRef& unit, Cycles now, Cycles extra, Release& latest);
    bool hold(Cycles until, Cause cause, Cycles now, Release& latest);
    void begin_pass(Cycles now, const Release& latest);
    void release(int operand, const UnitRef& unit, Cycles now);
    bool is_fetched(int operand) const { return fetched_[static_cast<std::size_t>(operand)]; }
    VmemStream stream_of(const Pass& pass) const;
    void queue_results(const Pass& pass, const PassTiming& timing, Cycles now);
    PassTiming plan(const Pass& pass, Cycles now) const;
    bool pass_conditions(Cycles now, Release& latest);
    bool output_stationary() const { return config_.mapping.problem.dataflow == Dataflow::output_stationary; }
    Cycles shadow_free(Release& latest) const;

    bool serial_start() const;
    void end_wait(Cycles start, const Release& latest);
    void book_wait(Cycles start, const Release& latest);
    void book(Cycles from, Cycles to, Cycles skip_from, Cycles skip_to, Cause cause);
    void book_load(Cycles cycles, Cycles late);
    void book_release(const Release& release, Cycles from, Cycles to, Cycles skip_from, Cycles skip_to);

    SequencerConfig config_;
    const ArrayConfig& array_;
    const TileAllocation& allocation_;
    VmemArbiter& vmem_;
    Fetcher* fetcher_;
    Storer* storer_;
    std::array<bool, 2> fetched_; // x, y: come through the fetcher
    bool stored_;                 // results go through the storer
    const TrailEnds& ends_;
    ArrayGrid* grid_;
    CoreTimeline* timeline_ = nullptr;
    PassCursor cursor_;      // the next pass, or the one that streams
    PassCursor load_cursor_; // at the next pass whose stationary tile has not begun to load

    bool streaming_ = false;
    PassTiming current_;
    Cycles free_since_ = 0;    // the port: first cycle after the last vector
    TrailEnds ends_at_free_;   // in that cycle
    TrailEnds ends_at_switch_; // in last_switch_
    Load load_;
    bool any_switch_ = false;
    Cycles last_switch_ = 0; // start of the first pass of the present stationary tile
    Cycles last_start_ = -1;
    Cycles drain_start_ = -1; // OS: of the last pass that drained; -1: none
    Cycles drain_hold_ = 0;   // OS: when the pass after it may start
    Bytes accumulators_used_ = 0;
    Cycles accumulators_freed_ = 0;
    Cycles drained_at_ = 0;   // when the results that freed accumulators last had left the array
    Cycles processed_at_ = 0; // and the vector unit
    EpilogueUnit epilogue_;
    bool held_by_accumulators_ = false; // the next pass has been held back by them
    bool held_by_out_tile_ = false;
    struct LastResult {
        Cycles out = 0;       // of the array
        Cycles processed = 0; // by the vector unit
    };
    std::deque<Pass> writebacks_;         // results on their way into VMEM, in order
    std::deque<LastResult> last_results_; // of these
    Cycles last_writeback_ = -1;
    Cycles issue_cycles_ = 0;
    Cycles retry_ = unlimited; // a condition that only time will meet
    PortStack waits_;
    PassCounter counter_;
    ArrayMarks marks_;
};

} // namespace systole
