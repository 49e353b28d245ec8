// One process of a pool, seen from its parent.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace systole {

class Worker {
  public:
    // Forks. `siblings`: the parent's ends of other workers' pipes, which the child closes. Throws EnvironmentError.
    Worker(const std::function<std::string(std::int64_t)>& work, const std::vector<int>& siblings);
    ~Worker(); // kills the process, if it is still there
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void give(std::int64_t task); // what it cannot be given any more stays in tasks()
    void finish();                // no more tasks: the process ends when it has done its own
    bool is_finishing() const { return to_worker_ < 0; }

    int results() const { return from_worker_; }                     // to poll
    const std::deque<std::int64_t>& tasks() const { return tasks_; } // given and not done, in the order of the work
    std::vector<int> descriptors() const;

    // Takes in what the process has sent and calls `done` for each whole answer. False: it has ended.
    bool receive(const std::function<void(std::int64_t, std::string)>& done);
    std::string how_it_ended(); // "was killed by signal 9", after receive() was false

    // Mean time from one answer to the next while it had work; 0 before the first.
    double seconds_per_task() const { return seconds_per_task_; }

  private:
    void note_time(std::size_t answers);

    pid_t process_ = -1;
    int to_worker_ = -1;
    int from_worker_ = -1;
    std::string buffer_; // the beginning of an answer
    std::deque<std::int64_t> tasks_;
    double seconds_per_task_ = 0;
    std::chrono::steady_clock::time_point last_;
};

} // namespace systole
