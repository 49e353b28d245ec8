// What a run's waiting means, one sentence for each cause, from the run's own numbers.
#pragma once

#include <string>
#include <vector>

#include "sim/config/machine.h"
#include "sim/stats/result.h"

namespace systole {

struct Explanation {
    Cause cause = Cause::useful;
    Cycles cycles = 0; // the cause's bar of the waterfall
    std::string what;  // what the array waited for, with the numbers of this run; no full stop
    std::string cure;  // what would shrink it; no full stop
};

// Those causes but `useful` that took a cycle or more, the largest first; equals in the stack's order. `result` is of a
// run on `machine`: one operator, or the total of several, whose shapes are then not known and not named.
std::vector<Explanation> explain(const Machine& machine, const OperatorResult& result);

} // namespace systole
