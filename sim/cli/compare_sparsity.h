// `systole compare --sparsity both`: a dense and a sparse run of the same operators, side by side.
#pragma once

#include "sim/cli/command.h"

namespace systole {

// Operators that name a sparsity run with that, the others with 2:4, and all of them dense. Throws InputError for
// options of `compare` that are about a single run. Returns the exit code.
int compare_sparsity(const ParsedOptions& options, const Session& session);

} // namespace systole
