// Work of the vector unit on a machine, alone: elementwise functions, reductions, softmax, norms, pooling.
#pragma once

#include "dataflow/vector_problem.h"
#include "sim/engine/ahead.h"
#include "sim/engine/run.h"

namespace systole {

// One operator of kind "vector", m = n = k = 0. All engines are the same, as no array takes part; of the options, from,
// max_cycles, timeline, progress and external_memory matter. The PE-slots are those of one MAC per PE and cycle.
//
// Throws InputError (counts beyond 64 bits, not even one register's operands fit into VMEM, a run would take too long),
// EnvironmentError (an external memory stopped answering), InternalError (a law of the model broken, a deadlock).
//
// ahead: of each core, what of a later operator's B to bring behind everything of this one (counted as B), and then
// what is left of it; VMEM has room for all of it beyond machine.vmem.capacity. Null: nothing.
OperatorResult run_vector(const Machine& machine, const VectorProblem& problem, const RunOptions& options,
                          std::vector<AheadUnits>* ahead = nullptr);

// VMEM of one core, the most of those that have work: what stays there, and that with the smallest blocks beside it.
struct VectorRoom {
    Bytes stays = 0;
    Bytes least = 0;
};
VectorRoom vector_room(const Machine& machine, const VectorProblem& problem, DataOrigin from);

// The cycles of the same run, counted without the kernel; always on the built-in memory.
Cycles vector_cycles(const Machine& machine, const VectorProblem& problem, DataOrigin from);

} // namespace systole
