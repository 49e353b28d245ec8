// The analytic roofline of a GEMM, or of work of the vector unit, on a machine. Independent of the simulator: no
// SystemC, no simulated counter.
#pragma once

#include "dataflow/problem.h"
#include "dataflow/vector_problem.h"
#include "sim/config/machine.h"
#include "sim/stats/result.h"

namespace systole {

// Bytes that a mapping must move at each level, known before the run (dataflow/mapping.h).
struct TiledBytes {
    Bytes vmem = 0;
    Bytes hbm = 0;
    Bytes pcie = 0;
};

// Levels on the data's way: from vmem: vmem; from hbm: vmem, hbm; from host: vmem, hbm, pcie.
// FLOPs are those done: of a sparse B at its stored positions.
// Compulsory bytes: A (of a convolution the pixels that its window touches), B (sparse: values and indices) and C once
// at each level beyond which they lie (GemmProblem::homes); PCIe: those that limit are of the larger direction, A+B
// down or C up, and seconds and intensity are theirs, so that intensity < ridge where the level takes longer than the
// math. T_L = compulsory bytes / bandwidth (VMEM: that of all cores; with what an epilogue reads there); T_vector =
// operations of the epilogue / rate of the vector units; lower bound = max(T_math, T_vector, T_L...), upper = their
// sum.
// `prefetched`: bytes of B that are in VMEM at the start and cross no level beyond it.
Roofline analyze(const Machine& machine, const GemmProblem& problem, DataOrigin from, const TiledBytes& tiled,
                 Bytes prefetched = 0);

// More bytes that have to cross a level, at its bandwidth; nothing if the run has no such level.
void add_compulsory(Roofline& roofline, const std::string& level, Bytes bytes, std::int64_t flops);

// Bytes that tasks which are summed move again, or hand on: no operand of the whole. They stay among the tiled ones.
void remove_compulsory(Roofline& roofline, const std::string& level, Bytes bytes, std::int64_t flops);

// The same for the vector unit: T_math is 0, T_vector = operations / (lanes * sublanes * ALUs * clock * cores). Each
// operand crosses each level once, those that lie in VMEM that level alone; no mapping moves more.
Roofline analyze(const Machine& machine, const VectorProblem& problem, DataOrigin from);

// Sums bounds, seconds and bytes of several operators run one after the other; intensities of the sums.
Roofline sum(const std::vector<Roofline>& parts, const std::vector<std::int64_t>& flops);

} // namespace systole
