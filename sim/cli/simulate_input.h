// What `systole simulate` and `systole compare` are asked to run, taken from their options.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/options.h"
#include "sim/config/machine.h"
#include "sim/engine/run.h"
#include "sim/report/trace_file.h"
#include "sim/workload/lowering.h"

namespace systole {

// The options that say what is run on which chip and how.
std::vector<OptionSpec> run_options(const std::string& sparsities = "dense|2:4", const std::string& sparsity_help = "");

// A network as it was read, and what its operators do.
struct NetworkInput {
    Network network;
    LoweredNetwork lowered;
};

struct SimulateInput {
    Machine machine;
    std::string chip;                   // what load_machine() made the machine from
    std::vector<std::string> overrides; // likewise: of a .cfg, then those of --set
    std::vector<GemmProblem> problems;
    std::shared_ptr<const NetworkInput> network; // instead of problems; null: none
    RunOptions run;
    std::optional<TraceFileOptions> trace;
    std::vector<std::string> warnings;
};

// Throws InputError.
SimulateInput read_simulate_input(const ParsedOptions& options);

// Runs its problems, or its network, on `machine` as `run` says.
RunResult simulate(const Machine& machine, const SimulateInput& input, const RunOptions& run);

std::vector<std::string> operator_names(const SimulateInput& input); // of the results

} // namespace systole
