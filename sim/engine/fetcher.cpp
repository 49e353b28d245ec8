#include "sim/engine/fetcher.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/engine/core_timeline.h"
#include "sim/engine/dma_id.h"
#include "sim/engine/host_link.h"

namespace systole {

Fetcher::Fetcher(FetchPlan plan, const DmaConfig& dma, const TimeBase& time, MemoryPort& memory,
                 const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host)
    : units_(std::move(plan.units)), here_(std::move(plan.here)), ahead_(std::move(plan.ahead)),
      here_operand_(plan.here_operand), buffers_(plan.buffers), dma_(dma), time_(time), memory_(memory),
      allocation_(allocation), vmem_(vmem), host_(host), chunks_(dma.in_flight()), trails_(dma, plan.causes) {
    for (int operand = 0; operand < 2; ++operand) {
        slots_[operand].resize(buffers_);
        for (auto& slot : slots_[operand])
            slot.arrivals.resize(plan.units_of_tile[operand]);
    }
    put_here(here_);
    for (int i = 0; i < dma.engines; ++i)
        engines_.push_back({DmaChannel(i * dma.outstanding, dma.outstanding, dma.issue_interval), {}});
    completions_.reserve(dma.in_flight());
}

const Arrival& Fetcher::arrival(int operand, const UnitRef& unit) const {
    static const Arrival missing{};
    const auto& slot = slots_[operand][unit.sequence % buffers_];
    return slot.sequence == unit.sequence ? slot.arrivals[unit.unit] : missing;
}

bool Fetcher::next_own_unit() {
    while (!exhausted_) {
        exhausted_ = !units_->next(pending_);
        if (exhausted_)
            break;
        again_.clear();
        if (pending_.operand != here_operand_ || next_here_ == here_.size())
            return true;
        const auto& here = here_[next_here_++];
        if (here.arrived())
            continue;
        pending_.values = here.unit.values;
        pending_.indices = here.unit.indices;
        pending_.bytes = here.left;
        again_ = here.again;
        return true;
    }
    return false;
}

// What a later run will need comes behind everything else.
bool Fetcher::next_unit() {
    pending_active_ = next_own_unit();
    while (next_ahead_ < ahead_.size() && ahead_[next_ahead_].arrived())
        ++next_ahead_;
    if (!pending_active_ && next_ahead_ < ahead_.size()) {
        const auto& next = ahead_[next_ahead_];
        pending_ = next.unit;
        pending_.operand = ahead_operand;
        pending_.sequence = 0;
        pending_.unit = static_cast<std::int64_t>(next_ahead_++);
        pending_.bytes = next.left;
        again_ = next.again;
        pending_active_ = true;
    }
    // Units are dealt in order: what earlier ones have brought over the link is there.
    const bool nothing_new = pending_.staged.left() + pending_.indices.left() == 0;
    held_by_ = Block::none;
    pending_staged_ = !pending_.from_host || pending_.operand == ahead_operand || nothing_new;
    return pending_active_;
}

// Before the first cycle.
void Fetcher::put_here(const AheadUnits& units) {
    for (const auto& one : units) {
        auto& slot = slots_[here_operand_][one.unit.sequence % buffers_];
        slot.sequence = one.unit.sequence;
        if (one.arrived())
            slot.arrivals[one.unit.unit].cycle = 0;
    }
}

Fetcher::Block Fetcher::blocked() {
    if (pending_.operand == ahead_operand)
        return Block::none;
    if (pending_.sequence >= released_[pending_.operand] + buffers_)
        return held_by_ = Block::capacity;
    // Asked until it is true, and not again after that.
    pending_staged_ = pending_staged_ || host_->staged(pending_.key);
    return pending_staged_ ? Block::none : held_by_ = Block::host;
}

// It can be moved from now on, or could before if nothing has held it.
WaitTrail Fetcher::trail_of_pending() const {
    if (held_by_ == Block::capacity)
        return WaitTrail::from(trails_.now());
    return held_by_ == Block::host ? WaitTrail{0, trails_.now(), host_->account_down()} : WaitTrail{};
}

void Fetcher::deal_pending(Cycles now) {
    const Bytes bytes = pending_.bytes;
    if (pending_.operand != ahead_operand) {
        auto& slot = slots_[pending_.operand][pending_.sequence % buffers_];
        if (slot.sequence != pending_.sequence) {
            slot.sequence = pending_.sequence;
            std::fill(slot.arrivals.begin(), slot.arrivals.end(), Arrival{});
        }
        slot.arrivals[pending_.unit].missing = bytes;
    }
    engines_[turn_].jobs.push_back({pending_.operand, pending_.sequence, pending_.unit, pending_.values,
                                    pending_.indices, std::move(again_), trail_of_pending()});
    turn_ = (turn_ + 1) % engines_.size();
    again_ = {};
    pending_active_ = false;
    if (timeline_ && pending_.operand != ahead_operand)
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

MemoryRequest Fetcher::next_request(Job& job, bool& indices) const {
    if (!job.again.empty()) {
        const auto request = job.again.back();
        job.again.pop_back();
        return request;
    }
    indices = job.requests.done();
    return indices ? job.indices.next() : job.requests.next();
}

void Fetcher::request_chunk(Engine& engine, Cycles now) {
    auto& job = engine.jobs.front();
    const int chunk = engine.channel.take(now);
    bool indices = false;
    MemoryRequest request = next_request(job, indices);
    request.id = static_cast<int>(dma_id(DmaUser::fetcher, chunk));
    chunks_[chunk] = {job.operand, job.sequence, job.unit, request.bytes, indices, true, request, now};
    if (job.operand != ahead_operand)
        trails_.request(chunk, job.trail);
    (job.operand == ahead_operand ? ahead_fetched_
     : indices                    ? indices_fetched_
                                  : fetched_[job.operand]) += request.bytes;
    if (job.again.empty() && job.requests.done() && job.indices.done())
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
        const auto& chunk = chunks_[id];
        if (!is_ahead(id))
            trails_.answer(id);
        const auto bank = chunk.operand == ahead_operand ? allocation_.bank_ahead(chunk.unit)
                                                         : allocation_.bank(chunk.operand, chunk.sequence, chunk.unit);
        vmem_.queue_dma(dma_id(DmaUser::fetcher, id), chunk.bytes, bank);
    }
}

void Fetcher::written(int chunk, Cycles now) {
    auto& done = chunks_[chunk];
    done.in_flight = false;
    --in_flight_;
    const auto index = chunk / dma_.outstanding;
    auto& engine = engines_[static_cast<std::size_t>(index)];
    if (engine.channel.full() && !is_ahead(chunk))
        trails_.make_room(chunk);
    engine.channel.give_back(chunk);
    if (timeline_)
        timeline_->transfer(index,
                            done.operand == ahead_operand ? 4
                            : done.indices                ? 3
                                                          : done.operand,
                            done.request.address, done.bytes, done.from, now);
    if (done.operand == ahead_operand) {
        ahead_[static_cast<std::size_t>(done.unit)].left -= done.bytes;
        return;
    }
    auto& arrival = slots_[done.operand][done.sequence % buffers_].arrivals[done.unit];
    arrival.missing -= done.bytes;
    if (arrival.missing > 0)
        return;
    arrival.cycle = now;
    if (trails_.kept())
        arrival.trail = trails_.of(chunk);
}

// Requests that are on their way are given up, as if they had not been made: the later run makes them again.
AheadUnits Fetcher::take_ahead() {
    for (std::size_t i = 0; i < next_ahead_; ++i) {
        ahead_[i].again.clear();
        ahead_[i].unit.values = OperandTransfer();
        ahead_[i].unit.indices = DmaDescriptor();
    }
    if (pending_active_ && pending_.operand == ahead_operand) { // not dealt
        ahead_[next_ahead_ - 1].unit.values = pending_.values;
        ahead_[next_ahead_ - 1].unit.indices = pending_.indices;
        ahead_[next_ahead_ - 1].again = again_;
    }
    for (const auto& engine : engines_) {
        for (const auto& job : engine.jobs) {
            if (job.operand != ahead_operand)
                continue;
            auto& unit = ahead_[static_cast<std::size_t>(job.unit)];
            unit.unit.values = job.requests;
            unit.unit.indices = job.indices;
            unit.again = job.again;
        }
    }
    for (const auto& chunk : chunks_) {
        if (!chunk.in_flight || chunk.operand != ahead_operand)
            continue;
        ahead_[static_cast<std::size_t>(chunk.unit)].again.push_back(chunk.request);
        ahead_fetched_ -= chunk.bytes;
        --requests_;
    }
    return std::move(ahead_);
}

std::string Fetcher::waiting_for() const {
    if (in_memory_ > 0)
        return fmt::format("{} reads wait for the memory", in_memory_);
    if (in_flight_ > 0)
        return fmt::format("{} reads wait for VMEM", in_flight_);
    if (!pending_active_)
        return "no operand is left to fetch";
    return held_by_ == Block::capacity ? "an operand waits for a free VMEM buffer" : "an operand waits for the host";
}

} // namespace systole
