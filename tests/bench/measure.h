// Timing of one piece of work in a process of its own, so that peak memory is its own too and SystemC starts fresh.
#pragma once

#include <functional>
#include <string>

namespace systole::bench {

struct Measured {
    double work = 0;         // what the piece of work says it has done, e.g. PE-cycles
    double seconds = 0;      // of the process, in the fastest repetition
    double peak_bytes = 0;   // of the process
    double per_second() const { return work / seconds; }
};

// Runs `work` `repetitions` times in a child process. Throws std::runtime_error if the child fails.
Measured measure(const std::function<double()>& work, int repetitions = 3);

// One line of the report each.
void print_rate(const std::string& what, double per_second, const char* unit);
void print_ratio(const std::string& what, double ratio, const char* goal);

} // namespace systole::bench
