// Keys that only the roofline reads: chips that are a data sheet alone, further nominal figures, chip-to-chip links.
#pragma once

#include <string>

#include "sim/config/keys.h"

namespace systole {

Key roofline_only_key();        // roofline_only
Key nominal_vector_flops_key(); // nominal.vector_flops
Key nominal_level_key();        // nominal.level.NAME
Key nominal_vmem_bandwidth_key();
Key link_bandwidth_key(); // link.bandwidth
Key link_count_key();     // link.count

// The keys that say something about a chip with roofline_only = true.
bool holds_for_roofline_only(const std::string& key);

// The format a roofline_only chip computes in unless told otherwise: of those stated the first of bf16, fp16, fp32,
// int8; else the first of all.
Format usual_format(const NominalConfig& nominal);

} // namespace systole
