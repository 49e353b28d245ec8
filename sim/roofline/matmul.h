// Matrix products, dot products and whatever is given by its FLOPs and bytes.
#pragma once

#include "dataflow/problem.h"
#include "sim/roofline/roof.h"

namespace systole::analytic {

double element_bytes(Format format); // 0.5 for int4

// C[m,n] = A[m,k] B[k,n]: 2mnk FLOP; A and B in, C out, each packed in its format. A B in N:M structured sparsity is
// read as the values kept and their indices (dataflow/operand_bytes.h); FLOPs stay the dense ones, as sparse_peak()
// counts dense FLOP/s.
Work gemm(const GemmProblem& problem);

// `batch` products with matrices of their own (bmm): batch * 2mnk FLOP, and nothing shared. int8[B,D] x int8[B,D,F] is
// batch B of m = 1, k = D, n = F.
Work batched_matmul(std::int64_t batch, const GemmProblem& one);

// x . y: n multiplies, n - 1 adds; both vectors in, one number of the same format out.
Work dot_product(std::int64_t n, Format format);

// An operator known by its FLOPs and the bytes of its operands. `reuse`: how often a byte that crossed is used before
// it crosses again, so that bytes / reuse cross (NPU: weights reused 100 times).
struct Given {
    double flops = 0;
    double input_bytes = 0;
    double weight_bytes = 0;
    double output_bytes = 0;
    double input_reuse = 1;
    double weight_reuse = 1;
    double output_reuse = 1;
};

Work given_work(const Given& given);

// Bytes of a blocked GEMM that holds one tile of each operand: A is read once for each column of tiles, B once for each
// row, and C is stored once, or loaded as well (C += A B). With tiles that divide the problem this is
// tm tn (tk (bm bk a + bk bn b) + bm bn c).
double tiled_gemm_bytes(const GemmProblem& problem, const Tile& tile, bool c_is_loaded = false);

// What the intensity of a blocked GEMM tends to for long k: 2 bm bn / (bm a + bn b), a and b in bytes per element.
double tiled_intensity_limit(double bm, double bn, const OperandFormats& formats);

} // namespace systole::analytic
