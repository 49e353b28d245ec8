// Which mapping a dataflow gets: the naive one, or the fastest that a search finds.
#pragma once

#include "sim/engine/plan.h"

namespace systole {

struct SearchedPlan {
    Plan naive; // the closed form's first choice out of the plain candidates
    Plan best;  // never slower than it
};

// `search`: else `best` is the naive plan. Throws InputError if nothing fits.
SearchedPlan search_mapping(const Machine& machine, const GemmProblem& problem, Dataflow dataflow,
                            const RunOptions& options, bool search);

} // namespace systole
