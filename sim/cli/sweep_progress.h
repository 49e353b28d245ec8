// The line that a sweep draws on a terminal while it runs.
#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include "sim/sweep/metric.h"
#include "sim/sweep/outcome.h"
#include "sim/sweep/run_sweep.h"

namespace systole {

// "[#####.....] 512/1000  412/s  1 s left  1 failed  best cycles 1234: array.rows=32". Drawn at most ten times a
// second; the destructor wipes it away.
class SweepProgressLine {
  public:
    // `best_by`: what "best" means. `columns`: of the terminal.
    SweepProgressLine(std::ostream& stream, const Metric& best_by, int columns);
    ~SweepProgressLine();
    SweepProgressLine(const SweepProgressLine&) = delete;
    SweepProgressLine& operator=(const SweepProgressLine&) = delete;

    void see(const Settings& settings, const PointOutcome& outcome);
    void update(const SweepProgress& progress);

    std::string line(const SweepProgress& progress, double seconds) const; // without control characters

  private:
    using Clock = std::chrono::steady_clock;

    std::ostream& stream_;
    const Metric& best_by_;
    std::size_t index_ = 0; // of best_by_ among the metrics
    int columns_;
    Cell best_;
    std::string best_settings_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point next_ = Clock::now();
    bool drawn_ = false;
};

int terminal_columns(); // of standard error; 80 where that is not known

} // namespace systole
