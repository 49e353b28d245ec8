#include "memory/clock_histogram.h"

#include <algorithm>

#include "sim/base/error.h"

namespace systole {

namespace {

constexpr Clocks first_large = 1 << 16;

} // namespace

void ClockHistogram::add(Clocks value) {
    if (value < 0) {
        throw InternalError("an access was complete before it was asked for");
    }
    if (value >= first_large) {
        ++large_[value];
    } else {
        if (static_cast<std::size_t>(value) >= small_.size()) {
            small_.resize(std::max<std::size_t>(2 * small_.size(), static_cast<std::size_t>(value) + 1));
        }
        ++small_[static_cast<std::size_t>(value)];
    }
    ++count_;
    sum_ += static_cast<double>(value);
}

double ClockHistogram::mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

Clocks ClockHistogram::percentile(int percent) const {
    std::int64_t left = ceil_div(count_ * percent, 100); // values up to the one that is asked for
    for (std::size_t value = 0; value < small_.size(); ++value) {
        left -= small_[value];
        if (left <= 0 && count_ > 0) {
            return static_cast<Clocks>(value);
        }
    }
    for (const auto& [value, times] : large_) {
        left -= times;
        if (left <= 0) {
            return value;
        }
    }
    return 0;
}

} // namespace systole
