// --conv and the options that go with it: one convolution in two dimensions, as `systole roofline conv` takes it.
#pragma once

#include <optional>
#include <vector>

#include "dataflow/problem.h"
#include "sim/cli/options.h"

namespace systole {

std::vector<OptionSpec> convolution_options();

// Empty without --conv. Throws InputError for sizes that are none or do not fit each other, and for options of a
// convolution without one.
std::optional<GemmProblem> asked_convolution(const ParsedOptions& options);

} // namespace systole
