// The closed forms of the array's timing: how long a wave takes to cross it, and how far apart two passes must start.
// Source of each: docs/model.md, "Array timing". The structural and the flat engine check them cycle by cycle in every
// run.
#pragma once

#include "dataflow/array_config.h"
#include "dataflow/problem.h"

namespace systole {

// From the cycle in which a vector enters to the cycle in which its last result is out: R + C - 2 + E, without the
// drain D of output-stationary results; E = edge_latency + mac_latency - 1. Broadcast rows: C - 1 drops out.
Cycles crossing_latency(const ArrayConfig& array);

// D, the cycles in which output-stationary results shift out.
Cycles drain_cycles(const ArrayConfig& array, Dataflow dataflow);

// R, the cycles in which a stationary tile (or an output-stationary bias) shifts in.
Cycles load_cycles(const ArrayConfig& array);

// Shortest interval between the starts of two passes with different stationary tiles, the first of `vectors` issue
// cycles, when nothing comes late.
Cycles pass_interval(const ArrayConfig& array, Dataflow dataflow, Cycles vectors);

} // namespace systole
