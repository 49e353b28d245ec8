#include "pe/array_feeder.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

ArrayFeeder::ArrayFeeder(const ArrayJob& job)
    : job_(job), array_(job.limits.array), q_(job.limits.q),
      os_(job.mapping.problem.dataflow == Dataflow::output_stationary),
      ring_(static_cast<std::size_t>(array_.rows) + array_.cols + array_.mac_latency + 1), passes_(ring_.size() + 1),
      loads_(ring_.size() + 1) {}

std::size_t ArrayFeeder::remember(std::vector<Slot>& slots, std::size_t& next, const Pass& pass) const {
    const auto at = next;
    next = (next + 1) % slots.size();
    auto& slot = slots[at];
    slot.pass = pass;
    slot.parts.clear();
    for (int i = 0; i < array_.count; ++i)
        slot.parts.push_back(array_part(job_.mapping, array_, pass, i));
    return at;
}

void ArrayFeeder::start_load(const Pass& pass, Cycles) {
    load_ = remember(loads_, next_load_, pass);
    loading_ = true;
    next_row_ = 0;
}

void ArrayFeeder::start_pass(const Pass& pass, const PassTiming& timing) {
    stream_ = remember(passes_, next_pass_, pass);
    timing_ = timing;
    streaming_ = true;
    next_vector_ = 0;
    if (pass.drains)
        drains_.push_back(timing.drain_start);
    quiet_after_ = std::max(quiet_after_, timing.last_result + 1);
}

void ArrayFeeder::drive(Cycles now, const VmemArbiter& vmem) {
    now_ = now;
    auto& entry = ring_[static_cast<std::size_t>(now) % ring_.size()];
    entry = Entry{};
    entry.cycle = now;
    if (!drains_.empty() && drains_.front() == now) {
        entry.drain = true;
        drains_.pop_front();
    }
    if (streaming_)
        drive_stream(now, vmem, entry);
    if (loading_)
        drive_load(now, vmem, entry);
}

// A vector enters in the first cycle in which VMEM has delivered all its bytes.
void ArrayFeeder::drive_stream(Cycles now, const VmemArbiter& vmem, Entry& entry) {
    const auto& pass = passes_[stream_].pass;
    // The switch enters with the pass even if VMEM still owes the first vector: the next tile may follow at once.
    if (!os_ && now == timing_.start)
        entry.starts = pass.new_stationary;
    if (vmem.streamed(now) < std::min((next_vector_ + 1) * pass.vector_bytes, pass.stream_bytes()))
        return;
    entry.vector = true;
    if (os_ && next_vector_ == 0)
        entry.starts = pass.starts_sums;
    entry.step = next_vector_;
    entry.pass = stream_;
    if (++next_vector_ < pass.vectors)
        return;
    entry.last = pass.drains;
    streaming_ = false;
    if (now != timing_.stream_end) {
        throw InternalError(fmt::format("pass {}: the last vector entered in cycle {}, planned for {}", pass.index, now,
                                        timing_.stream_end));
    }
}

// A row may enter when what is still owed fits into the rows behind it: VMEM delivers at most a row a cycle, so the
// last row is in when the last byte is. The rows for unused PE rows at the bottom enter first and need no data.
void ArrayFeeder::drive_load(Cycles now, const VmemArbiter& vmem, Entry& entry) {
    const auto& pass = loads_[load_].pass;
    const Bytes row_bytes = ceil_div(pass.stationary_bytes, pass.stationary_rows);
    const Bytes behind = (array_.rows - 1 - next_row_) * row_bytes;
    if (vmem.loaded(now) < pass.stationary_bytes - behind)
        return;
    entry.load_row = true;
    entry.load_index = next_row_;
    entry.load = load_;
    quiet_after_ = std::max<Cycles>(quiet_after_, now + array_.rows + array_.cols);
    loading_ = ++next_row_ < array_.rows;
}

const ArrayFeeder::Entry* ArrayFeeder::entry(Cycles skew) const {
    const Cycles cycle = now_ - skew;
    if (cycle < 0)
        return nullptr;
    const auto& entry = ring_[static_cast<std::size_t>(cycle) % ring_.size()];
    return entry.cycle == cycle ? &entry : nullptr;
}

std::int64_t ArrayFeeder::lanes_from(std::int64_t depth, const Pass& pass) const {
    return std::clamp<std::int64_t>(pass.depth_begin + pass.depth_count - depth, 0, q_);
}

