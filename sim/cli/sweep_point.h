// A point of a sweep as a run of `systole simulate`: the same options, so whatever that can run can be swept.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/simulate_input.h"
#include "sim/sweep/axis.h"
#include "sim/sweep/outcome.h"
#include "sim/sweep/space.h"

namespace systole {

// What an axis changes.
enum class AxisKind {
    chip_key,  // --set KEY=VALUE
    option,    // --KEY VALUE
    dimension, // m, n or k of --gemm
    parameter  // --bind KEY=VALUE, a parameter of the workload; "bind.KEY" is always one
};

// Throws InputError at `place` for a key that is none of these, with the one that was probably meant.
AxisKind axis_kind(const std::string& key, const Place& place);

// Throws InputError at `place` that the key is no axis, with the one that was probably meant.
[[noreturn]] void reject_axis(const std::string& key, const Place& place);

// Values of chip keys that the key does not take, the first few of each axis; the others are checked when points are
// made of them. Throws InputError with all of them.
void check_axis_values(const std::vector<Axis>& axes);

// The options of `systole simulate` that runs the point: `base` with the settings in place of what it says of them.
std::vector<std::string> point_arguments(const std::vector<std::string>& base, const Settings& settings);

// What these arguments ask for. Throws InputError.
SimulateInput resolve_point(const std::vector<std::string>& arguments);

// Of all that decides the result: every value of the chip, the problems, the options of the run and the version.
std::string point_hash(const SimulateInput& input);

PointOutcome run_point(const std::vector<std::string>& arguments) noexcept;

// The arguments as one line for a shell, quoted where that is needed.
std::string shell_line(const std::vector<std::string>& arguments);

} // namespace systole
