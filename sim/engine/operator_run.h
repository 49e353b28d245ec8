// One operator of the arrays, run by itself: what the runs of lists and of networks are made of.
#pragma once

#include "sim/engine/plan.h"

namespace systole {

// What earlier and later operators have to do with it; of each of the plan's shares, or empty.
struct Neighbours {
    std::vector<AheadUnits> here;  // units of B that are in VMEM at the start, wholly or in part
    std::vector<AheadUnits> ahead; // units of a later operator's B, to be brought behind everything else
};

struct OperatorRun {
    OperatorResult result;
    std::vector<AheadUnits> ahead; // of each core: what has come, and what has not
};

bool needs_values(const RunOptions& options);
// Throws InputError if values are asked for and the engine carries none.
bool wants_values(EngineKind engine, const RunOptions& options);

// `engine`: resolved. Throws as simulate() does.
OperatorRun run_operator(const Machine& machine, const Plan& plan, EngineKind engine, const RunOptions& options,
                         const Neighbours& neighbours = {});

} // namespace systole
