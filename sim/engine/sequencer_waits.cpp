// Every cycle in which the issue port waits goes to one cause (docs/model.md, "Where the cycles go").
#include <algorithm>

#include "dataflow/array_timing.h"
#include "sim/engine/sequencer.h"

namespace systole {

// [from, to) within the wait, less what the window [skip_from, skip_to) has taken.
void Sequencer::book(Cycles from, Cycles to, Cycles skip_from, Cycles skip_to, Cause cause) {
    const Cycles length = std::max<Cycles>(0, to - from);
    const Cycles taken = std::max<Cycles>(0, std::min(to, skip_to) - std::max(from, skip_from));
    waits_[cause] += length - std::min(taken, length);
}

// The port waits for `cycles` in which a stationary tile shifts in; in `late` of them it would not have waited, had the
// tile been there when it could have begun. VMEM's part in that is VMEM's.
void Sequencer::book_load(Cycles cycles, Cycles late) {
    PortStack parts;
    if (load_.held.arrival)
        parts.split(late, ends_at_switch_.before(load_.arrival.trail), load_.arrival.trail.spent,
                    Cause::stationary_load);
    waits_[Cause::vmem] += parts[Cause::vmem];
    waits_[Cause::stationary_load] += cycles - parts[Cause::vmem];
}

void Sequencer::book_release(const Release& release, Cycles from, Cycles to, Cycles skip_from, Cycles skip_to) {
    if (!release.arrival && release.cause == Cause::vmem) {
        // Accumulators: their results have to leave the array, and the vector unit, before VMEM can take them.
        const Cycles drained = std::clamp(drained_at_, from, to);
        const Cycles processed = std::clamp(processed_at_, drained, to);
        book(from, drained, skip_from, skip_to, Cause::fill_drain);
        book(drained, processed, skip_from, skip_to, Cause::vector);
        book(processed, to, skip_from, skip_to, Cause::vmem);
        return;
    }
    if (!release.arrival && release.cause == Cause::vmem_capacity) {
        const Cycles taken = std::max<Cycles>(0, std::min(to, skip_to) - std::max(from, skip_from));
        waits_ += ends_at_free_.wait_for_room(from, to - from - std::min(taken, to - from), storer_->release_trail());
        return;
    }
    if (!release.arrival) {
        book(from, to, skip_from, skip_to, release.cause);
        return;
    }
    const Cycles arrived = std::clamp(release.arrival->cycle, from, to);
    const Cycles taken = std::max<Cycles>(0, std::min(arrived, skip_to) - std::max(from, skip_from));
    const auto& trail = release.arrival->trail;
    waits_.split(arrived - from - std::min(taken, arrived - from), ends_at_free_.before(trail), trail.spent,
                 Cause::hbm_latency);
    const Cycles read = std::min(to, arrived + config_.read_latency);
    book(arrived, read, skip_from, skip_to, Cause::vmem);
    if (read < to)
        book(read, to, skip_from, skip_to, config_.preload_bias ? Cause::stationary_load : Cause::control);
}

// The next pass may only start when the array has drained.
bool Sequencer::serial_start() const {
    if (last_start_ < 0)
        return false;
    const auto& pass = cursor_.pass();
    return output_stationary() ? array_.accumulator_buffers == 1 && pass.starts_sums && drain_start_ >= 0
                               : array_.weight_buffers == 1 && pass.new_stationary;
}

void Sequencer::end_wait(Cycles start, const Release& latest) {
    if (!timeline_) {
        book_wait(start, latest);
        return;
    }
    const PortStack before = waits_;
    book_wait(start, latest);
    timeline_->wait(free_since_, start, before, waits_);
}

// The port waited in [free_since_, start). While the stationary tile shifts in: stationary_load; the other cycles go to
// the condition that was met last, which was unmet in all of them.
void Sequencer::book_wait(Cycles start, const Release& latest) {
    Cycles from = free_since_;
    if (start == from)
        return;
    if (serial_start()) { // nothing hides the drain of the pass before
        from = std::clamp(current_.last_result + 1, from, start);
        waits_[Cause::fill_drain] += from - free_since_;
    }
    if (!cursor_.pass().new_stationary) {
        book_release(latest, from, start, 0, 0);
        return;
    }
    const bool on_time = any_switch_ && load_.start == load_.on_time;
    const bool early = on_time && array_.weight_buffers == 2; // it shifted in behind the pass before
    const Cycles window = early ? last_switch_ : load_.start;
    const Cycles shift_from = std::max(from, window);
    const Cycles shift_to = std::clamp(window + load_cycles(array_), shift_from, std::max(shift_from, start));
    const Cycles on_time_to = early || !any_switch_ ? shift_to : load_.on_time + load_cycles(array_);
    book_load(shift_to - shift_from, shift_to - std::clamp(on_time_to, shift_from, shift_to));
    const bool load_decides = latest.cycle == load_.end + 1 && !latest.arrival;
    if (!load_decides) {
        book_release(latest, from, start, shift_from, shift_to);
        return;
    }
    const Cycles shifting = std::clamp(load_.start, from, start);
    book_release(load_.held, from, shifting, shift_from, shift_to);
    const Cycles shifted = std::clamp(load_.start + load_cycles(array_), shifting, start);
    book(shifting, shifted, shift_from, shift_to, early ? Cause::control : Cause::stationary_load);
    book(shifted, start, shift_from, shift_to, Cause::vmem);
}

// The wave leaves the array, maybe behind the results of the pass before, which are still shifting out, goes through
// the vector unit and into VMEM.
void Sequencer::book_results() {
    const Cycles alone = crossing_latency(array_) + drain_cycles(array_, config_.mapping.problem.dataflow);
    const Cycles drain = std::min(end_of_array() - free_since_, alone);
    waits_[Cause::fill_drain] += drain;
    waits_[Cause::control] += end_of_array() - free_since_ - drain;
    const Cycles processed = std::clamp(processed_at_, end_of_array(), results_in_vmem());
    waits_[Cause::vector] += processed - end_of_array();
    waits_[Cause::vmem] += results_in_vmem() - processed;
}

} // namespace systole
