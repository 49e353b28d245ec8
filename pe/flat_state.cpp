#include "pe/flat_state.h"

#include <algorithm>

namespace systole {

namespace {
constexpr std::int64_t vector_elements = 32; // rows begin where a 512-bit register of int16 does
}

template <typename Lane>
FlatState<Lane>::FlatState(const ArrayConfig& array, Dataflow dataflow, int q, Words words, Picking picking)
    : rows_(array.rows), cols_(array.cols), q_(q),
      pitch_((array.cols + 1 + vector_elements - 1) / vector_elements * vector_elements), words_(words),
      picking_(picking), lanes_pitch_(words.y * pitch_), os_(dataflow == Dataflow::output_stationary),
      broadcast_(array.propagation == Propagation::broadcast_rows), double_buffered_(array.weight_buffers == 2),
      drain_axis_(array.drain_axis), rows_in_(rows_, words.x), cols_in_(cols_, words.y),
      mac_stages_(array.mac_latency - 1), window_pitch_(2 * pitch_), lanes_window_(words.x * window_pitch_),
      window_(pitch_), sum_(rows_ * pitch_), out_(rows_ * pitch_), pipeline_(mac_stages_ * rows_ * pitch_) {
    seen_.resize(rows_ * lanes_window_);
    north_.resize((os_ ? rows_ : 1) * lanes_pitch_);
    if (picking_ != Picking::none)
        picked_.resize(rows_ * q_ * pitch_);
    if (os_) {
        chain_.resize(rows_ * pitch_);
    } else {
        active_.resize(rows_ * lanes_pitch_);
        shadow_.resize(rows_ * lanes_pitch_);
        falling_.resize(rows_ * lanes_pitch_);
    }
}

template <typename Lane>
void FlatState<Lane>::feed(std::int64_t cycle) {
    for (std::int64_t lane = 0; lane < words_.y; ++lane)
        cols_in_.read(cycle, lane, broadcast_ ? 0 : 1, north_row(0) + lane * pitch_, 1);
    for (std::int64_t lane = 0; lane < words_.x; ++lane) {
        auto* west = seen_.data() + window_ + lane * window_pitch_;
        rows_in_.read(cycle, lane, 1, west, lanes_window_);
        for (std::int64_t row = 0; broadcast_ && row < rows_; ++row) {
            std::fill_n(west + row * lanes_window_, cols_, west[row * lanes_window_]);
        }
    }
}

template <typename Lane>
void FlatState<Lane>::forget() {
    rows_in_.clear();
    cols_in_.clear();
}

template <typename Lane>
typename FlatState<Lane>::Cols FlatState<Lane>::cols_of(std::int64_t row, const SkewRange& range) const {
    if (broadcast_)
        return row >= range.begin && row < range.end ? Cols{0, cols_} : Cols{0, 0};
    return {std::clamp<std::int64_t>(range.begin - row, 0, cols_), std::clamp<std::int64_t>(range.end - row, 0, cols_)};
}

template <typename Lane>
void FlatState<Lane>::step(const FlatMarks& marks) {
    if (os_) {
        step_output(marks);
    } else {
        step_stationary(marks);
    }
    move_streamed();
    if (mac_stages_ > 0)
        oldest_ = (oldest_ + 1) % mac_stages_;
}

template <typename Lane>
void FlatState<Lane>::move_streamed() {
    if (os_)
        north_top_ = (north_top_ + rows_ - 1) % rows_;
    if (--window_ >= 0)
        return;
    for (std::int64_t row = 0; row < rows_ * words_.x; ++row) {
        auto* first = seen_.data() + row * window_pitch_;
        std::copy_backward(first, first + cols_, first + pitch_ + 1 + cols_);
    }
    window_ = pitch_;
}

template <typename Lane>
Lane* FlatState<Lane>::north_row(std::int64_t row) {
    return north_.data() + (os_ ? (north_top_ + row) % rows_ : 0) * lanes_pitch_;
}

template <typename Lane>
typename FlatState<Lane>::Factors FlatState<Lane>::factors(std::int64_t row, const Lane* other) {
    const auto seen = seen_row(row);
    const LaneRow<Lane> held{other, pitch_};
    if (picking_ == Picking::none)
        return {seen, held};
    const auto& sparse = picking_ == Picking::x ? seen : held;
    auto* picked = picked_.data() + row * q_ * pitch_;
    pick_row(cols_, static_cast<int>(q_), picking_ == Picking::x ? words_.y : words_.x,
             picking_ == Picking::x ? held : seen, {sparse.first + q_ * sparse.pitch, sparse.pitch}, picked, pitch_);
    return {sparse, {picked, pitch_}};
}

// From the last row up: a row takes what the row above it held before this cycle.
template <typename Lane>
void FlatState<Lane>::step_stationary(const FlatMarks& marks) {
    for (std::int64_t row = 0; !marks.switching.empty() && row < rows_; ++row)
        switch_row(row, marks);
    if (mac_stages_ == 0) {
        for (std::int64_t row = 1; picking_ != Picking::none && row < rows_; ++row)
            factors(row, active_.data() + row * lanes_pitch_);
        const auto first = factors(0, active_.data());
        const GridPitch dense{.seen = lanes_window_, .held = lanes_pitch_, .sum = pitch_};
        const GridPitch picked{picking_ == Picking::x ? lanes_window_ : lanes_pitch_, q_ * pitch_, pitch_};
        step_stationary_grid(rows_, cols_, static_cast<int>(q_), first.a, first.b, sum_.data(),
                             picking_ == Picking::none ? dense : picked);
    } else {
        for (std::int64_t row = rows_; row-- > 0;) {
            auto* sum = sum_.data() + row * pitch_;
            if (row > 0) {
                std::copy(sum - pitch_, sum - pitch_ + cols_, sum);
            } else {
                std::fill(sum, sum + cols_, Sum<Lane>{});
            }
            delay(row, active_.data() + row * lanes_pitch_);
        }
    }
    for (std::int64_t row = rows_; !marks.shifting.empty() && row-- > 0;)
        shift_row(row, marks);
}

template <typename Lane>
void FlatState<Lane>::switch_row(std::int64_t row, const FlatMarks& marks) {
    if (!double_buffered_)
        return;
    for (const auto skew : marks.switching) {
        const auto cols = cols_of(row, {skew, skew + 1});
        for (std::int64_t lane = 0; lane < words_.y; ++lane) {
            const auto at = row * lanes_pitch_ + lane * pitch_;
            std::copy(shadow_.begin() + at + cols.begin, shadow_.begin() + at + cols.end,
                      active_.begin() + at + cols.begin);
        }
    }
}

template <typename Lane>
void FlatState<Lane>::delay(std::int64_t row, const Lane* other) {
    auto* delayed = pipeline_.data() + (oldest_ * rows_ + row) * pitch_;
    add_row(cols_, delayed, sum_.data() + row * pitch_);
    const auto [a, b] = factors(row, other);
    multiply_row(cols_, static_cast<int>(q_), a, b, delayed);
}

template <typename Lane>
void FlatState<Lane>::shift_row(std::int64_t row, const FlatMarks& marks) {
    auto& held = double_buffered_ ? shadow_ : active_;
    for (const auto& range : marks.shifting) {
        const auto cols = cols_of(row, range);
        if (cols.begin >= cols.end)
            continue;
        for (std::int64_t lane = 0; lane < words_.y; ++lane) {
            const auto at = row * lanes_pitch_ + lane * pitch_;
            const auto* entering = row == 0 ? north_.data() + lane * pitch_ : falling_.data() + at - lanes_pitch_;
            std::copy(held.begin() + at + cols.begin, held.begin() + at + cols.end, falling_.begin() + at + cols.begin);
            std::copy(entering + cols.begin, entering + cols.end, held.begin() + at + cols.begin);
        }
    }
}

template <typename Lane>
void FlatState<Lane>::step_output(const FlatMarks& marks) {
    for (std::int64_t row = rows_; row-- > 0;) {
        if (drain_axis_ != DrainAxis::none)
            drain_row(row, marks);
        auto* sum = sum_.data() + row * pitch_;
        for (const auto skew : marks.starting) {
            const auto cols = cols_of(row, {skew, skew + 1});
            std::fill(sum + cols.begin, sum + cols.end, Sum<Lane>{});
        }
        if (mac_stages_ > 0) {
            delay(row, north_row(row));
        } else {
            const auto [a, b] = factors(row, north_row(row));
            accumulate_row(cols_, static_cast<int>(q_), a, b, sum);
        }
    }
}

// See OutputPe::shift_out for why the chain has a register besides the one that is sent on.
template <typename Lane>
void FlatState<Lane>::drain_row(std::int64_t row, const FlatMarks& marks) {
    auto* out = out_.data() + row * pitch_;
    auto* chain = chain_.data() + row * pitch_;
    const auto* sum = sum_.data() + row * pitch_;
    const bool along_rows = drain_axis_ == DrainAxis::rows;
    const auto is_drained = [&](std::int64_t skew) {
        return std::find(marks.drained.begin(), marks.drained.end(), skew) != marks.drained.end();
    };
    for (const auto& range : marks.draining) {
        const auto cols = cols_of(row, range);
        for (std::int64_t c = cols.end; c-- > cols.begin;) {
            const bool edge = along_rows ? c == 0 : row == 0;
            const auto arriving = edge ? Sum<Lane>{} : out[along_rows ? c - 1 : c - pitch_];
            const bool first = is_drained(row + (broadcast_ ? 0 : c));
            out[c] = first ? sum[c] : (along_rows && broadcast_ ? arriving : chain[c]);
            chain[c] = arriving;
        }
    }
}

void WaveHistory::drop(std::vector<std::int64_t>& cycles, std::int64_t now) const {
    if (!cycles.empty() && cycles.front() < now - depth_)
        cycles.erase(cycles.begin());
}

void WaveHistory::record(std::int64_t cycle, bool load_row, bool starts, bool last, bool drain) {
    if (load_row) {
        if (!loads_.empty() && loads_.back().end == cycle) {
            loads_.back().end = cycle + 1;
        } else {
            loads_.push_back({cycle, cycle + 1});
        }
    }
    if (starts)
        starts_.push_back(cycle);
    if (last)
        lasts_.push_back(cycle);
    if (drain)
        drains_.push_back(cycle);
    if (!loads_.empty() && loads_.front().end < cycle - depth_)
        loads_.erase(loads_.begin());
    drop(starts_, cycle);
    drop(lasts_, cycle);
    drop(drains_, cycle);
}

void WaveHistory::fill(std::int64_t now, bool os, std::int64_t stage, std::int64_t drain, FlatMarks& marks) const {
    marks.shifting.clear();
    marks.switching.clear();
    marks.starting.clear();
    marks.finishing.clear();
    marks.draining.clear();
    marks.drained.clear();
    // What entered in cycle x is now at skew now - x; a range of cycles turns around. What has left the array is no
    // work.
    const auto add = [this](std::vector<std::int64_t>& skews, std::int64_t skew) {
        if (skew < reach_)
            skews.push_back(skew);
    };
    const auto add_range = [this](std::vector<SkewRange>& ranges, const SkewRange& range) {
        if (range.begin < reach_)
            ranges.push_back(range);
    };
    for (const auto& load : loads_)
        add_range(marks.shifting, {now - load.end + 1, now - load.begin + 1});
    for (const auto cycle : starts_)
        add(os ? marks.starting : marks.switching, now - (os ? stage : 0) - cycle);
    for (const auto cycle : lasts_)
        add(marks.finishing, now - stage - cycle);
    for (const auto cycle : drains_) {
        const auto skew = now - stage - cycle;
        add(marks.drained, skew);
        add_range(marks.draining, {skew - drain + 1, skew + 1});
    }
}

template class FlatState<std::int16_t>;
template class FlatState<float>;

} // namespace systole
