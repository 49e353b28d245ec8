#include "dataflow/array_timing.h"

#include <algorithm>

namespace systole {

Cycles crossing_latency(const ArrayConfig& array) {
    const Cycles edge = array.edge_latency + array.mac_latency - 1;
    const Cycles along_rows = array.propagation == Propagation::broadcast_rows ? 0 : array.cols - 1;
    return array.rows - 1 + along_rows + edge;
}

Cycles drain_cycles(const ArrayConfig& array, Dataflow dataflow) {
    if (dataflow != Dataflow::output_stationary)
        return 0;
    switch (array.drain_axis) {
    case DrainAxis::columns:
        return array.rows;
    case DrainAxis::rows:
        return array.cols;
    case DrainAxis::none:
        return 0;
    }
    return 0;
}

Cycles load_cycles(const ArrayConfig& array) { return array.rows; }

Cycles pass_interval(const ArrayConfig& array, Dataflow dataflow, Cycles vectors) {
    const Cycles shortest = std::max<Cycles>(vectors, array.min_rows);
    if (dataflow == Dataflow::output_stationary) {
        const Cycles drain = drain_cycles(array, dataflow);
        if (array.accumulator_buffers == 1)
            return std::max(shortest, vectors + crossing_latency(array) + drain);
        return std::max(shortest, drain);
    }
    if (array.weight_buffers == 1) {
        return std::max(shortest, load_cycles(array) + vectors + crossing_latency(array));
    }
    return std::max(shortest, array.swap == Swap::drained ? array.swap_period : load_cycles(array));
}

} // namespace systole
