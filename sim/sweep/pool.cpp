#include "sim/sweep/pool.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <list>
#include <poll.h>
#include <sched.h>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/sweep/worker.h"

namespace systole {

namespace {

constexpr int tick_ms = 50;
constexpr double seconds_ahead = 0.2; // of work that waits at a worker, so that it never waits for the parent
constexpr std::size_t most_ahead = 64;

// While it lives, writing to a worker that has died is an error and no signal.
class NoPipeSignal {
  public:
    NoPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
    ~NoPipeSignal() { std::signal(SIGPIPE, before_); }
    NoPipeSignal(const NoPipeSignal&) = delete;
    NoPipeSignal& operator=(const NoPipeSignal&) = delete;

  private:
    void (*before_)(int);
};

class Pool {
  public:
    explicit Pool(const PoolJob& job) : job_(job) {}

    bool run() {
        for (int i = 0; i < job_.workers && fetch(); ++i) {
            start();
        }
        while (!workers_.empty()) {
            if (job_.stop()) {
                return false;
            }
            wait();
            for (auto worker = workers_.begin(); worker != workers_.end();) {
                worker = serve(worker);
            }
            job_.tick();
        }
        return true;
    }

  private:
    using Iterator = std::list<Worker>::iterator;

    // At least one task waits; false if there are no more.
    bool fetch() {
        if (waiting_.empty()) {
            if (const std::optional<std::int64_t> task = job_.next()) {
                waiting_.push_back(*task);
            }
        }
        return !waiting_.empty();
    }

    void start() {
        std::vector<int> siblings;
        for (const Worker& worker : workers_) {
            const std::vector<int> open = worker.descriptors();
            siblings.insert(siblings.end(), open.begin(), open.end());
        }
        workers_.emplace_back(job_.work, siblings);
        feed(workers_.back());
    }

    // As many tasks as it can do in a short time, but always one.
    void feed(Worker& worker) {
        if (worker.is_finishing()) {
            return;
        }
        const double each = worker.seconds_per_task();
        const double fit = each > 0 ? seconds_ahead / each : 1;
        const std::size_t ahead = std::clamp(static_cast<std::size_t>(fit), std::size_t{1}, most_ahead);
        while (worker.tasks().size() < ahead && fetch()) {
            worker.give(waiting_.front());
            waiting_.pop_front();
        }
        if (worker.tasks().empty()) {
            worker.finish();
        }
    }

    void wait() {
        std::vector<pollfd> ends;
        for (const Worker& worker : workers_) {
            ends.push_back({worker.results(), POLLIN, 0});
        }
        if (::poll(ends.data(), ends.size(), tick_ms) < 0 && errno != EINTR) {
            throw EnvironmentError(fmt::format("workers cannot be waited for: {}", std::strerror(errno)));
        }
    }

    // Returns the worker behind it.
    Iterator serve(Iterator worker) {
        if (worker->receive(job_.done)) {
            feed(*worker);
            return std::next(worker);
        }
        const std::deque<std::int64_t> undone = worker->tasks();
        const std::string why = worker->how_it_ended();
        const Iterator behind = workers_.erase(worker);
        if (!undone.empty()) {
            take_back(undone, why);
            if (fetch()) {
                start();
            }
        }
        return behind;
    }

    // The first one is what the worker died on; the others it had not begun.
    void take_back(const std::deque<std::int64_t>& undone, const std::string& why) {
        waiting_.insert(waiting_.begin(), undone.begin() + 1, undone.end());
        if (died_on_.insert(undone.front()).second) {
            waiting_.push_front(undone.front());
        } else {
            job_.lost(undone.front(), fmt::format("its worker {}, twice", why));
        }
    }

    const PoolJob& job_;
    std::list<Worker> workers_;
    std::deque<std::int64_t> waiting_;
    std::set<std::int64_t> died_on_;
};

} // namespace

bool run_pool(const PoolJob& job) {
    const NoPipeSignal ignored;
    return Pool(job).run();
}

int usable_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    const bool known = ::sched_getaffinity(0, sizeof cores, &cores) == 0;
    return known ? std::max(1, CPU_COUNT(&cores)) : 1;
}

} // namespace systole
