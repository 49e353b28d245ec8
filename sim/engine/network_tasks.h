// The tasks of a network one behind the other, as the chip does them, and where their tensors lie.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataflow/vector_problem.h"
#include "sim/config/machine.h"
#include "sim/engine/attention_pieces.h"
#include "sim/workload/lowering.h"

namespace systole {

// Elementwise work that is done on the results of a product (network_fusion.h).
struct FusedTask {
    std::size_t operator_index = 0; // of LoweredNetwork::operators
    VectorTask task;
};

// One task of the arrays or of the vector unit.
struct NetworkTask {
    std::size_t operator_index = 0; // of LoweredNetwork::operators
    Task task;
    SparsePattern sparsity = dense_pattern; // of a matrix task's B
    std::vector<FusedTask> fused;           // into a matrix task, whose C is then what the last of them makes
    std::array<KeptOperand, 2> kept;        // A and B of a matrix task
    std::optional<AttentionPart> part;      // of a piece of a flash attention
    // Home of each tensor that it uses, in the order of reads_of() and writes_of().
    std::vector<Home> read_homes;
    std::vector<Home> write_homes;
    // Bytes that stay in VMEM meanwhile: what it reads and writes, and the rest.
    Bytes own_resident = 0;
    Bytes others_resident = 0;
};

std::vector<TensorUse> reads_of(const Task& task);        // matrix task: A, B; vector task: its reads
std::vector<TensorUse> reads_of(const NetworkTask& task); // behind them the further operands of what is fused
std::vector<TensorUse> writes_of(const Task& task);

// Matrix and vector tasks in their order, those of an operator of a count as often as it says, with homes. `from`:
// where inputs, weights and caches start and results end. Activations stay in VMEM from the task that makes them to the
// last that reads them, where all that stays at a time fits into half of VMEM; the other half is left to tiles. Shorter
// lives come first, of equal ones the smaller tensor, and before all of them what pieces of a flash attention hand on.
// What these read again stays as well (of activations all of it, if that fits). They stay on chips of one core alone:
// cores have no way into each other's VMEM. `weights`: the structure of B where it is a weight of a single product
// without a window. `fused`: with elementwise tasks fused into the products before them, where their further operands
// lie in VMEM.
std::vector<NetworkTask> place_tasks(const LoweredNetwork& lowered, const Machine& machine, DataOrigin from,
                                     SparsePattern weights = dense_pattern, bool fused = false);

// From VMEM everything has to fit: weights, inputs and the most that is alive of what is made on the way; and nothing
// can be transferred. Throws InputError.
void require_fits_vmem(const Network& network, const LoweredNetwork& lowered, const Machine& machine);

// The task as a problem, with the homes of its operands.
GemmProblem problem_of(const NetworkTask& task);
VectorProblem vector_problem_of(const NetworkTask& task);

} // namespace systole
