// The result as SCALE-Sim's COMPUTE_REPORT.csv, with its columns (version 2) and its definitions.
#pragma once

#include <string>

#include "sim/config/machine.h"
#include "sim/stats/result.h"

namespace systole {

// For a machine of one array; throws InputError otherwise, as SCALE-Sim has no columns for more.
//   Total Cycles          index of the last cycle, counted from 0: the inclusive count less one
//   Stall Cycles          0: its compute report is that of ideal memory
//   Overall Util %        M*N*K / (R*C * Total Cycles)
//   Mapping Efficiency %  stationary elements / (folds*R*C)
//   Compute Util %        mean over the folds of used PEs * S / (R*C * cycles of a fold)
std::string scalesim_report(const Machine& machine, const RunResult& result);

void require_one_array(const Machine& machine);

} // namespace systole
