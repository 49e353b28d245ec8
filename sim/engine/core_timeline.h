// What one core tells a timeline: its array (every cycle of the issue port: passes and waits), the loads of stationary
// tiles, the write-back of results, its DMA engines and what VMEM holds. Where the vector unit works instead, its
// blocks and waits. One object for each core that is watched.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "dataflow/pass_counter.h"
#include "memory/time_base.h"
#include "pe/array_grid.h"
#include "sim/base/timeline.h"
#include "sim/engine/wait_account.h"

namespace systole {

class CoreTimeline {
  public:
    CoreTimeline(Timeline& timeline, const TimeBase& time, int core, const Mapping& mapping, const CoreLimits& limits);
    // Of the vector unit. buffers: blocks that VMEM holds; 0: data starts there.
    CoreTimeline(Timeline& timeline, const TimeBase& time, int core, int buffers);

    // [start, stream_end] of a pass that begins; `bubbles` of these cycles no vector enters.
    void pass(const Pass& pass, const PassTiming& timing, Cycles bubbles);
    // A block of the vector unit, whose ALUs alone need `alu_cycles` of [from, to).
    void block(std::int64_t index, Cycles from, Cycles to, std::int64_t elements, Cycles alu_cycles);
    // The port waits in [from, to); `before`, `after`: what has been booked for waiting.
    void wait(Cycles from, Cycles to, const PortStack& before, const PortStack& after);
    // A stationary tile shifts in, in [from, to).
    void load(const Pass& pass, Cycles from, Cycles to);
    // The results of the next pass that has any leave the array from cycle `first` on; they are in VMEM after `last`.
    void results_from(Cycles first) { results_.push_back(first); }
    void writeback(const Pass& pass, Cycles last);

    // A request of DMA engine `engine`, from its start to its last byte in VMEM (reads) or in memory (writes).
    // Operand 0: x, 1: y, 2: out, 3: the indices of a sparse B, 4: for a later run.
    void transfer(int engine, int operand, std::uint64_t address, Bytes bytes, Cycles from, Cycles to);

    // VMEM: bytes of the operand's tile `sequence` become taken; all tiles up to it are given back. At most `buffers`
    // tiles of an operand are taken at a time.
    void take(int operand, std::int64_t sequence, Bytes bytes, Cycles now);
    void give_back(int operand, std::int64_t sequence, Cycles now);

  private:
    TimelineTrack track(const std::string& name, TrackKind kind) { return {timeline_, group_, name, kind}; }
    void watch_vmem(int buffers);

    Timeline* timeline_;
    Ticks per_cycle_;
    std::string group_;
    std::string pass_name_;
    Mapping mapping_;
    ArrayConfig array_;
    std::array<const char*, 5> reads_; // "reads A" and so on, by operand
    TimelineTrack array_track_;        // or the vector unit's
    TimelineTrack loads_, writebacks_, vmem_;
    std::vector<TimelineTrack> engines_;
    std::deque<Cycles> results_;                // when those begin that are not in VMEM yet
    Cycles written_ = 0;                        // the first cycle behind the last write-back
    std::array<std::vector<Bytes>, 3> in_tile_; // [operand][sequence mod buffers]
    std::array<std::int64_t, 3> given_back_{};  // tiles of the operand
    Bytes in_use_ = 0;
};

} // namespace systole
