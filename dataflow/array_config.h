// The parameters of a systolic array that decide what happens in which cycle (docs/model.md, "Array timing").
#pragma once

#include "sim/base/quantities.h"

namespace systole {

enum class Swap { wavefront, drained };
enum class DrainAxis { columns, rows, none };
enum class Propagation { systolic, broadcast_rows };

struct ArrayConfig {
    int rows = 16;                             // R
    int cols = 16;                             // C
    int count = 1;                             // arrays (MXUs) per core, in lock step
    int edge_latency = 1;                      // registers between the last PE and the result, in cycles
    int mac_latency = 1;                       // pipeline stages of a MAC, >= 1
    int weight_buffers = 2;                    // 2: the next stationary tile loads behind the current stream
    Swap swap = Swap::wavefront;               // weight_buffers = 2: when the next load may start
    Cycles swap_period = 0;                    // swap = drained: shortest interval between two tile switches, in cycles
    int accumulator_buffers = 2;               // OS: 2: results shift out behind the next pass
    DrainAxis drain_axis = DrainAxis::columns; // OS: along what the results shift out
    Propagation propagation = Propagation::systolic;
    int min_rows = 1;        // shortest interval between the starts of two passes, in cycles
    bool transposer = false; // OS: A passes a transposer one pass ahead: + rows cycles, once

    bool operator==(const ArrayConfig&) const = default;
};

} // namespace systole
