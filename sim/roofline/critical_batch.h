// The batch at which an operator turns from memory bound to compute bound, solved exactly.
//
// An operator over B tokens does f B FLOPs and moves b0 + b1 B bytes: the weights once, the activations per token. The
// two times are equal where f B / peak = (b0 + b1 B) / bandwidth, so B = b0 / (f bandwidth / peak - b1). If the bracket
// is not above 0, the activations alone take longer than the math and no batch is large enough. Texts drop b1 ("B << D,
// F").
#pragma once

#include <cstdint>

#include "dataflow/problem.h"
#include "sim/roofline/roof.h"

namespace systole::analytic {

enum class Activations { counted, neglected };

struct PerBatch {
    double flops_per_token = 0;
    double fixed_bytes = 0;     // b0
    double bytes_per_token = 0; // b1
};

// Infinite where no batch is large enough.
double critical_batch(const PerBatch& line, double peak, double bandwidth);

// [B,D] x [D,F], formats as A = activations, B = weights, C = results.
PerBatch matmul_per_batch(double d, double f, const OperandFormats& formats, Activations activations);

// Down from D to F and back, plain (2 matrices) or gated (3); what lies between stays on the chip.
PerBatch ffn_per_batch(double d, double f, bool gated, const OperandFormats& formats, Activations activations);

// Every token uses `active` of `experts`, all of which are read. Without activations E/k times the batch of one FFN.
PerBatch moe_per_batch(double d, double f, double experts, double active, bool gated, const OperandFormats& formats,
                       Activations activations);

// The rule of the texts: each expert sees batch * active / experts tokens, and needs `dense_batch` of them.
double moe_critical_batch(double dense_batch, double experts, double active);

} // namespace systole::analytic
