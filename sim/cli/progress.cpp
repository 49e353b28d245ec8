#include "sim/cli/progress.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace systole {

ProgressBar::~ProgressBar() {
    if (drawn_) {
        stream_ << "\r\033[K" << std::flush;
    }
}

void ProgressBar::update(Cycles done, Cycles estimate) {
    const Clock::time_point now = Clock::now();
    if (now < next_) {
        return;
    }
    next_ = now + std::chrono::milliseconds(100);
    drawn_ = true;
    const double share =
        estimate > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(estimate), 0.0, 1.0) : 0.0;
    constexpr std::size_t width = 40;
    const auto filled = static_cast<std::size_t>(width * share);
    stream_ << fmt::format("\r[{}{}] {:3.0f} %  cycle {}", std::string(filled, '#'), std::string(width - filled, '.'),
                           100 * share, done)
            << std::flush;
}

} // namespace systole
