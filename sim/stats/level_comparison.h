// The levels of a run side by side: what the analytic model says of each, and what the simulation did.
#pragma once

#include <string>
#include <vector>

#include "sim/stats/result.h"

namespace systole {

struct LevelComparison {
    std::string level; // as in the roofline: "vmem", "hbm", "pcie"
    Bytes compulsory_bytes = 0;
    Bytes tiled_bytes = 0;       // what the chosen mapping must move
    Bytes simulated_bytes = 0;   // what the simulation read and wrote there
    double roofline_seconds = 0; // the compulsory bytes' time (PCIe: of the busier direction)
    double busy_fraction = 0;    // roofline_seconds / simulated time: 1 is a run that is at this level's roof
};

// The levels on the data's way, from the array outwards.
std::vector<LevelComparison> compare_levels(const OperatorResult& result);

} // namespace systole