void ArrayFeeder::put_x(PeWord& word, std::int64_t row, std::int64_t depth, const Pass& pass) const {
    word.real = static_cast<std::uint8_t>(lanes_from(depth, pass));
    for (int lane = 0; job_.x.data && lane < word.real; ++lane)
        word.lanes[lane] = job_.x.at(row, depth + lane);
}

void ArrayFeeder::put_y(PeWord& word, std::int64_t depth, std::int64_t col, const Pass& pass) const {
    word.real = static_cast<std::uint8_t>(lanes_from(depth, pass));
    for (int lane = 0; job_.y.data && lane < word.real; ++lane)
        word.lanes[lane] = job_.y.at(depth + lane, col);
}

PeWord ArrayFeeder::row_word(int index, int row) const {
    PeWord word;
    const auto* in = entry(row);
    if (!in)
        return word;
    word.drain = in->drain;
    word.starts = in->starts;
    if (!in->vector)
        return word;
    word.valid = true;
    word.last = in->last;
    const auto& [pass, parts] = passes_[in->pass];
    const auto& part = parts[index];
    const auto first = pass.row_begin + part.row_offset;
    if (os_) {
        if (row < part.row_count)
            put_x(word, first + row, pass.depth_begin + in->step * q_, pass);
    } else if (in->step < part.row_count) {
        put_x(word, first + in->step, pass.depth_begin + std::int64_t{row} * q_, pass);
    }
    return word;
}

PeWord ArrayFeeder::col_word(int index, int col) const {
    PeWord word;
    const auto* in = entry(col_skew(col));
    if (!in || !(os_ ? in->vector : in->load_row))
        return word;
    word.valid = true;
    const auto& [pass, parts] = os_ ? passes_[in->pass] : loads_[in->load];
    const auto& part = parts[index];
    if (col >= part.col_count)
        return word;
    word.fresh = !os_;
    const auto depth = os_ ? in->step * q_ : (array_.rows - 1 - in->load_index) * q_;
    put_y(word, pass.depth_begin + depth, pass.col_begin + part.col_offset + col, pass);
    return word;
}

void ArrayFeeder::row_values(int index, const Entry& in, std::int16_t* to) const {
    std::fill_n(to, array_.rows * q_, std::int16_t{0});
    if (!in.vector || !job_.x.data)
        return;
    const auto& [pass, parts] = passes_[in.pass];
    const auto& part = parts[index];
    const auto first = pass.row_begin + part.row_offset;
    if (!os_ && in.step >= part.row_count)
        return;
    for (int lane = 0; lane < q_; ++lane) {
        auto* lane_to = to + static_cast<std::int64_t>(lane) * array_.rows;
        if (os_) {
            const auto depth = in.step * q_ + lane;
            if (depth >= pass.depth_count)
                return;
            for (std::int64_t r = 0; r < part.row_count; ++r)
                lane_to[r] = job_.x.at(first + r, pass.depth_begin + depth);
        } else {
            const auto* from = &job_.x.at(first + in.step, pass.depth_begin);
            const auto rows = (pass.depth_count - lane + q_ - 1) / q_;
            for (std::int64_t r = 0; r < rows; ++r)
                lane_to[r] = from[(r * q_ + lane) * job_.x.col_stride];
        }
    }
}

void ArrayFeeder::col_values(int index, const Entry& in, std::int16_t* to) const {
    std::fill_n(to, array_.cols * q_, std::int16_t{0});
    if (!(os_ ? in.vector : in.load_row) || !job_.y.data)
        return;
    const auto& [pass, parts] = os_ ? passes_[in.pass] : loads_[in.load];
    const auto& part = parts[index];
    if (part.col_count == 0)
        return;
    const auto first = (os_ ? in.step : array_.rows - 1 - in.load_index) * q_;
    for (int lane = 0; lane < q_ && first + lane < pass.depth_count; ++lane) {
        auto* lane_to = to + static_cast<std::int64_t>(lane) * array_.cols;
        const auto* from = &job_.y.at(pass.depth_begin + first + lane, pass.col_begin + part.col_offset);
        for (std::int64_t c = 0; c < part.col_count; ++c)
            lane_to[c] = from[c * job_.y.col_stride];
    }
}

} // namespace systole
