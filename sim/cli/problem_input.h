// The problem options that `simulate` and `roofline` share: --gemm, --workload, --topology, --dtype.
#pragma once

#include <optional>
#include <vector>

#include "dataflow/problem.h"
#include "sim/cli/options.h"

namespace systole {

std::vector<OptionSpec> problem_options();

// Throws InputError if none or several of them are given. `nothing`: what there is not ("nothing to run").
void require_one_problem(const ParsedOptions& options, const std::string& nothing);

// --dtype. Formats asked for on the command line hold for every operator, whatever a file says.
std::optional<OperandFormats> asked_formats(const ParsedOptions& options);

// --sparsity both: `compare` runs what is sparse, or else 2:4, beside dense.
bool asks_both_sparsities(const ParsedOptions& options);
inline constexpr SparsePattern usual_sparsity{2, 4};

// --sparsity. Holds for every operator as well; empty if it is not given, or "both".
std::optional<SparsePattern> asked_sparsity(const ParsedOptions& options);

// `usual`: the format of operators that state none. Throws InputError.
std::vector<GemmProblem> read_problems(const ParsedOptions& options, Format usual);

} // namespace systole
