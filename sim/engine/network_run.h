// Runs a whole network on a machine, operator by operator.
#pragma once

#include "sim/engine/run.h"
#include "sim/workload/lowering.h"

namespace systole {

// Other ways than the usual one, for tests that compare.
struct NetworkWays {
    bool alike_once = true;    // else tasks that are alike are planned and simulated each for itself
    bool weights_ahead = true; // else nothing is fetched before its operator begins
    bool compared = true;      // whole runs, of several ways to map them; else each product is mapped by itself
};

// Operators run in their order, each from the end of the one before it to its own end. What is made on the way stays in
// VMEM where it fits (network_tasks.h). While an operator runs, the weights of the next one that has any are fetched
// behind everything else, as far as VMEM has room for them. Tensors of different operators do not meet in HBM: each
// operator has an address space of its own, and the memory is idle at its start.
//
// Tasks that are alike, in an alike state (what of their weights has come, what is to be fetched ahead), are simulated
// once and counted as often as they occur: the result is the same.
//
// Where `auto` leaves a choice, whole runs are compared, on the tile engine (docs/model.md, "Mappings").
//
// One result for each operator that runs on the chip: the sum of its tasks. Throws as simulate() does.
RunResult simulate_network(const Machine& machine, const Network& network, const LoweredNetwork& lowered,
                           const RunOptions& options, const NetworkWays& ways = {});

} // namespace systole
