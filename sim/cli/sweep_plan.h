// What `systole sweep` is asked to do: a sweep file, options on the command line, or both.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/options.h"
#include "sim/sweep/space.h"
#include "sim/sweep/store.h"

namespace systole {

struct SweepPlan {
    Space space;
    std::vector<std::string> arguments; // of `systole simulate`, without those of the axes
    std::string description;
};

// --axis, --filter and the options of `systole simulate`.
std::vector<OptionSpec> sweep_plan_options();

// Options on the command line go before those of the file: an axis replaces the one of the same keys, an input (--gemm,
// --workload, ...) all of them. Throws InputError.
SweepPlan read_sweep_plan(const ParsedOptions& options);

// Makes a point of every value of every axis, so that what cannot be run at all is known before anything is, and so
// that the files are read. Throws InputError at a value of which nothing can be made. What the files were then is in
// the fingerprint.
SweepHeader sweep_header(const SweepPlan& plan);

} // namespace systole
