// SCALE-Sim's .cfg files (INI): the array's size and the dataflow. What else they say has no counterpart in a chip file
// that is already chosen, and is handed back to be named.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataflow/problem.h"

namespace systole {

struct ScalesimConfig {
    std::string run_name;
    std::vector<std::string> overrides; // as --set takes them: "array.rows=32"
    std::optional<Dataflow> dataflow;
    std::vector<std::string> ignored; // "architecture_presets.IfmapSramSzkB", in the order of the file
};

// Throws InputError with every bad line, each with its place.
ScalesimConfig load_scalesim_cfg(const std::string& file);
ScalesimConfig read_scalesim_cfg(const std::string& text, const std::string& file);

} // namespace systole
