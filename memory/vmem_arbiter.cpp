#include "memory/vmem_arbiter.h"

#include <algorithm>

namespace systole {

VmemArbiter::VmemArbiter(const VmemConfig& config) : config_(config) {}

Bytes VmemArbiter::take(Bytes& rest, Bytes wanted) const {
    const Bytes share = std::min(rest, wanted);
    if (rest != unlimited)
        rest -= share;
    if (config_.banks == 1 && share > 0)
        rest = 0; // one bank serves one client in a cycle
    return share;
}

Cycles VmemArbiter::last_cycle(Bytes left, Bytes share) const {
    if (left == 0)
        return now_;
    return share == 0 ? unlimited : now_ + ceil_div(left, share) - 1;
}

void VmemArbiter::deal() {
    Bytes rest = config_.bandwidth;
    stream_.share = stream_.active ? take(rest, stream_.cap) : 0;
    load_.share = load_.active ? take(rest, load_.cap) : 0;
    writeback_share_ = writeback_active() ? take(rest, writebacks_.front().cap) : 0;
    dma_share_ = rest;
}

void VmemArbiter::start_stream(Cycles vectors, Bytes vector_bytes, Bytes last_vector_bytes) {
    const Bytes total = (vectors - 1) * vector_bytes + last_vector_bytes;
    const Bytes share = std::min(config_.bandwidth, vector_bytes);
    stream_ = {.active = true, .total = total, .left = total, .cap = vector_bytes, .share = share};
    stream_start_ = now_;
    stream_vector_bytes_ = vector_bytes;
    // A short last vector may be delivered in the cycle of the one before; it enters a cycle later all the same.
    stream_.end = now_ + ceil_div(total, share) - 1;
    if (vectors > 1)
        stream_.end = std::max(stream_.end, now_ + delivery(vectors - 2) + 1);
}

Bytes VmemArbiter::streamed(Cycles cycle) const {
    return std::min(stream_.left, std::min(config_.bandwidth, stream_vector_bytes_) * (cycle - stream_start_ + 1));
}

Cycles VmemArbiter::delivery(Cycles index) const {
    const Bytes share = std::min(config_.bandwidth, stream_vector_bytes_);
    return ceil_div((index + 1) * stream_vector_bytes_, share) - 1;
}

void VmemArbiter::start_load(Bytes bytes, Bytes row_bytes) {
    load_ = {.active = true, .total = bytes, .left = bytes, .cap = row_bytes};
}

Bytes VmemArbiter::loaded(Cycles cycle) const {
    return load_.total - load_.left + std::min(load_.left, load_.share * (cycle - now_ + 1));
}

void VmemArbiter::queue_writeback(std::int64_t id, Cycles first, Cycles last, Bytes bytes, Bytes vector_bytes) {
    writebacks_.push_back({id, first, last, bytes, vector_bytes});
}

void VmemArbiter::queue_dma(std::int64_t id, Bytes bytes) { dma_.push_back({id, bytes}); }

void VmemArbiter::advance(Cycles now) {
    if (now <= now_)
        return;
    if (stream_.active && stream_.end < now)
        stream_.active = false;
    if (load_.active) {
        const Cycles end = last_cycle(load_.left, load_.share);
        if (end < now) {
            load_ = {.active = false, .total = load_.total, .end = end};
        } else {
            load_.left -= load_.share * (now - now_);
        }
    }
    advance_writeback(now);
    advance_dma(now);
    now_ = now;
}

void VmemArbiter::advance_writeback(Cycles until) {
    if (!writeback_active())
        return;
    auto& job = writebacks_.front();
    const Cycles end = std::max(job.last, last_cycle(job.left, writeback_share_));
    if (end < until) {
        finished_writebacks_.push_back({job.id, end});
        writebacks_.pop_front();
    } else {
        job.left = writeback_share_ == unlimited ? 0 : std::max<Bytes>(0, job.left - writeback_share_ * (until - now_));
    }
}

// Chunks follow each other without a gap: one cycle may finish one chunk and begin the next.
void VmemArbiter::advance_dma(Cycles until) {
    if (dma_.empty() || dma_share_ == 0)
        return;
    Bytes moved = 0; // since now_
    const Cycles span = until - now_;
    while (!dma_.empty()) {
        auto& chunk = dma_.front();
        const Cycles end =
            dma_share_ == unlimited ? 0 : std::max<Cycles>(0, ceil_div(moved + chunk.left, dma_share_) - 1);
        if (end >= span) {
            chunk.left -= dma_share_ * span - moved;
            return;
        }
        moved += chunk.left;
        finished_dma_.push_back({chunk.id, now_ + end});
        dma_.pop_front();
    }
}

Cycles VmemArbiter::next_event() const {
    Cycles next = unlimited;
    const auto consider = [&](Cycles last) {
        if (last != unlimited)
            next = std::min(next, last + 1);
    };
    if (stream_.active)
        consider(stream_.end);
    if (load_.active)
        consider(last_cycle(load_.left, load_.share));
    if (!writebacks_.empty()) {
        const auto& job = writebacks_.front();
        if (job.first > now_) {
            next = std::min(next, job.first);
        } else {
            consider(std::max(job.last, last_cycle(job.left, writeback_share_)));
        }
    }
    if (!dma_.empty())
        consider(last_cycle(dma_.front().left, dma_share_));
    return next;
}

} // namespace systole
