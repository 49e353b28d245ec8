// The skew of an array's edge as one buffer: what enters the wave in a cycle is written as a row, and position i of the
// edge reads it i cycles later. Lanes of int16; lane-major within a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace systole {

template <typename T>
class SkewBuffer {
  public:
    SkewBuffer(std::int64_t width, std::int64_t lanes)
        : depth_(width + 1), width_(width), lanes_(lanes), data_(depth_ * width * lanes) {}

    // The row of this cycle: lanes x width values.
    T* row(std::int64_t cycle) { return data_.data() + cycle % depth_ * lanes_ * width_; }
    void clear() { std::fill(data_.begin(), data_.end(), T{}); }

    // to[i * stride] = position i of what entered i * skew cycles before `cycle` (skew 0 or 1), for one lane.
    void read(std::int64_t cycle, std::int64_t lane, std::int64_t skew, T* to, std::int64_t stride) const {
        std::int64_t slot = cycle % depth_;
        const T* lane_data = data_.data() + lane * width_;
        for (std::int64_t i = 0; i < width_; ++i) {
            to[i * stride] = lane_data[slot * lanes_ * width_ + i];
            slot = slot >= skew ? slot - skew : depth_ - 1;
        }
    }

    // The other way round: position i belongs to what entered (or leaves as a whole) i * skew cycles before `cycle`.
    void write(std::int64_t cycle, std::int64_t skew, const T* from) {
        std::int64_t slot = cycle % depth_;
        for (std::int64_t i = 0; i < width_; ++i) {
            data_[slot * width_ + i] = from[i];
            slot = slot >= skew ? slot - skew : depth_ - 1;
        }
    }

  private:
    std::int64_t depth_, width_, lanes_;
    std::vector<T> data_;
};

} // namespace systole
