#include "sim/engine/fetcher.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/engine/dma_id.h"
#include "sim/engine/host_link.h"

namespace systole {

Fetcher::Fetcher(const Mapping& mapping, const CoreLimits& limits, const DmaConfig& dma, const TimeBase& time,
                 const OperandMap& operands, MemoryPort& memory, VmemArbiter& vmem, HostLink* host)
    : cursor_(mapping, limits), buffers_(limits.buffers), dma_(dma), time_(time), operands_(operands), memory_(memory),
      vmem_(vmem), host_(host), chunks_(dma.outstanding) {
    const std::array units{cursor_.max_x_units(), cursor_.max_y_units()};
    for (int operand = 0; operand < 2; ++operand) {
        slots_[operand].resize(buffers_);
        for (auto& slot : slots_[operand])
            slot.arrivals.resize(units[operand]);
    }
    for (int i = dma.outstanding; i-- > 0;)
        free_chunks_.push_back(i);
    completions_.reserve(dma.outstanding);
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

// What the cycles until the next step are spent on, by the oldest unit that is not there yet; `useful` stands for
// nothing to wait for.
void Fetcher::settle() {
    while (!in_order_.empty() && in_order_.front().missing == 0)
        in_order_.pop_front(), ++in_order_base_;
    if (!in_order_.empty()) {
        // Or latency: the memory knows when it was moving data.
        state_ = in_order_.front().in_memory > 0 ? Cause::hbm_bandwidth : Cause::vmem;
    } else if (!current_.active) {
        state_ = Cause::useful;
    } else {
        state_ = blocked() == Block::host ? Cause::pcie : Cause::vmem_capacity;
    }
}

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
        current_ = {.operand = operand, .unit = unit, .requested = 0, .active = true, .staged = host_ == nullptr};
        return true;
    }
    return false;
}

Fetcher::Block Fetcher::blocked() {
    const auto& unit = current_.unit;
    if (unit.sequence >= released_[current_.operand] + buffers_)
        return Block::capacity;
    // Asked until it is true, not for every request of the unit.
    current_.staged = current_.staged || host_->staged(current_.operand == 0 ? operands_.x : operands_.y, unit);
    return current_.staged ? Block::none : Block::host;
}

void Fetcher::issue(Cycles now) {
    while (!free_chunks_.empty()) {
        if (!current_.active && !next_unit())
            return;
        if (blocked() != Block::none)
            return;
        request_chunk(now);
    }
}

void Fetcher::request_chunk(Cycles now) {
    auto& slot = slots_[current_.operand][current_.unit.sequence % buffers_];
    if (slot.sequence != current_.unit.sequence) {
        slot.sequence = current_.unit.sequence;
        std::fill(slot.arrivals.begin(), slot.arrivals.end(), Arrival{});
    }
    const bool first = current_.requested == 0;
    if (first)
        slot.arrivals[current_.unit.unit].missing = current_.unit.bytes;
    const Bytes bytes = std::min(dma_.burst_bytes, current_.unit.bytes - current_.requested);
    const auto& place = current_.operand == 0 ? operands_.x : operands_.y;
    const auto address = place.address(current_.unit.row, current_.unit.col) + current_.requested;
    current_.requested += bytes;
    current_.active = current_.requested < current_.unit.bytes;
    const int id = free_chunks_.back();
    free_chunks_.pop_back();
    if (first) {
        in_order_.push_back({.in_memory = current_.unit.bytes, .missing = current_.unit.bytes});
    }
    chunks_[id] = {in_order_base_ + static_cast<std::int64_t>(in_order_.size()) - 1, current_.operand,
                   current_.unit.sequence, current_.unit.unit, bytes};
    fetched_[current_.operand] += bytes;
    ++in_flight_;
    ++in_memory_;
    ++requests_;
    memory_.request(time_.at(now),
                    {.write = false, .address = address, .bytes = bytes, .id = int(dma_id(DmaUser::fetcher, id))});
}

void Fetcher::response(int chunk, Ticks done) { completions_.push(time_.cycle_at_or_after(done), chunk); }

void Fetcher::collect(Cycles now) {
    while (completions_.next() <= now) {
        const int id = completions_.pop();
        --in_memory_;
        in_order_[chunks_[id].order - in_order_base_].in_memory -= chunks_[id].bytes;
        vmem_.queue_dma(dma_id(DmaUser::fetcher, id), chunks_[id].bytes);
    }
}

void Fetcher::written(int chunk, Cycles now) {
    const auto& done = chunks_[chunk];
    --in_flight_;
    free_chunks_.push_back(chunk);
    in_order_[done.order - in_order_base_].missing -= done.bytes;
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
    if (!current_.active)
        return "no operand is left to fetch";
    return state_ == Cause::pcie ? "an operand waits for the host" : "an operand waits for a free VMEM buffer";
}

} // namespace systole
