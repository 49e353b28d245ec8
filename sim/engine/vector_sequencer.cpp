#include "sim/engine/vector_sequencer.h"

#include <algorithm>

#include <fmt/format.h>

namespace systole {

VectorSequencer::VectorSequencer(const VectorSequencerConfig& config, const TileAllocation& allocation,
                                 VmemArbiter& vmem, Fetcher* fetcher, Storer* storer, const TrailEnds& ends)
    : config_(config), allocation_(allocation), vmem_(vmem), fetcher_(fetcher), storer_(storer), ends_(ends) {}

void VectorSequencer::take_finished(VmemArbiter& vmem, const Moment&) {
    for (const auto& done : vmem.finished_vectors())
        moved_ = done.cycle;
    vmem.finished_vectors().clear();
}

void VectorSequencer::step(const Moment& now) {
    retry_ = unlimited;
    finish_block(now);
    try_block(now.cycle);
}

void VectorSequencer::finish_block(const Moment& now) {
    if (!working_ || !moved_)
        return;
    const Cycles computed = start_ + alu_cycles_;
    const Cycles end = std::max(computed, *moved_ + 1);
    if (now.cycle < end) {
        retry_ = end;
        return;
    }
    waits_[Cause::vector] += alu_cycles_;
    waits_[Cause::vmem] += end - computed;
    working_ = false;
    free_since_ = end;
    if (fetcher_) {
        ends_at_free_ = ends_;
        fetcher_->release(vector_reads, {.sequence = block_});
    }
    if (timeline_) {
        timeline_->block(block_, start_, end, config_.blocks.elements(block_), alu_cycles_);
        timeline_->give_back(vector_reads, block_, end);
    }
    store_results(now);
    ++block_;
}

void VectorSequencer::store_results(const Moment& now) {
    if (!stores_)
        return;
    Bytes bytes = 0;
    for (auto& unit : stored_units(config_.blocks, block_, out_sequence_, allocation_, config_.burst)) {
        unit.trail = WaitTrail::from(now);
        storer_->store(unit);
        bytes += unit.bytes;
    }
    if (timeline_)
        timeline_->take(vector_writes, out_sequence_, bytes, now.cycle);
    ++out_sequence_;
}

// All operands are looked at: the wait is booked under the one that comes last.
bool VectorSequencer::operands_there(Cycles now, Release& latest) {
    latest.cycle = config_.read_latency;
    const auto& reads = config_.blocks.problem().reads;
    for (std::size_t i = 0; i < reads.size(); ++i) {
        if (config_.blocks.resident(reads[i]) || config_.blocks.part(reads[i].bytes, block_).size() == 0)
            continue;
        const auto& arrival =
            fetcher_->arrival(vector_reads, {.sequence = block_, .unit = static_cast<std::int64_t>(i)});
        if (arrival.cycle < 0)
            return false;
        const Cycles usable = arrival.cycle + config_.read_latency;
        if (usable >= latest.cycle)
            latest = {usable, &arrival};
    }
    if (latest.cycle <= now)
        return true;
    retry_ = latest.cycle;
    return false;
}

bool VectorSequencer::room_there() {
    if (!stores_ || storer_->may_open(out_sequence_))
        return true;
    held_by_room_ = true;
    return false;
}

void VectorSequencer::try_block(Cycles now) {
    if (working_ || block_ == config_.blocks.count())
        return;
    stores_ = false;
    for (const auto& write : config_.blocks.problem().writes)
        stores_ |= !config_.blocks.resident(write) && config_.blocks.part(write.bytes, block_).size() > 0;
    Release operands;
    const bool there = operands_there(now, operands);
    if (room_there() && there)
        begin_block(now, operands);
}

void VectorSequencer::begin_block(Cycles now, const Release& operands) {
    const PortStack before = waits_;
    book_wait(now, operands);
    if (timeline_)
        timeline_->wait(free_since_, now, before, waits_);
    held_by_room_ = false;
    working_ = true;
    start_ = now;
    alu_cycles_ = config_.blocks.alu_cycles(block_);
    const auto accesses = vector_accesses(config_.blocks, block_, out_sequence_, allocation_);
    Bytes bytes = 0;
    for (const auto& access : accesses) {
        bytes += access.bytes;
        (access.write ? written_ : read_) += access.bytes;
    }
    accesses_ += static_cast<std::int64_t>(accesses.size());
    // As wide a port as keeps the ALUs busy.
    for (const auto& access : accesses)
        vmem_.queue_vector(block_, access.bytes, ceil_div(bytes, alu_cycles_), access.bank);
    moved_.reset();
    if (accesses.empty()) {
        moved_ = now - 1;
        retry_ = now + alu_cycles_;
    }
}

// The unit waited in [free_since_, start), for what was released last: its operands or room for its results.
void VectorSequencer::book_wait(Cycles start, const Release& operands) {
    const Cycles from = free_since_;
    if (held_by_room_ && storer_->last_release() > operands.cycle) {
        waits_ += ends_at_free_.wait_for_room(from, start - from, storer_->release_trail());
        return;
    }
    Cycles arrived = from;
    if (operands.arrival) {
        arrived = std::clamp(operands.arrival->cycle, from, start);
        const auto& trail = operands.arrival->trail;
        waits_.split(arrived - from, ends_at_free_.before(trail), trail.spent, Cause::hbm_latency);
    }
    waits_[Cause::vmem] += start - arrived; // its read latency
}

std::string VectorSequencer::waiting_for() const {
    if (working_)
        return fmt::format("the vector unit works on block {}", block_);
    if (block_ == config_.blocks.count())
        return "all blocks are done";
    return fmt::format("block {} of the vector unit waits for {}", block_,
                       held_by_room_ ? "room for its results" : "its operands");
}

} // namespace systole
