// A sweep that has grown: which points of a larger definition a database holds already.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/space.h"
#include "sim/sweep/store.h"

namespace systole {

// When a point of the new definition is one that was run before. Both have the same values of the keys that they share.
struct SamePoint {
    std::function<bool(const Settings& before, const Settings& now)> runs_alike; // asked for with the same words
    std::function<std::string(const Settings& now)> hash; // of what it resolves to; "" if it cannot be
};

struct Regrowth {
    std::vector<Renumbered> kept;        // ascending in `now`
    std::optional<std::int64_t> missing; // the first stored point that is none of the new ones; `kept` is then useless
    bool differs_in_hash = false;        // one of the new points has its settings, and is another run
};

// `before`, `now`: what is stored is defined by, what is wanted; every key of `before` is one of `now`. A stored point
// that is asked for with the same words is kept as it is, unless it was lost; one that is good is kept, too, where the
// same run is asked for in other words (an option has become an axis). The others have to be among the new points as
// well, but are run again.
Regrowth match_points(Store& store, const Space& before, const Space& now, const SamePoint& same);

} // namespace systole
