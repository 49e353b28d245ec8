// Runs the points of a sweep that its database does not hold yet, on all cores, and stores them as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/sweep/outcome.h"
#include "sim/sweep/shard.h"
#include "sim/sweep/space.h"
#include "sim/sweep/store.h"

namespace systole {

struct SweepProgress {
    std::int64_t points = 0; // of the shard
    std::int64_t stored = 0; // of these: a power failure would not lose them
    std::int64_t failed = 0; // of the stored ones: failed or lost
    std::int64_t newly = 0;  // stored by this run
};

struct SweepRun {
    const Space& space;
    Shard shard;
    int workers = 1;
    std::function<PointOutcome(const Settings&)> run_point;            // in a worker; must not throw
    std::function<void(std::int64_t point, const PointOutcome&)> seen; // each one as it comes; may be empty
    std::function<void(const SweepProgress&)> progress;                // at least 20 times a second; may be empty
    std::function<bool()> stop;                                        // Ctrl-C
};

// Stores in batches, a few a second, and what is there before it returns or throws. Throws EnvironmentError.
SweepProgress run_sweep(const SweepRun& run, Store& store);

} // namespace systole
