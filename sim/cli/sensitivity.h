// What a run would gain from each part of the chip being twice as good.
#pragma once

#include <vector>

#include "sim/cli/simulate_input.h"
#include "sim/report/compare.h"

namespace systole {

// The run of `input` again with one value of the chip changed at a time: clock, arrays, VMEM, HBM and PCIe rates and
// sizes twice what they are, latencies half, single buffers double; those that mean something on this chip and for
// data that starts there. The largest saving first, then in the order of the table; impossible ones last. The mapping
// is chosen anew for each, unless --tile says it. On the tile engine, as all engines give the same cycles.
std::vector<SensitivityRow> sensitivity(const SimulateInput& input, const RunResult& base);

} // namespace systole
