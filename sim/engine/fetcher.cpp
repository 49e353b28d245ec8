#include "sim/engine/fetcher.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/engine/core_timeline.h"
#include "sim/engine/dma_id.h"
#include "sim/engine/host_link.h"

namespace systole {

Fetcher::Fetcher(const Mapping& mapping, const CoreLimits& limits, const DmaConfig& dma, const TimeBase& time,
                 const OperandMap& operands, MemoryPort& memory, const TileAllocation& allocation, VmemArbiter& vmem,
                 HostLink* host)
    : cursor_(mapping, limits), buffers_(limits.buffers), dma_(dma), time_(time), operands_(operands), memory_(memory),
      allocation_(allocation), vmem_(vmem), host_(host), chunks_(dma.in_flight()) {
    const std::array units{cursor_.max_x_units(), cursor_.max_y_units()};
    for (int operand = 0; operand < 2; ++operand) {
        slots_[operand].resize(buffers_);
        for (auto& slot : slots_[operand])
            slot.arrivals.resize(units[operand]);
    }
    for (int i = 0; i < dma.engines; ++i)
        engines_.push_back({DmaChannel(i * dma.outstanding, dma.outstanding, dma.issue_interval), {}, {}});
    completions_.reserve(dma.in_flight());
}

void Fetcher::begin(const Moment& now) { now_ = now; }

const Arrival& Fetcher::arrival(int operand, const UnitRef& unit) const {
    static const Arrival missing{};
    const auto& slot = slots_[operand][unit.sequence % buffers_];
    return slot.sequence == unit.sequence ? slot.arrivals[unit.unit] : missing;
}

// The stationary operand first: it has to shift in before the first vector can be used.
bool Fetcher::next_unit() {
    while (!cursor_.done()) {
        const auto& pass = cursor_.pass();
        const int operand = stage_ == 0 ? 1 : 0;
        const auto& unit = operand == 1 ? pass.y : pass.x;
        if (stage_ == 2) {
            cursor_.next();
            stage_ = 0;
            continue;
        }
        ++stage_;
        if (!unit.fetch)
            continue;
        pending_ = {.operand = operand, .unit = unit, .active = true, .staged = host_ == nullptr};
        return true;
    }
    return false;
}

Fetcher::Block Fetcher::blocked() {
    const auto& unit = pending_.unit;
    if (unit.sequence >= released_[pending_.operand] + buffers_)
        return pending_.held_by = Block::capacity;
    // Asked until it is true, and not again after that.
    pending_.staged = pending_.staged || host_->staged(pending_.operand == 0 ? operands_.x : operands_.y, unit);
    return pending_.staged ? Block::none : pending_.held_by = Block::host;
}

// It can be moved from now on, or could before if nothing has held it.
WaitTrail Fetcher::trail_of_pending() const {
    if (pending_.held_by == Block::capacity)
        return WaitTrail::from(now_);
    return pending_.held_by == Block::host ? WaitTrail{0, now_, host_->account_down()} : WaitTrail{};
}

void Fetcher::deal_pending(Cycles now) {
    const auto& unit = pending_.unit;
    auto& slot = slots_[pending_.operand][unit.sequence % buffers_];
    if (slot.sequence != unit.sequence) {
        slot.sequence = unit.sequence;
        std::fill(slot.arrivals.begin(), slot.arrivals.end(), Arrival{});
    }
    slot.arrivals[unit.unit].missing = unit.all_bytes();
    const auto& place = pending_.operand == 0 ? operands_.x : operands_.y;
    engines_[turn_].jobs.push_back({pending_.operand, unit.sequence, unit.unit, place.transfer(unit, dma_.burst_bytes),
                                    place.index_transfer(unit, dma_.burst_bytes), trail_of_pending()});
    turn_ = (turn_ + 1) % engines_.size();
    pending_.active = false;
    if (timeline_)
        timeline_->take(pending_.operand, unit.sequence, unit.all_bytes(), now);
}

// Deals units until the engine has one; no unit overtakes one that has no room yet or has not come from the host.
bool Fetcher::has_job(const Engine& engine, Cycles now) {
    while (engine.jobs.empty()) {
        if ((!pending_.active && !next_unit()) || blocked() != Block::none)
            return false;
        deal_pending(now);
    }
    return true;
}

bool Fetcher::issue_one(Engine& engine, Cycles now) {
    if (engine.channel.full() || !has_job(engine, now))
        return false;
    if (engine.channel.slot() > now) {
        next_slot_ = std::min(next_slot_, engine.channel.slot());
        return false;
    }
    request_chunk(engine, now);
    return true;
}

// The engines take turns.
void Fetcher::issue(Cycles now) {
    next_slot_ = unlimited;
    bool issued = true;
    while (issued) {
        issued = false;
        for (auto& engine : engines_)
            issued |= issue_one(engine, now);
    }
}

void Fetcher::request_chunk(Engine& engine, Cycles now) {
    auto& job = engine.jobs.front();
    const int chunk = engine.channel.take(now);
    const bool indices = job.requests.done();
    MemoryRequest request = (indices ? job.indices : job.requests).next();
    request.id = static_cast<int>(dma_id(DmaUser::fetcher, chunk));
    chunks_[chunk] = {job.operand, job.sequence,    job.unit, request.bytes,
                      indices,     request.address, now,      engine.trails.request(now_, job.trail)};
    (indices ? indices_fetched_ : fetched_[job.operand]) += request.bytes;
    if (job.requests.done() && job.indices.done())
        engine.jobs.pop_front();
    ++in_flight_;
    ++in_memory_;
    ++requests_;
    memory_.request(time_.at(now), request);
}

void Fetcher::response(int chunk, Ticks done) { completions_.push(time_.cycle_at_or_after(done), chunk); }

void Fetcher::collect(Cycles now) {
    while (completions_.next() <= now) {
        const int id = completions_.pop();
        --in_memory_;
        auto& chunk = chunks_[id];
        answered_.answer(now_, chunk.trail);
        chunk.trail = answered_;
        vmem_.queue_dma(dma_id(DmaUser::fetcher, id), chunk.bytes,
                        allocation_.bank(chunk.operand, chunk.sequence, chunk.unit));
    }
}

void Fetcher::written(int chunk, Cycles now) {
    const auto& done = chunks_[chunk];
    --in_flight_;
    const auto index = chunk / dma_.outstanding;
    auto& engine = engines_[static_cast<std::size_t>(index)];
    if (engine.channel.full())
        engine.trails.freed = done.trail;
    engine.channel.give_back(chunk);
    if (timeline_)
        timeline_->transfer(index, done.indices ? 3 : done.operand, done.address, done.bytes, done.from, now);
    auto& arrival = slots_[done.operand][done.sequence % buffers_].arrivals[done.unit];
    arrival.missing -= done.bytes;
    if (arrival.missing > 0)
        return;
    arrival.cycle = now;
    arrival.trail = done.trail;
}

std::string Fetcher::waiting_for() const {
    if (in_memory_ > 0)
        return fmt::format("{} reads wait for the memory", in_memory_);
    if (in_flight_ > 0)
        return fmt::format("{} reads wait for VMEM", in_flight_);
    if (!pending_.active)
        return "no operand is left to fetch";
    return pending_.held_by == Block::capacity ? "an operand waits for a free VMEM buffer"
                                               : "an operand waits for the host";
}

} // namespace systole
