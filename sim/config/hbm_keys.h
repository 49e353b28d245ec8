// The keys hbm.* and memory.* of a chip file.
#pragma once

#include <vector>

#include "sim/config/keys.h"

namespace systole {

std::vector<Key> hbm_keys();

// Derives the bandwidth of the stacks where it is not given and checks that the keys fit each other.
void finish_hbm(Draft& draft, Diagnostics& found);

} // namespace systole
