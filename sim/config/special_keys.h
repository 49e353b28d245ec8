// The keys that are more than one field of the machine.
#pragma once

#include "sim/config/keys.h"

namespace systole {

Key formats_key();          // array.formats
Key common_rate_key();      // array.macs_per_pe_cycle
Key rate_of_format_key();   // array.macs_per_pe_cycle.FORMAT
Key swap_period_key();      // array.swap_period
Key pcie_generation_key();  // pcie.generation
Key pcie_lanes_key();       // pcie.lanes
Key pcie_max_payload_key(); // pcie.max_payload_bytes
Key pcie_bandwidth_key();   // pcie.bandwidth
Key pcie_round_trip_key();  // pcie.round_trip
Key nominal_flops_key();    // nominal.flops.FORMAT
Key nominal_hbm_bandwidth_key();
Key nominal_pcie_bandwidth_key();

} // namespace systole
