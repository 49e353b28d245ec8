// The time of a run on the built-in memory, without the kernel and without an array: what the mapper asks many times.
// The same cycles as the tile engine (tests/unit/engine/dry_run_test.cpp).
#pragma once

#include "sim/engine/chip.h"

namespace systole {

Cycles dry_run(const ChipConfig& config);

} // namespace systole
