// What `systole simulate` and `systole compare` are asked to run, taken from their options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cli/options.h"
#include "sim/config/machine.h"
#include "sim/engine/run.h"
#include "sim/report/trace_file.h"

namespace systole {

// The options that say what is run on which chip and how.
std::vector<OptionSpec> run_options(const std::string& sparsities = "dense|2:4", const std::string& sparsity_help = "");

struct SimulateInput {
    Machine machine;
    std::string chip;                   // what load_machine() made the machine from
    std::vector<std::string> overrides; // likewise: of a .cfg, then those of --set
    std::vector<GemmProblem> problems;
    RunOptions run;
    std::optional<TraceFileOptions> trace;
    std::vector<std::string> warnings;
};

// Throws InputError.
SimulateInput read_simulate_input(const ParsedOptions& options);

} // namespace systole
