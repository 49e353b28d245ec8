// What `systole simulate` is asked to run, taken from its options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cli/options.h"
#include "sim/config/machine.h"
#include "sim/engine/run.h"
#include "sim/report/trace_file.h"

namespace systole {

struct SimulateInput {
    Machine machine;
    std::vector<GemmProblem> problems;
    RunOptions run;
    std::optional<TraceFileOptions> trace;
    std::vector<std::string> warnings;
};

// Throws InputError.
SimulateInput read_simulate_input(const ParsedOptions& options);

} // namespace systole
