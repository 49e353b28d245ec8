#include "sim/engine/storer.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/engine/core_timeline.h"
#include "sim/engine/dma_id.h"
#include "sim/engine/host_link.h"

namespace systole {

Storer::Storer(int buffers, const DmaConfig& dma, const TimeBase& time, const OperandMap& operands, MemoryPort& memory,
               const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host, bool causes)
    : buffers_(buffers), dma_(dma), time_(time), out_(operands.out), memory_(memory), allocation_(allocation),
      vmem_(vmem), host_(host), tiles_(buffers), chunks_(dma.in_flight()), trails_(dma, causes) {
    for (int i = 0; i < dma.engines; ++i)
        engines_.push_back({DmaChannel(i * dma.outstanding, dma.outstanding, dma.issue_interval), {}});
    completions_.reserve(dma.in_flight());
}

void Storer::store(const StoreUnit& unit) {
    auto& tile = tiles_[unit.sequence % buffers_];
    tile.left += unit.bytes;
    tile.closed = unit.closes_tile;
    engines_[turn_].units.push_back(unit);
    turn_ = (turn_ + 1) % engines_.size();
    ++waiting_;
}

void Storer::store(const Pass& pass, const WaitTrail& trail) {
    store({.sequence = pass.out_sequence,
           .bytes = pass.out_bytes,
           .closes_tile = pass.closes_out_tile,
           .to_host = host_ != nullptr,
           .bank = allocation_.bank(2, pass.out_sequence, pass.out_unit),
           .requests = out_.transfer({.instance = pass.instance,
                                      .row = pass.row_begin,
                                      .col = pass.col_begin,
                                      .rows = pass.row_count,
                                      .cols = pass.col_count},
                                     dma_.burst_bytes),
           .trail = trail});
}

bool Storer::issue_one(Engine& engine, Cycles now) {
    if (engine.channel.full() || engine.units.empty())
        return false;
    if (engine.channel.slot() > now) {
        next_slot_ = std::min(next_slot_, engine.channel.slot());
        return false;
    }
    auto& unit = engine.units.front();
    const int chunk = engine.channel.take(now);
    MemoryRequest request = unit.requests.next();
    request.write = true;
    request.id = static_cast<int>(dma_id(DmaUser::storer, chunk));
    chunks_[chunk] = {unit.sequence, unit.to_host, request, now};
    trails_.request(chunk, unit.trail);
    vmem_.queue_dma(request.id, request.bytes, unit.bank);
    ++in_flight_;
    if (unit.requests.done()) {
        engine.units.pop_front();
        --waiting_;
    }
    return true;
}

// The engines take turns.
void Storer::issue(Cycles now) {
    next_slot_ = unlimited;
    bool issued = true;
    while (issued) {
        issued = false;
        for (auto& engine : engines_)
            issued |= issue_one(engine, now);
    }
}

void Storer::read(int chunk, Cycles now) {
    ++in_memory_;
    ++requests_;
    memory_.request(time_.at(now), chunks_[chunk].request);
}

void Storer::response(int chunk, Ticks done) { completions_.push(time_.cycle_at_or_after(done), chunk); }

void Storer::collect(Cycles now) {
    while (completions_.next() <= now)
        finish(completions_.pop(), now);
}

void Storer::finish(int chunk, Cycles now) {
    const auto& c = chunks_[chunk];
    --in_memory_;
    --in_flight_;
    trails_.answer(chunk);
    const auto index = chunk / dma_.outstanding;
    auto& engine = engines_[static_cast<std::size_t>(index)];
    if (engine.channel.full())
        trails_.make_room(chunk);
    engine.channel.give_back(chunk);
    stored_ += c.request.bytes;
    if (c.to_host)
        host_->send_up(c.request);
    tiles_[c.sequence % buffers_].left -= c.request.bytes;
    // Buffers are given back in order, as they were taken.
    for (auto* tile = &tiles_[released_ % buffers_]; tile->closed && tile->left == 0;
         tile = &tiles_[released_ % buffers_]) {
        *tile = TileState{};
        ++released_;
        last_release_ = now;
        release_trail_ = trails_.answered();
    }
    if (timeline_) {
        timeline_->transfer(index, 2, c.request.address, c.request.bytes, c.from, now);
        timeline_->give_back(2, released_ - 1, now);
    }
}

void Storer::begin_trails() {
    trails_.begin_all();
    for (auto& engine : engines_) {
        for (auto& unit : engine.units)
            unit.trail = WaitTrail::from(trails_.now());
    }
}

std::string Storer::waiting_for() const {
    if (in_memory_ > 0)
        return fmt::format("{} writes wait for the memory", in_memory_);
    if (in_flight_ > 0)
        return fmt::format("{} results wait for VMEM", in_flight_);
    return waiting_ == 0 ? "no result is left to store" : "results wait for a request to become free";
}

} // namespace systole
