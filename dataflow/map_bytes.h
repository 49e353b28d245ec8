// What a mapping fetches of a feature map and keeps of it in VMEM, in closed form or tile by tile.
#pragma once

#include "dataflow/mapping.h"

namespace systole {

struct MapBytes {
    Bytes whole = 0;   // the map as it lies in memory, all groups
    Bytes fetched = 0; // of one group, when all tiles are fetched once: what neighbouring tiles share is fetched twice
    Bytes tile = 0;    // of the largest tile, at least
    Bytes visited = 0; // of one group: each pixel row once
};

// Of a problem with a window.
MapBytes map_bytes(const Mapping& mapping, const CoreLimits& limits);

} // namespace systole
