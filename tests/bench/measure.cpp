#include "tests/bench/measure.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <stdexcept>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace systole::bench {

namespace {

// What others do on the machine meanwhile matters less to it than to the time on the wall.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::array<double, 2> fastest(const std::function<double()>& work, int repetitions) {
    std::array<double, 2> best{0, std::numeric_limits<double>::infinity()};
    for (int i = 0; i < repetitions; ++i) {
        const double begin = cpu_seconds();
        best[0] = work();
        best[1] = std::min(best[1], cpu_seconds() - begin);
    }
    return best;
}

// The child's part: never returns into the parent's code.
[[noreturn]] void run_child(int result, const std::function<double()>& work, int repetitions) {
    int status = 1;
    try {
        const auto best = fastest(work, repetitions);
        status = write(result, best.data(), sizeof best) == sizeof best ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(status);
}

} // namespace

Measured measure(const std::function<double()>& work, int repetitions) {
    int ends[2];
    if (pipe(ends) != 0) {
        throw std::runtime_error("no pipe to the measured process");
    }
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("no process to measure in");
    }
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], work, repetitions);
    }
    close(ends[1]);
    std::array<double, 2> best{};
    const bool complete = read(ends[0], best.data(), sizeof best) == sizeof best;
    close(ends[0]);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (!complete || status != 0) {
        throw std::runtime_error("the measured work failed");
    }
    return {best[0], best[1], 1024.0 * static_cast<double>(usage.ru_maxrss)};
}

void print_rate(const std::string& what, double per_second, const char* unit) {
    std::printf("%-58s %10.1f million %s/s\n", what.c_str(), per_second / 1e6, unit);
}

void print_ratio(const std::string& what, double ratio, const char* goal) {
    std::printf("  %-56s %10.3f   (%s)\n", what.c_str(), ratio, goal);
}

} // namespace systole::bench
