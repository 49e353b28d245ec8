// A sweep as a file (TOML), as `systole sweep FILE` takes it:
//
//     description = "one line"
//     filters = ["array.rows * array.cols <= 16384"]   # optional (filter.h)
//
//     [run]                                            # options of `systole simulate` without their dashes
//     chip = "edge_16x16"
//     workload = "resnet18"
//     set = ["clock=1 GHz"]
//
//     [[axis]]                                         # the last one changes fastest
//     key = "dataflow"
//     values = ["ws", "os", "is"]
//
//     [[axis]]
//     link = ["array.rows", "array.cols"]              # keys that change together
//     values = ["8..256", [64, 128], "8x512"]          # one value for all, one for each, ranges (axis.h)
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/axis.h"
#include "sim/sweep/space.h"

namespace systole {

struct RunOption {
    std::string name; // "chip"
    std::vector<std::string> values;
    bool is_switch = false; // written as true
    Place place;
};

struct SweepFile {
    std::string description;
    std::vector<RunOption> run;
    std::vector<Axis> axes;
    std::vector<FilterText> filters;
};

// Throws InputError with all problems of the text, each with its place in `file`.
SweepFile read_sweep_file(const std::string& text, const std::string& file);

// `name_or_file`: a path, or a file under configs/sweeps/ without its ending. Throws InputError.
SweepFile load_sweep_file(const std::string& name_or_file);
std::vector<std::string> sweep_names();

} // namespace systole
