// One database out of those of a sweep's shards.
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/store.h"

namespace systole {

struct Merged {
    std::int64_t points = 0; // of the space
    std::int64_t stored = 0;
    std::int64_t failed = 0; // of the stored ones: failed or lost
};

// Writes `to`, whole or not at all, with the points of all of `from`, and of `to` if it is there: merging again changes
// nothing. Finished points go before lost ones. Throws InputError for databases of different sweeps, of different
// versions, or that disagree about a point; EnvironmentError.
Merged merge_stores(const std::string& to, const std::vector<std::string>& from);

} // namespace systole
