#include "memory/vmem_arbiter.h"

#include <algorithm>

namespace systole {

VmemArbiter::VmemArbiter(const VmemConfig& config) : config_(config), banked_(config.banks != unlimited) {}

bool VmemArbiter::port_free(BankId bank) const {
    int taken = 0;
    for (std::size_t i = 0; i < held_count_; ++i)
        taken += held_[i] == bank;
    return taken < config_.ports;
}

Bytes VmemArbiter::serve(Bytes& rest, Bytes wanted, BankId bank) {
    if (banked_ && !port_free(bank)) {
        ++blocked_;
        return 0;
    }
    const Bytes share = std::min(rest, wanted);
    if (rest != unlimited)
        rest -= share;
    if (banked_ && share > 0)
        held_[held_count_++] = bank;
    return share;
}

Cycles VmemArbiter::last_cycle(Bytes left, Bytes share) const {
    if (left == 0)
        return now_;
    return share == 0 ? unlimited : now_ + ceil_div(left, share) - 1;
}

void VmemArbiter::deal_stream(Bytes& rest) {
    stream_.share = serve(rest, stream_.cap, stream_.bank);
    if (banked_ && stream_y_)
        held_[held_count_++] = stream_y_bank_;
}

void VmemArbiter::deal() {
    Bytes rest = config_.bandwidth;
    held_count_ = 0;
    blocked_ = 0;
    if (stream_.active)
        deal_stream(rest);
    load_.share = load_.active ? serve(rest, load_.cap, load_.bank) : 0;
    writeback_share_ = writeback_active() ? serve(rest, writebacks_.front().cap, writebacks_.front().bank) : 0;
    dma_share_ = 0;
    if (!dma_.empty()) {
        dma_bank_ = dma_.front().bank;
        dma_share_ = serve(rest, rest, dma_bank_);
    }
    vector_share_ = vector_.empty() ? 0 : serve(rest, vector_.front().cap, vector_.front().bank);
}

void VmemArbiter::start_stream(const VmemStream& stream) {
    const Bytes total = (stream.vectors - 1) * stream.vector_bytes + stream.last_vector_bytes;
    // Its port is as wide as the widest vector: the last one where it brings padding along.
    const Bytes widest = std::max(stream.vector_bytes, stream.last_vector_bytes);
    const Bytes share = std::min(config_.bandwidth, widest);
    stream_ = {
        .active = true, .total = total, .left = total, .cap = widest, .share = share, .end = 0, .bank = stream.x_bank};
    stream_start_ = now_;
    stream_vectors_ = stream.vectors;
    stream_vector_bytes_ = stream.vector_bytes;
    stream_y_ = stream.y_bytes > 0;
    stream_y_bank_ = stream.y_bank;
    turns_ = 0;
    // A short last vector may be delivered in the cycle of the one before; it enters a cycle later all the same.
    stream_.end = now_ + ceil_div(total, share) - 1;
    if (stream.vectors > 1)
        stream_.end = std::max(stream_.end, now_ + delivery(stream.vectors - 2) + 1);
    if (banked_ && stream_y_ && stream.x_bank == stream.y_bank && config_.ports == 1)
        start_turns(stream);
}

// Cycles of a vector whose parts cannot share one.
Cycles VmemArbiter::turns(Bytes vector_bytes, Bytes y_bytes) const {
    return ceil_div(vector_bytes - y_bytes, config_.bandwidth) + ceil_div(y_bytes, config_.bandwidth);
}

// One port serves x and y: it holds what the larger part takes in a cycle.
void VmemArbiter::start_turns(const VmemStream& stream) {
    stream_y_ = false;
    stream_.cap = std::max({stream.vector_bytes - stream.y_bytes, stream.y_bytes,
                            stream.last_vector_bytes - stream.last_y_bytes, stream.last_y_bytes});
    turns_ = turns(stream.vector_bytes, stream.y_bytes);
    const Cycles end = now_ + (stream.vectors - 1) * turns_ + turns(stream.last_vector_bytes, stream.last_y_bytes) - 1;
    conflict_cycles_ += end - stream_.end;
    stream_.end = end;
}

Bytes VmemArbiter::streamed(Cycles cycle) const {
    if (turns_ == 0)
        return std::min(stream_.left, std::min(config_.bandwidth, stream_.cap) * (cycle - stream_start_ + 1));
    if (cycle >= stream_.end)
        return stream_.total;
    const Cycles whole = (cycle - stream_start_ + 1) / turns_;
    return std::min(whole, stream_vectors_ - 1) * stream_vector_bytes_;
}

Cycles VmemArbiter::delivery(Cycles index) const {
    if (turns_ > 0)
        return (index + 1) * turns_ - 1;
    const Bytes share = std::min(config_.bandwidth, stream_.cap);
    return std::max(index, ceil_div((index + 1) * stream_vector_bytes_, share) - 1);
}

void VmemArbiter::start_load(Bytes bytes, Bytes row_bytes, BankId bank) {
    load_ = {.active = true, .total = bytes, .left = bytes, .cap = row_bytes, .share = 0, .end = 0, .bank = bank};
}

Bytes VmemArbiter::loaded(Cycles cycle) const {
    return load_.total - load_.left + std::min(load_.left, load_.share * (cycle - now_ + 1));
}

void VmemArbiter::queue_writeback(std::int64_t id, Cycles first, Cycles last, Bytes bytes, Bytes vector_bytes,
                                  BankId bank) {
    writebacks_.push_back({id, first, last, bytes, vector_bytes, bank});
}

void VmemArbiter::queue_dma(std::int64_t id, Bytes bytes, BankId bank) { dma_.push_back({id, bytes, unlimited, bank}); }

void VmemArbiter::queue_vector(std::int64_t id, Bytes bytes, Bytes bytes_per_cycle, BankId bank) {
    vector_.push_back({id, bytes, bytes_per_cycle, bank});
}

void VmemArbiter::advance(Cycles now) {
    if (now <= now_)
        return;
    conflict_cycles_ += blocked_ * (now - now_);
    if (stream_.active && stream_.end < now)
        stream_.active = false;
    advance_load(now);
    advance_writeback(now);
    advance_dma(now);
    advance_vector(now);
    now_ = now;
}

void VmemArbiter::advance_load(Cycles until) {
    if (!load_.active)
        return;
    const Cycles end = last_cycle(load_.left, load_.share);
    if (end < until) {
        load_ = {.active = false, .total = load_.total, .end = end};
    } else {
        load_.left -= load_.share * (until - now_);
    }
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

// Chunks follow each other without a gap: one cycle may finish one chunk and begin the next, if a port is free for it.
void VmemArbiter::advance_dma(Cycles until) {
    if (dma_.empty() || dma_share_ == 0)
        return;
    Bytes moved = 0; // since now_
    const Cycles span = until - now_;
    while (!dma_.empty()) {
        auto& chunk = dma_.front();
        if (banked_ && chunk.bank != dma_bank_ && !port_free(chunk.bank))
            return;
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

// The transfers of one id without a gap, as advance_dma(); what another id waits for are the next shares.
void VmemArbiter::advance_vector(Cycles until) {
    if (vector_.empty() || vector_share_ == 0)
        return;
    Bytes moved = 0; // since now_
    const Cycles span = until - now_;
    const BankId dealt = vector_.front().bank;
    const auto id = vector_.front().id;
    while (!vector_.empty() && vector_.front().id == id) {
        auto& transfer = vector_.front();
        if (banked_ && transfer.bank != dealt && !port_free(transfer.bank))
            return;
        const Cycles end =
            vector_share_ == unlimited ? 0 : std::max<Cycles>(0, ceil_div(moved + transfer.left, vector_share_) - 1);
        if (end >= span) {
            transfer.left -= vector_share_ * span - moved;
            return;
        }
        moved += transfer.left;
        vector_.pop_front();
        if (vector_.empty() || vector_.front().id != id)
            finished_vectors_.push_back({id, now_ + end});
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
    if (!vector_.empty())
        consider(last_cycle(vector_.front().left, vector_share_));
    return next;
}

} // namespace systole
