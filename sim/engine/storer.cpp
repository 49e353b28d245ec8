#include "sim/engine/storer.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/engine/dma_id.h"
#include "sim/engine/host_link.h"

namespace systole {

Storer::Storer(int buffers, const DmaConfig& dma, const TimeBase& time, const OperandMap& operands, MemoryPort& memory,
               VmemArbiter& vmem, HostLink* host)
    : buffers_(buffers), dma_(dma), time_(time), out_(operands.out), memory_(memory), vmem_(vmem), host_(host),
      tiles_(buffers), chunks_(dma.outstanding) {
    for (int i = dma.outstanding; i-- > 0;)
        free_chunks_.push_back(i);
    completions_.reserve(dma.outstanding);
}

void Storer::store(const Pass& pass) {
    auto& tile = tiles_[pass.out_sequence % buffers_];
    tile.left += pass.out_bytes;
    tile.closed = pass.closes_out_tile;
    units_.push_back({pass.out_sequence, out_.address(pass.row_begin, pass.col_begin), pass.out_bytes, 0});
}

void Storer::issue() {
    while (!free_chunks_.empty() && !units_.empty()) {
        auto& unit = units_.front();
        const Bytes bytes = std::min(dma_.burst_bytes, unit.bytes - unit.requested);
        const int id = free_chunks_.back();
        free_chunks_.pop_back();
        chunks_[id] = {unit.sequence, unit.address + unit.requested, bytes};
        vmem_.queue_dma(dma_id(DmaUser::storer, id), bytes);
        ++in_flight_;
        unit.requested += bytes;
        if (unit.requested == unit.bytes)
            units_.pop_front();
    }
}

void Storer::read(int chunk, Cycles now) {
    ++in_memory_;
    ++requests_;
    const auto& c = chunks_[chunk];
    memory_.request(time_.at(now),
                    {.write = true, .address = c.address, .bytes = c.bytes, .id = int(dma_id(DmaUser::storer, chunk))});
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
    free_chunks_.push_back(chunk);
    stored_ += c.bytes;
    if (host_)
        host_->send_up(c.address, c.bytes);
    tiles_[c.sequence % buffers_].left -= c.bytes;
    // Buffers are given back in order, as they were taken.
    for (auto* tile = &tiles_[released_ % buffers_]; tile->closed && tile->left == 0;
         tile = &tiles_[released_ % buffers_]) {
        *tile = TileState{};
        ++released_;
        last_release_ = now;
    }
}

void Storer::account(Cycles now) {
    const Ticks until = time_.at(now);
    const Ticks busy = memory_.busy_before(until);
    account_.add_memory_time(state_, until - accounted_, busy - busy_);
    accounted_ = until;
    busy_ = busy;
}

// In order: the oldest result that is not stored yet is in memory if any is.
void Storer::settle() { state_ = in_memory_ > 0 ? Cause::hbm_bandwidth : in_flight_ > 0 ? Cause::vmem : Cause::useful; }

std::string Storer::waiting_for() const {
    if (in_memory_ > 0)
        return fmt::format("{} writes wait for the memory", in_memory_);
    if (in_flight_ > 0)
        return fmt::format("{} results wait for VMEM", in_flight_);
    return units_.empty() ? "no result is left to store" : "results wait for a request to become free";
}

} // namespace systole
