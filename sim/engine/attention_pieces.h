// Flash attention in pieces whose scores fit into VMEM.
#pragma once

#include <vector>

#include "sim/workload/lowering.h"

namespace systole {

// The tasks of a flash attention, with each block of scores, softmax and values cut so that its scores and
// probabilities together take at most `room` bytes, if that can be: by products (heads) first, then by rows (queries).
// Each piece of rows reads the keys and values of its product again.
std::vector<Task> attention_pieces(const std::vector<Task>& tasks, Bytes room);

} // namespace systole
