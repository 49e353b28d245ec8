// The keys that are more than one field of the machine.
#pragma once

#include "sim/config/key_types.h"
#include "sim/config/keys.h"

namespace systole {

Key formats_key();        // array.formats
Key common_rate_key();    // array.macs_per_pe_cycle
Key rate_of_format_key(); // array.macs_per_pe_cycle.FORMAT
Key swap_period_key();    // array.swap_period
Key nominal_flops_key();  // nominal.flops.FORMAT
// A data sheet's bandwidth, 0 where there is none.
Key nominal_bandwidth_key(const std::string& key, std::string help, Field<BytesPerSecond> field);
Key nominal_hbm_bandwidth_key();
Key nominal_pcie_bandwidth_key();

} // namespace systole
