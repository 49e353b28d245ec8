// --fuse: elementwise work of the vector unit done on the results of the matrix product before it, on their way to
// VMEM.
#pragma once

#include <set>
#include <vector>

#include "sim/engine/network_tasks.h"

namespace systole {

// Vector tasks that must not be fused, by their operator (of LoweredNetwork::operators).
using Unfused = std::set<std::size_t>;

// The same tasks without those that could be fused: each is now part of a matrix task, which makes its result (a chain
// of them: the last one's) instead of its own. A vector task is fused if
// - element i of its result needs element i of the product alone, and of its further operands
// (VectorTask::elementwise),
//   which are as large as the product and made before it;
// - nobody else reads the product, which is no result of the network, crosses no link and is made by that one task;
// - its result is stored in as many bytes as the product's.
// Whether further operands lie in VMEM is known when everything has its place: see unfusable().
std::vector<NetworkTask> fuse(std::vector<NetworkTask> tasks, const LoweredNetwork& network, const Unfused& unfused);

// Of placed tasks, the operators whose further operands turned out to lie outside VMEM.
Unfused unfusable(const std::vector<NetworkTask>& placed, DataOrigin from);

// What the vector unit does with the results of a matrix task.
Epilogue epilogue_of(const NetworkTask& task);

} // namespace systole
