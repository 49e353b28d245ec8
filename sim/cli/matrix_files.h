// The matrices of a run in files: --a, --b, --c and --prune.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/cli/options.h"
#include "sim/cli/output_file.h"
#include "sim/engine/run.h"

namespace systole {

// Reads --a and --b. Throws InputError for files that are no matrices of numbers and for options that do not go
// together.
GivenOperands read_given_operands(const ParsedOptions& options);

// The GEMM of --a and --b, if both are given and --gemm is not. Throws InputError if their shapes do not fit.
std::optional<GemmProblem> problem_of_matrices(const ParsedOptions& options, const GivenOperands& given);

// Refuses --prune magnitude where there is nothing to prune.
void check_pruning(const GivenOperands& given, const std::vector<GemmProblem>& problems);

// The file of --c: opened at once, written when the run is complete, or left as it was.
class ResultMatrix {
  public:
    explicit ResultMatrix(const ParsedOptions& options);

    void collect_from(RunOptions& run); // `run` may outlive this only if it is not run
    void commit();                      // throws EnvironmentError

  private:
    std::unique_ptr<OutputFile> file_; // null: no --c
    std::string text_;
};

} // namespace systole
