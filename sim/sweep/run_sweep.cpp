#include "sim/sweep/run_sweep.h"

#include <algorithm>
#include <chrono>

#include "sim/base/error.h"
#include "sim/sweep/pool.h"

namespace systole {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// A batch is stored so often, and at most a tenth of the time is spent on it, however slow the disk.
constexpr Seconds shortest_batch{0.25};
constexpr double batches_to_storing = 10;

class Sweep {
  public:
    Sweep(const SweepRun& run, Store& store) : run_(run), store_(store), finished_(store.finished()) {
        for (std::int64_t point = 0; point < run.space.size(); ++point) {
            if (run.shard.holds(point)) {
                ++progress_.points;
                progress_.stored += is_finished(point) ? 1 : 0;
            }
        }
        progress_.failed = store.count("failed");
    }

    SweepProgress go() {
        store_.begin();
        try {
            run_pool(job());
        } catch (const InternalError&) {
            store_batch();
            throw;
        }
        store_batch();
        return progress_;
    }

  private:
    bool is_finished(std::int64_t point) const { return finished_[static_cast<std::size_t>(point)]; }

    PoolJob job() {
        PoolJob job;
        job.workers = run_.workers;
        job.next = [this] { return next(); };
        job.work = [this](std::int64_t point) { return encode(run_.run_point(run_.space.settings(point))); };
        job.done = [this](std::int64_t point, const std::string& bytes) { take(point, decode(bytes)); };
        job.lost = [this](std::int64_t point, const std::string& why) {
            take(point, {.hash = "", .status = PointStatus::lost, .error = why, .metrics = {}, .layers = {}});
        };
        job.tick = [this] { tick(); };
        job.stop = run_.stop;
        return job;
    }

    std::optional<std::int64_t> next() {
        while (next_ < run_.space.size()) {
            const std::int64_t point = next_++;
            if (run_.shard.holds(point) && !is_finished(point)) {
                return point;
            }
        }
        return std::nullopt;
    }

    void take(std::int64_t point, const PointOutcome& outcome) {
        store_.put(point, run_.space.settings(point), outcome);
        ++waiting_.stored;
        waiting_.failed += outcome.status == PointStatus::ok ? 0 : 1;
        if (run_.seen) {
            run_.seen(point, outcome);
        }
    }

    void tick() {
        if (waiting_.stored > 0 && Clock::now() >= next_batch_) {
            store_batch();
            store_.begin();
        }
        if (run_.progress) {
            run_.progress(progress_);
        }
    }

    void store_batch() {
        const Clock::time_point begin = Clock::now();
        store_.commit();
        const Clock::time_point end = Clock::now();
        const Seconds pause = std::max(shortest_batch, Seconds((end - begin) * batches_to_storing));
        next_batch_ = end + std::chrono::duration_cast<Clock::duration>(pause);
        progress_.stored += waiting_.stored;
        progress_.newly += waiting_.stored;
        progress_.failed += waiting_.failed;
        waiting_ = {};
    }

    const SweepRun& run_;
    Store& store_;
    std::vector<bool> finished_;
    std::int64_t next_ = 0;
    SweepProgress progress_;
    SweepProgress waiting_; // in the batch
    Clock::time_point next_batch_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(shortest_batch);
};

} // namespace

SweepProgress run_sweep(const SweepRun& run, Store& store) { return Sweep(run, store).go(); }

} // namespace systole
