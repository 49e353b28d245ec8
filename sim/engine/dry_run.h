// The time of a run on the built-in memory, without the kernel and without an array: what the mapper asks many times.
// The same cycles as the tile engine (tests/unit/engine/dry_run_test.cpp).
#pragma once

#include "sim/engine/chip.h"

namespace systole {

// `enough`: a run that turns out to take no fewer cycles is not gone on with; the answer is then `enough`.
Cycles dry_run(const ChipConfig& config, Cycles enough = unlimited);

} // namespace systole
