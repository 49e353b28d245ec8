// The keys of the PCIe link: a stated bandwidth, or generation, lanes and the sizes of packets.
#pragma once

#include <string>
#include <vector>

#include "memory/pcie_config.h"
#include "sim/config/keys.h"

namespace systole {

std::vector<Key> pcie_keys();

// The checks that need several of them, and pcie.bandwidth where it is derived.
void finish_pcie(Draft& draft, Diagnostics& found);

// A link without a chip around it: "KEY=VALUE" as in --set, applied in order. Throws InputError with all problems.
PcieConfig load_pcie(const std::vector<std::string>& settings);

} // namespace systole
