// What will be run: the dataflow and mapping of each operator, what they cost, and what is refused before it starts.
#pragma once

#include <string>

#include "dataflow/mapping_estimate.h"
#include "sim/engine/machine_run.h"
#include "sim/workload/mapping_file.h"

namespace systole {

struct Plan {
    GemmProblem problem;
    Dataflow dataflow = Dataflow::weight_stationary;
    CoreLimits limits;
    std::vector<CoreShare> shares;
    MappingChoice choice; // of the largest part; the others' tiles are clipped
    double estimate = 0;  // cycles
    double events = 0;    // passes and DMA requests
};

// The dataflow asked for, or the fastest of the three; the tile asked for, the mapping of `fixed`, or what
// options.mapping says. Throws InputError if nothing fits.
Plan make_plan(const Machine& machine, const GemmProblem& problem, const RunOptions& options,
               const SavedMapping* fixed = nullptr);

// The problem shared among the cores, each part mapped by `map`.
Plan plan_with(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, const RunOptions& options,
               const std::function<Mapping(const OrientedGemm&)>& map);

// What a core sees of the chip's memory and link.
MemoryRate memory_rate(const Machine& machine, DataOrigin from);

// The same with a memory of constant bandwidth that is as fast as its DRAM on the whole: without the time of refreshes,
// with the latency of an idle bank. Without DRAM the machine itself.
Machine with_ideal_hbm(const Machine& machine);

// Throws InputError if the plan's cycles are more than 64 bits of the kernel's time hold.
void refuse_beyond_time_base(const Plan& plan, const Machine& machine);

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
