// Flash attention in pieces that VMEM holds.
#pragma once

#include <array>
#include <vector>

#include "sim/engine/attention_steps.h"

namespace systole {

// An operand of several tasks that stays in VMEM between them: the first of them leaves it there as `as`, the others
// find it. Bytes are those of all that stays.
struct KeptOperand {
    TensorUse as;
    bool first = false;

    bool stays() const { return as.tensor != no_tensor; }
};

struct AttentionPiece {
    Task task;
    std::array<KeptOperand, 2> kept; // A and B of a matrix task
    AttentionPart part;
};

// The tasks of a flash attention as `plan` cuts it, in the order of its steps.
std::vector<AttentionPiece> attention_pieces(const LoweredOperator& flash, const AttentionPlan& plan);

} // namespace systole
