#include "sim/engine/sequencer.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataflow/array_timing.h"

namespace systole {

Sequencer::Sequencer(const SequencerConfig& config, const TileAllocation& allocation, VmemArbiter& vmem,
                     Fetcher* fetcher, Storer* storer, const TrailEnds& ends, ArrayGrid* grid)
    : config_(config), array_(config_.limits.array), allocation_(allocation), vmem_(vmem), fetcher_(fetcher),
      storer_(storer), fetched_{fetcher && !config.mapping.x_resident(), fetcher && !config.mapping.y_resident()},
      stored_(storer && !config.mapping.out_resident()), ends_(ends), grid_(grid),
      cursor_(config.mapping, config.limits), load_cursor_(cursor_),
      epilogue_(config.epilogue, config.vector_operations_per_cycle), counter_(config.mapping, config.limits) {
    load_.arrival.cycle = 0;
}

void Sequencer::step(const Moment& now) {
    retry_ = unlimited;
    finish_stream(now.cycle);
    finish_load(now.cycle);
    // A start may allow the next: the switch to a tile frees the shadow registers for the tile after it.
    while ((!cursor_.done() && try_pass(now.cycle)) || try_load(now.cycle)) {
    }
}

void Sequencer::finish_stream(Cycles now) {
    if (!streaming_ || now <= current_.stream_end)
        return;
    streaming_ = false;
    free_since_ = current_.stream_end + 1;
    const auto& pass = cursor_.pass();
    if (fetcher_)
        ends_at_free_ = ends_;
    if (pass.x.release)
        release(0, pass.x, now);
    if (pass.y.release)
        release(1, pass.y, now);
    cursor_.next();
}

void Sequencer::release(int operand, const UnitRef& unit, Cycles now) {
    if (!is_fetched(operand))
        return;
    fetcher_->release(operand, unit);
    if (timeline_)
        timeline_->give_back(operand, unit.sequence, now);
}

void Sequencer::finish_load(Cycles now) {
    if (!load_.active || vmem_.loading())
        return;
    load_.end = std::max(load_.start + load_cycles(array_) - 1, vmem_.load_delivered());
    if (now <= load_.end) {
        retry_ = std::min(retry_, load_.end + 1);
        return;
    }
    load_.active = false;
    load_.ready = true;
    if (timeline_)
        timeline_->load(load_cursor_.pass(), load_.start, load_.end + 1);
    load_cursor_.next();
}

// True if `until` holds the start back in this cycle; remembers the condition that is met last.
bool Sequencer::hold(Cycles until, Cause cause, Cycles now, Release& latest) {
    // Of conditions that are met in the same cycle the one that stands first among the causes counts.
    if (until > latest.cycle || (until == latest.cycle && cause < latest.cause))
        latest = {until, cause, nullptr};
    if (until <= now)
        return false;
    retry_ = std::min(retry_, until);
    return true;
}

// `extra`: cycles after the read latency before the operand can be used.
bool Sequencer::operand_ready(int operand, const UnitRef& unit, Cycles now, Cycles extra, Release& latest) {
    static const Arrival at_once{.cycle = 0, .missing = 0, .trail = {}};
    // What brings nothing needs what earlier units have brought, which earlier passes have waited for.
    const bool waits = is_fetched(operand) && unit.all_brought() > 0;
    const Arrival& arrival = waits ? fetcher_->arrival(operand, unit) : at_once;
    if (arrival.cycle < 0)
        return false;
    const Cycles usable = arrival.cycle + config_.read_latency + extra;
    if (usable > latest.cycle || (usable == latest.cycle && Cause::vmem < latest.cause))
        latest = {usable, Cause::vmem, &arrival};
    if (usable <= now)
        return true;
    retry_ = std::min(retry_, usable);
    return false;
}

// When the registers that the next stationary tile shifts into are free, by the policy alone.
Cycles Sequencer::shadow_free(Release& latest) const {
    if (!any_switch_)
        return 0;
    if (array_.weight_buffers == 1) {
        latest = {current_.last_result + 1, Cause::fill_drain, nullptr};
    } else if (array_.swap == Swap::drained) {
        latest = {last_switch_ + array_.swap_period - load_cycles(array_), Cause::control, nullptr};
    } else {
        latest = {last_switch_, Cause::stationary_load, nullptr};
    }
    return latest.cycle;
}

bool Sequencer::try_load(Cycles now) {
    if (output_stationary() || load_.active || load_.ready)
        return false;
    while (!load_cursor_.done() && !load_cursor_.pass().new_stationary)
        load_cursor_.next();
    if (load_cursor_.done())
        return false;
    const auto& pass = load_cursor_.pass();
    // One tile at a time waits for its switch; with a single buffer the tile in use must have done all its passes.
    const bool next_is_this = !cursor_.done() && cursor_.pass().index == pass.index;
    if (array_.weight_buffers == 1 && (streaming_ || !next_is_this))
        return false;
    Release latest;
    const Cycles on_time = shadow_free(latest);
    bool held = hold(on_time, latest.cause, now, latest);
    held |= !operand_ready(1, pass.y, now, 0, latest);
    if (held)
        return false;
    load_ = {.active = true, .ready = false, .start = now, .end = 0, .held = latest, .on_time = on_time, .arrival = {}};
    if (latest.arrival)
        load_.arrival = *latest.arrival;
    load_.held.arrival = latest.arrival ? &load_.arrival : nullptr;
    vmem_.start_load(pass.stationary_bytes, ceil_div(pass.stationary_bytes, pass.stationary_rows),
                     allocation_.bank(1, pass.y.sequence, pass.y.unit));
    if (marks_.first_load < 0)
        marks_.first_load = now;
    if (grid_)
        grid_->start_load(pass, now);
    return true;
}

// All conditions are looked at, even after one has failed: the wait is booked under the one that is met last.
bool Sequencer::pass_conditions(Cycles now, Release& latest) {
    const auto& pass = cursor_.pass();
    bool held = hold(free_since_ + (last_start_ < 0 ? 0 : config_.idle), Cause::control, now, latest);
    if (last_start_ >= 0)
        held |= hold(last_start_ + array_.min_rows, Cause::control, now, latest);
    Cycles extra = 0;
    if (output_stationary() && last_start_ < 0) {
        extra = (array_.transposer ? array_.rows : 0) + (config_.preload_bias ? load_cycles(array_) : 0);
    }
    held |= !operand_ready(0, pass.x, now, extra, latest);
    if (output_stationary()) {
        held |= !operand_ready(1, pass.y, now, extra, latest);
        if (drain_start_ >= 0 && pass.starts_sums) {
            held |= serial_start() ? hold(current_.last_result + 1, Cause::fill_drain, now, latest)
                                   : hold(drain_hold_, Cause::control, now, latest);
        }
    } else if (pass.new_stationary) {
        if (!load_.ready)
            return false;
        held |= hold(load_.end + 1, Cause::stationary_load, now, latest);
    }
    const Bytes sums = pass.outputs() * accumulator_word;
    if (pass.opens_sums) {
        const bool full = sums > config_.limits.accumulator_capacity - accumulators_used_;
        held_by_accumulators_ |= full;
        held |= full;
        if (held_by_accumulators_)
            hold(accumulators_freed_, Cause::vmem, now, latest);
    }
    if (stored_ && pass.opens_out_tile) {
        const bool full = !storer_->may_open(pass.out_sequence);
        held_by_out_tile_ |= full;
        held |= full;
        if (held_by_out_tile_)
            hold(storer_->last_release(), Cause::vmem_capacity, now, latest);
    }
    return !held;
}

PassTiming Sequencer::plan(const Pass& pass, Cycles now) const {
    PassTiming timing{.start = now, .stream_end = vmem_.stream_end()};
    const Cycles drain = drain_cycles(array_, config_.mapping.problem.dataflow);
    timing.drain_start = timing.stream_end + 1;
    // The chain that shifts results out is busy for `drain` cycles.
    if (pass.drains && drain_start_ >= 0)
        timing.drain_start = std::max(timing.drain_start, drain_start_ + drain);
    timing.last_result = pass.drains ? timing.drain_start - 1 + drain + crossing_latency(array_)
                                     : timing.stream_end + crossing_latency(array_);
    return timing;
}

bool Sequencer::try_pass(Cycles now) {
    if (streaming_)
        return false;
    Release latest;
    if (!pass_conditions(now, latest))
        return false;
    begin_pass(now, latest);
    return true;
}

VmemStream Sequencer::stream_of(const Pass& pass) const {
    return {.vectors = pass.vectors,
            .vector_bytes = pass.vector_bytes,
            .last_vector_bytes = pass.last_vector_bytes,
            .y_bytes = pass.y_vector_bytes,
            .last_y_bytes = pass.last_y_vector_bytes,
            .x_bank = allocation_.bank(0, pass.x.sequence, pass.x.unit),
            .y_bank = allocation_.bank(1, pass.y.sequence, pass.y.unit)};
}

void Sequencer::begin_pass(Cycles now, const Release& latest) {
    const Pass& pass = cursor_.pass();
    end_wait(now, latest);
    held_by_accumulators_ = held_by_out_tile_ = false;
    vmem_.start_stream(stream_of(pass));
    current_ = plan(pass, now);
    streaming_ = true;
    if (pass.new_stationary) {
        load_.ready = false;
        any_switch_ = true;
        last_switch_ = now;
        ends_at_switch_ = ends_;
        if (pass.y.release)
            release(1, pass.y, now); // it is in the array
    }
    if (pass.drains) {
        drain_start_ = current_.drain_start;
        // Two passes start D cycles apart at least; by induction their sums then enter the chain when it is free, and
        // before the next pass overwrites them.
        drain_hold_ = now + drain_cycles(array_, config_.mapping.problem.dataflow);
    }
    if (pass.opens_sums)
        accumulators_used_ += pass.outputs() * accumulator_word;
    queue_results(pass, current_, now);
    counter_.count(pass);
    issue_cycles_ += pass.vectors;
    const Cycles bubbles = current_.stream_end - now + 1 - pass.vectors; // VMEM had not delivered a vector
    waits_[Cause::vmem] += bubbles;
    if (timeline_)
        timeline_->pass(pass, current_, bubbles);
    if (marks_.first_vector < 0)
        marks_.first_vector = now + vmem_.delivery(0);
    marks_.start_before = last_start_;
    marks_.last_start = last_start_ = now;
    marks_.last_result = std::max(marks_.last_result, current_.last_result);
    if (grid_)
        grid_->start_pass(pass, current_);
}

// Final results go from the accumulators into VMEM while they come out, or as the vector unit has done with them.
void Sequencer::queue_results(const Pass& pass, const PassTiming& timing, Cycles now) {
    if (!pass.last_depth)
        return;
    const Cycles drain = drain_cycles(array_, config_.mapping.problem.dataflow);
    const Cycles steps = output_stationary() ? std::max<Cycles>(1, drain) : pass.vectors;
    const Cycles first =
        output_stationary() ? timing.last_result - steps + 1 : now + vmem_.delivery(0) + crossing_latency(array_);
    const auto window = epilogue_.take({first, timing.last_result}, pass.outputs());
    // What the epilogue reads besides goes through the same port.
    const Bytes bytes = pass.out_bytes + epilogue_.read_bytes(pass.outputs());
    const Cycles longest = std::max(steps, epilogue_.cycles(pass.outputs()));
    vmem_.queue_writeback(pass.index, window.first, window.last, bytes, ceil_div(bytes, longest),
                          allocation_.bank(2, pass.out_sequence, pass.out_unit));
    if (timeline_)
        timeline_->results_from(window.first);
    writebacks_.push_back(pass);
    last_results_.push_back({timing.last_result, window.last});
}

void Sequencer::take_finished(VmemArbiter& vmem, const Moment& now) {
    for (const auto& done : vmem.finished_writebacks())
        written_back(done.cycle, now);
    vmem.finished_writebacks().clear();
}

void Sequencer::written_back(Cycles last, const Moment& now) {
    const Pass pass = writebacks_.front();
    writebacks_.pop_front();
    last_writeback_ = last;
    if (timeline_)
        timeline_->writeback(pass, last);
    accumulators_used_ -= pass.outputs() * accumulator_word;
    accumulators_freed_ = last + 1;
    drained_at_ = last_results_.front().out + 1;
    processed_at_ = last_results_.front().processed + 1;
    last_results_.pop_front();
    if (!stored_)
        return;
    storer_->store(pass, WaitTrail::written_back(processed_at_, now));
    if (timeline_)
        timeline_->take(2, pass.out_sequence, pass.out_bytes, last + 1);
}

Cycles Sequencer::next_event() const {
    Cycles next = retry_;
    if (streaming_)
        next = std::min(next, current_.stream_end + 1);
    return next;
}

std::string Sequencer::waiting_for() const {
    if (streaming_)
        return fmt::format("pass {} streams", cursor_.pass().index);
    if (!cursor_.done())
        return fmt::format("pass {} waits to start", cursor_.pass().index);
    return writebacks_.empty() ? "all passes are done" : "results wait to be written back to VMEM";
}

} // namespace systole
