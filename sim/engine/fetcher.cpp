#include "sim/engine/fetcher.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/engine/core_timeline.h"
#include "sim/engine/dma_id.h"
#include "sim/engine/host_link.h"

namespace systole {

Fetcher::Fetcher(FetchPlan plan, const DmaConfig& dma, const TimeBase& time, MemoryPort& memory,
                 const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host)
    : units_(std::move(plan.units)), buffers_(plan.buffers), dma_(dma), time_(time), memory_(memory),
      allocation_(allocation), vmem_(vmem), host_(host), chunks_(dma.in_flight()) {
    for (int operand = 0; operand < 2; ++operand) {
        slots_[operand].resize(buffers_);
        for (auto& slot : slots_[operand])
            slot.arrivals.resize(plan.units_of_tile[operand]);
    }
    for (int i = 0; i < dma.engines; ++i)
        engines_.push_back({DmaChannel(i * dma.outstanding, dma.outstanding, dma.issue_interval), {}, 0, 0});
    completions_.reserve(dma.in_flight());
}

void Fetcher::account(Cycles now) {
    const Ticks until = time_.at(now);
    const Ticks passed = until - accounted_;
    if (passed == 0)
        return;
    const Ticks busy = memory_.busy_before(until);
    account_.add_memory_time(state_, passed, busy - busy_);
    accounted_ = until;
    busy_ = busy;
}

// All that has come from the host has been asked for, and the next unit has not come. What is still on its way from HBM
// is then not held up by HBM: it follows the link at its pace.
bool Fetcher::starved_by_host() {
    const auto idle = [](const Engine& engine) { return engine.jobs.empty() && !engine.channel.full(); };
    return host_ && pending_active_ && std::all_of(engines_.begin(), engines_.end(), idle) && blocked() == Block::host;
}

// The engine could ask for more, but most of its requests wait for their share of VMEM.
bool Fetcher::vmem_holds(const Engine& engine) const {
    return engine.channel.full() && 2 * engine.in_memory < engine.in_flight;
}

// What the cycles until the next step are spent on, by the oldest unit that is not there yet; `useful` stands for
// nothing to wait for.
void Fetcher::settle() {
    while (!in_order_.empty() && in_order_.front().missing == 0)
        in_order_.pop_front(), ++in_order_base_;
    if (starved_by_host()) { // also by what has crossed the link and waits for its place in HBM
        state_ = host_->link_holds_down() ? Cause::pcie : Cause::hbm_bandwidth;
    } else if (!in_order_.empty()) {
        const auto& oldest = in_order_.front();
        // Its engine is at it, as all units before are there; bandwidth or latency: the memory knows when it was
        // moving.
        const auto& engine = engine_of(in_order_base_);
        const bool waits_for_slot = oldest.unrequested > 0 && !engine.channel.full();
        const bool waits_for_vmem = oldest.in_memory == 0 || vmem_holds(engine);
        state_ = waits_for_slot ? Cause::control : waits_for_vmem ? Cause::vmem : Cause::hbm_bandwidth;
    } else {
        state_ = pending_active_ ? Cause::vmem_capacity : Cause::useful;
    }
}

const Arrival& Fetcher::arrival(int operand, const UnitRef& unit) const {
    static const Arrival missing{};
    const auto& slot = slots_[operand][unit.sequence % buffers_];
    return slot.sequence == unit.sequence ? slot.arrivals[unit.unit] : missing;
}

bool Fetcher::next_unit() {
    exhausted_ = exhausted_ || !units_->next(pending_);
    pending_active_ = !exhausted_;
    // Units are dealt in order: what earlier ones have brought over the link is there.
    pending_staged_ = !pending_.from_host || pending_.staged.left() + pending_.indices.left() == 0;
    return pending_active_;
}

Fetcher::Block Fetcher::blocked() {
    if (pending_.sequence >= released_[pending_.operand] + buffers_)
        return Block::capacity;
    // Asked until it is true, and not again after that.
    pending_staged_ = pending_staged_ || host_->staged(pending_.key);
    return pending_staged_ ? Block::none : Block::host;
}

void Fetcher::deal_pending(Cycles now) {
    auto& slot = slots_[pending_.operand][pending_.sequence % buffers_];
    if (slot.sequence != pending_.sequence) {
        slot.sequence = pending_.sequence;
        std::fill(slot.arrivals.begin(), slot.arrivals.end(), Arrival{});
    }
    const Bytes bytes = pending_.bytes;
    slot.arrivals[pending_.unit].missing = bytes;
    const auto order = in_order_base_ + static_cast<std::int64_t>(in_order_.size());
    in_order_.push_back({.unrequested = bytes, .in_memory = bytes, .missing = bytes});
    engine_of(order).jobs.push_back(
        {order, pending_.operand, pending_.sequence, pending_.unit, pending_.values, pending_.indices});
    pending_active_ = false;
    if (timeline_)
        timeline_->take(pending_.operand, pending_.sequence, bytes, now);
}

// Deals units until the engine has one; no unit overtakes one that has no room yet or has not come from the host.
bool Fetcher::has_job(const Engine& engine, Cycles now) {
    while (engine.jobs.empty()) {
        if ((!pending_active_ && !next_unit()) || blocked() != Block::none)
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
    MemoryRequest request = indices ? job.indices.next() : job.requests.next();
    request.id = static_cast<int>(dma_id(DmaUser::fetcher, chunk));
    chunks_[chunk] = {job.order, job.operand, job.sequence, job.unit, request.bytes, indices, request.address, now};
    flight(job.order).unrequested -= request.bytes;
    (indices ? indices_fetched_ : fetched_[job.operand]) += request.bytes;
    if (job.requests.done() && job.indices.done())
        engine.jobs.pop_front();
    ++in_flight_;
    ++in_memory_;
    ++engine.in_flight;
    ++engine.in_memory;
    ++requests_;
    memory_.request(time_.at(now), request);
}

void Fetcher::response(int chunk, Ticks done) { completions_.push(time_.cycle_at_or_after(done), chunk); }

void Fetcher::collect(Cycles now) {
    while (completions_.next() <= now) {
        const int id = completions_.pop();
        --in_memory_;
        const auto& chunk = chunks_[id];
        --engines_[static_cast<std::size_t>(id / dma_.outstanding)].in_memory;
        flight(chunk.order).in_memory -= chunk.bytes;
        vmem_.queue_dma(dma_id(DmaUser::fetcher, id), chunk.bytes,
                        allocation_.bank(chunk.operand, chunk.sequence, chunk.unit));
    }
}

void Fetcher::written(int chunk, Cycles now) {
    const auto& done = chunks_[chunk];
    --in_flight_;
    const int engine = chunk / dma_.outstanding;
    engines_[static_cast<std::size_t>(engine)].channel.give_back(chunk);
    --engines_[static_cast<std::size_t>(engine)].in_flight;
    if (timeline_)
        timeline_->transfer(engine, done.indices ? 3 : done.operand, done.address, done.bytes, done.from, now);
    flight(done.order).missing -= done.bytes;
    auto& arrival = slots_[done.operand][done.sequence % buffers_].arrivals[done.unit];
    arrival.missing -= done.bytes;
    if (arrival.missing > 0)
        return;
    arrival.cycle = now;
    arrival.account = account_;
}

std::string Fetcher::waiting_for() const {
    if (in_memory_ > 0)
        return fmt::format("{} reads wait for the memory", in_memory_);
    if (in_flight_ > 0)
        return fmt::format("{} reads wait for VMEM", in_flight_);
    if (!pending_active_)
        return "no operand is left to fetch";
    return state_ == Cause::vmem_capacity ? "an operand waits for a free VMEM buffer" : "an operand waits for the host";
}

} // namespace systole
