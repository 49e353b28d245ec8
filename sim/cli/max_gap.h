// --max-gap: how far from the roof a run may be.
#pragma once

#include <optional>
#include <string>

#include "sim/cli/command.h"
#include "sim/stats/result.h"

namespace systole {

struct Gap {
    double percent = 0;
    std::string text; // as it was given
};

// "5", "5%", "2.5 %": from 0 to 100. Throws InputError.
std::optional<Gap> max_gap(const ParsedOptions& options);

// exit_check_failed if the roofline_gap of an operator or of the total is above it; each is named on the error stream.
int check_gap(const RunResult& run, const Gap& most, const Session& session);

} // namespace systole
