// A pool of worker processes: forked from this one, which has read every file already, as the SystemC kernel is global
// to a process. Tasks are numbers; what a worker makes of one comes back as bytes over a pipe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace systole {

struct PoolJob {
    int workers = 1;
    std::function<std::optional<std::int64_t>()> next;            // in the parent: the next task, until there is none
    std::function<std::string(std::int64_t task)> work;           // in a worker; must not throw
    std::function<void(std::int64_t task, std::string)> done;     // in the parent
    std::function<void(std::int64_t task, std::string why)> lost; // in the parent: two workers died on it, why
    std::function<void()> tick;                                   // in the parent, at least 20 times a second
    std::function<bool()> stop;                                   // true: kill the workers and come back
};

// Returns when all tasks are done or lost, or with false when `stop` said so. Workers die with the parent, and with
// exceptions of the callbacks. A task whose worker is killed is given to another one, once. Throws EnvironmentError if
// no process can be made.
bool run_pool(const PoolJob& job);

// Of this process: as many as it may use at once.
int usable_cores();

} // namespace systole
