#include "pe/array_feeder.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

ArrayFeeder::ArrayFeeder(const ArrayJob& job)
    : job_(job), array_(job.limits.array), q_(job.limits.q),
      os_(job.mapping.problem.dataflow == Dataflow::output_stationary), pattern_(job.mapping.problem.sparsity),
      picking_(job.math().picking), ring_(static_cast<std::size_t>(array_.rows) + array_.cols + array_.mac_latency + 1),
      passes_(ring_.size() + 1), loads_(ring_.size() + 1) {}

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
    const bool is_last = next_vector_ + 1 == pass.vectors; // shorter, or with the padding of a sparse B
    if (vmem.streamed(now) < (is_last ? pass.stream_bytes() : (next_vector_ + 1) * pass.vector_bytes))
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

// Steps are PE rows (WS, IS) or vectors (OS): q positions of a pass each.
ActivationRange ArrayFeeder::activations(std::int64_t step, const Pass& pass) const {
    return activations_of(pattern_, q_, pass.depth_count, step);
}

std::int64_t ArrayFeeder::first_position(const Pass& pass) const {
    return pass.depth_begin / pattern_.group * pattern_.keep;
}

std::int64_t ArrayFeeder::positions_of(std::int64_t step, const Pass& pass) const {
    return std::clamp<std::int64_t>(pass.positions - step * q_, 0, q_);
}

// The lane of a position among the activations of its step.
std::int64_t ArrayFeeder::pick(std::int64_t step, int lane, std::uint8_t place) const {
    const auto group = (step * q_ + lane) / pattern_.keep - step * q_ / pattern_.keep;
    return group * pattern_.group + place;
}

void ArrayFeeder::put_x(PeWord& word, std::int64_t row, std::int64_t step, const Pass& pass) const {
    const bool sparse = picking_ == Picking::x;
    const auto range = activations(step, pass);
    word.real = static_cast<std::uint8_t>(sparse ? positions_of(step, pass) : range.count);
    const auto first = sparse ? first_position(pass) + step * q_ : pass.depth_begin + range.begin;
    std::visit(
        [&](const auto& operands) {
            const auto x = operands.x.of(pass.instance);
            for (int lane = 0; x.data && lane < word.real; ++lane) {
                word.lanes[lane] = pattern_of(x.at(row, first + lane));
                if (sparse)
                    word.lanes[q_ + lane] = static_cast<Pattern>(pick(step, lane, job_.index.at(row, first + lane)));
            }
        },
        job_.operands);
}

void ArrayFeeder::put_y(PeWord& word, std::int64_t step, std::int64_t col, const Pass& pass) const {
    const bool sparse = picking_ == Picking::y;
    const auto range = activations(step, pass);
    word.real = static_cast<std::uint8_t>(sparse ? positions_of(step, pass) : range.count);
    const auto first = sparse ? first_position(pass) + step * q_ : pass.depth_begin + range.begin;
    std::visit(
        [&](const auto& operands) {
            const auto y = operands.y.of(pass.instance);
            for (int lane = 0; y.data && lane < word.real; ++lane) {
                word.lanes[lane] = pattern_of(y.at(first + lane, col));
                if (sparse)
                    word.lanes[q_ + lane] = static_cast<Pattern>(pick(step, lane, job_.index.at(first + lane, col)));
            }
        },
        job_.operands);
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
            put_x(word, first + row, in->step, pass);
    } else if (in->step < part.row_count) {
        put_x(word, first + in->step, row, pass);
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
    const auto step = os_ ? in->step : array_.rows - 1 - in->load_index;
    put_y(word, step, pass.col_begin + part.col_offset + col, pass);
    return word;
}

namespace {

// What the job holds for lanes of this type.
template <typename T>
struct StoredAs {
    using Type = T;
};
template <>
struct StoredAs<std::int16_t> {
    using Type = std::int8_t;
};

} // namespace

// What positions hold besides values: lanes behind them. -1 where there is no position, which picks nothing.
template <typename T>
void ArrayFeeder::row_picks(std::int64_t row, const Pass& pass, T* to) const {
    std::fill_n(to + q_ * array_.rows, q_ * array_.rows, T{-1});
    const auto& x = std::get<OperandViews<typename StoredAs<T>::Type>>(job_.operands).x;
    for (std::int64_t r = 0; r < array_.rows; ++r) {
        const auto first = first_position(pass) + r * q_;
        for (int lane = 0; lane < positions_of(r, pass); ++lane) {
            to[lane * array_.rows + r] = x.at(row, first + lane);
            to[(q_ + lane) * array_.rows + r] = static_cast<T>(pick(r, lane, job_.index.at(row, first + lane)));
        }
    }
}

