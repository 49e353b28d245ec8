// What a run was mapped as, to be written to a mapping file and run again.
#pragma once

#include <vector>

#include "sim/stats/result.h"
#include "sim/workload/mapping_file.h"

namespace systole {

// Of each operator of a list, or of each product of a network, in the order of the run.
std::vector<SavedMapping> mappings_of(const RunResult& result);

} // namespace systole
