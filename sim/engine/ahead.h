// Weights of a later operator that are brought into VMEM while earlier ones run (prefetch).
//
// A core has a list of units of the later operator's B, in the order in which it will use them. Whoever runs before it
// fetches them behind everything of its own, as far as VMEM has room; the operator itself finds those that are there
// and fetches what is left of the others.
#pragma once

#include <memory>
#include <vector>

#include "sim/engine/unit_source.h"

namespace systole {

struct AheadUnit {
    FetchUnit unit;                   // its transfers: what has never been requested
    std::vector<MemoryRequest> again; // requests whose answers came too late, to be repeated
    Bytes left = 0;                   // not in VMEM yet: of both

    bool arrived() const { return left == 0; }
};

inline constexpr int ahead_operand = 3; // of a chunk of such a unit, beside x, y and out

using AheadUnits = std::vector<AheadUnit>;

// More units are not looked at: by then the array has long begun.
inline constexpr std::size_t most_ahead = 4096;

// Units of one operand as `source` brings them, as long as they fit into `room` bytes and the operand's first `tiles`
// tiles, `most_ahead` at most.
AheadUnits first_units(UnitSource& source, int operand, std::int64_t tiles, Bytes room);

Bytes bytes_there(const AheadUnits& units);

} // namespace systole