template <typename T>
void ArrayFeeder::col_picks(std::int64_t step, const ArrayPart& part, const Pass& pass, T* to) const {
    std::fill_n(to + q_ * array_.cols, q_ * array_.cols, T{-1});
    const auto& y = std::get<OperandViews<typename StoredAs<T>::Type>>(job_.operands).y;
    const auto first = first_position(pass) + step * q_;
    const auto col = pass.col_begin + part.col_offset;
    for (int lane = 0; lane < positions_of(step, pass); ++lane) {
        for (std::int64_t c = 0; c < part.col_count; ++c) {
            to[lane * array_.cols + c] = y.at(first + lane, col + c);
            to[(q_ + lane) * array_.cols + c] = static_cast<T>(pick(step, lane, job_.index.at(first + lane, col + c)));
        }
    }
}

template <typename T>
void ArrayFeeder::row_activations(int index, const Entry& in, T* to) const {
    const auto& [pass, parts] = passes_[in.pass];
    const auto x = std::get<OperandViews<typename StoredAs<T>::Type>>(job_.operands).x.of(pass.instance);
    const auto& part = parts[index];
    const auto first = pass.row_begin + part.row_offset;
    const auto rows = os_ ? part.row_count : array_.rows;
    for (std::int64_t r = 0; r < rows; ++r) {
        const auto range = activations(os_ ? in.step : r, pass);
        x.copy_row(first + (os_ ? r : in.step), pass.depth_begin + range.begin, range.count, to + r, 1, array_.rows);
    }
}

template <typename T>
void ArrayFeeder::row_values(int index, const Entry& in, T* to) const {
    std::fill_n(to, array_.rows * job_.x_lanes(), T{});
    const auto& all = std::get<OperandViews<typename StoredAs<T>::Type>>(job_.operands).x;
    if (!in.vector || !all.data)
        return;
    const auto& [pass, parts] = passes_[in.pass];
    const auto x = all.of(pass.instance);
    const auto& part = parts[index];
    const auto first = pass.row_begin + part.row_offset;
    if (!os_ && in.step >= part.row_count)
        return;
    if (picking_ == Picking::x)
        return row_picks(first + in.step, pass, to);
    if (picking_ == Picking::y)
        return row_activations(index, in, to);
    for (int lane = 0; lane < q_; ++lane) {
        auto* lane_to = to + static_cast<std::int64_t>(lane) * array_.rows;
        if (os_) {
            const auto depth = in.step * q_ + lane;
            if (depth >= pass.depth_count)
                return;
            x.copy_col(first, pass.depth_begin + depth, part.row_count, lane_to);
        } else {
            const auto rows = (pass.depth_count - lane + q_ - 1) / q_;
            x.copy_row(first + in.step, pass.depth_begin + lane, rows, lane_to, q_);
        }
    }
}

template <typename T>
void ArrayFeeder::col_values(int index, const Entry& in, T* to) const {
    std::fill_n(to, array_.cols * job_.y_lanes(), T{});
    const auto& all = std::get<OperandViews<typename StoredAs<T>::Type>>(job_.operands).y;
    if (!(os_ ? in.vector : in.load_row) || !all.data)
        return;
    const auto& [pass, parts] = os_ ? passes_[in.pass] : loads_[in.load];
    const auto y = all.of(pass.instance);
    const auto& part = parts[index];
    if (part.col_count == 0)
        return;
    const auto step = os_ ? in.step : array_.rows - 1 - in.load_index;
    if (picking_ == Picking::y)
        return col_picks(step, part, pass, to);
    const auto range = activations(step, pass);
    for (std::int64_t lane = 0; lane < range.count; ++lane) {
        y.copy_row(pass.depth_begin + range.begin + lane, pass.col_begin + part.col_offset, part.col_count,
                   to + lane * array_.cols);
    }
}

template void ArrayFeeder::row_values(int, const Entry&, std::int16_t*) const;
template void ArrayFeeder::row_values(int, const Entry&, float*) const;
template void ArrayFeeder::col_values(int, const Entry&, std::int16_t*) const;
template void ArrayFeeder::col_values(int, const Entry&, float*) const;

} // namespace systole
