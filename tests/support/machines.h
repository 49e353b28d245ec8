// Machines and runs for tests, built in code so that a test shows every parameter that matters to it.
#pragma once

#include "dataflow/problem.h"
#include "sim/config/machine.h"
#include "sim/engine/run.h"

namespace systole::test {

inline constexpr Dataflow ws = Dataflow::weight_stationary;
inline constexpr Dataflow os = Dataflow::output_stationary;
inline constexpr Dataflow is = Dataflow::input_stationary;

// One int8 array, everything around it ideal. edge_latency and mac_latency are 1, so E = 1.
Machine ideal_machine(int rows, int cols);

// int8 operands; C is stored as int8 unless told otherwise.
GemmProblem gemm(std::int64_t m, std::int64_t n, std::int64_t k, Format c = Format::int8);

// Options of a run that checks its product wherever the engine computes one.
RunOptions run_options(EngineKind engine, Dataflow dataflow, DataOrigin from);

// One problem, operands resident in VMEM. Throws what simulate() throws, and std::runtime_error if a value engine
// left the product unchecked.
OperatorResult run_from_vmem(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, EngineKind engine);

// One problem with options of the caller's.
OperatorResult run_one(const Machine& machine, const GemmProblem& problem, const RunOptions& options);

ProbeResult probe(const Machine& machine, EngineKind engine, Dataflow dataflow, std::int64_t streamed,
                  std::int64_t passes, Cycles idle = 0, bool reuse = false);

} // namespace systole::test
