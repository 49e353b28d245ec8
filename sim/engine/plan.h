// What will be run: the dataflow and mapping of each operator, what they cost, and what is refused before it starts.
#pragma once

#include <string>

#include "sim/engine/machine_run.h"

namespace systole {

struct Plan {
    GemmProblem problem;
    Dataflow dataflow = Dataflow::weight_stationary;
    CoreLimits limits;
    std::vector<CoreShare> shares;
    double estimate = 0; // cycles
    double events = 0;   // passes and DMA requests
};

// The dataflow asked for, or the fastest of the three; the tile asked for, or the naive mapping. Throws InputError if
// nothing fits.
Plan make_plan(const Machine& machine, const GemmProblem& problem, const RunOptions& options);

MachineRun machine_run(const Plan& plan, EngineKind engine, const RunOptions& options);

// What a run costs an engine.
struct Cost {
    double cycles = 0;
    double pes = 0;
    double events = 0;
};

// Throws InputError if the engine would need more than about ten minutes, or the structural engine more modules than it
// can hold. `cure`: what to do instead.
void refuse_cost(const std::string& what, const Cost& cost, EngineKind engine, const std::string& cure);

// The same for a plan, or, with --max-cycles, if the estimate is above that.
void refuse_if_too_long(const Plan& plan, const Machine& machine, EngineKind engine, const RunOptions& options);

// Throws InputError if the values of the operands would not fit into a common machine's memory.
void refuse_if_too_large(const GemmProblem& problem);

} // namespace systole
