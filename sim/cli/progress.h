// A progress bar on standard error.
#pragma once

#include <chrono>
#include <ostream>

#include "sim/base/quantities.h"

namespace systole {

// Draws nothing in the first second, then at most ten times a second; the destructor wipes the bar away.
class ProgressBar {
  public:
    explicit ProgressBar(std::ostream& stream) : stream_(stream) {}
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void update(Cycles done, Cycles estimate);

  private:
    using Clock = std::chrono::steady_clock;

    std::ostream& stream_;
    Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
    bool drawn_ = false;
};

} // namespace systole
