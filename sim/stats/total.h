// The whole run as one result: sums of its operators, ratios of the sums.
#pragma once

#include <vector>

#include "sim/stats/result.h"

namespace systole {

// Everything but the roofline, which is not a plain sum (sim/roofline/roofline.h). What the operators do not have in
// common is left empty: m, n, k and the tile are 0, `kind` is "mixed", without operators "none". `verified` is false if
// any operator is wrong, true if all were checked, empty otherwise. Throws InputError if a sum leaves 64 bits.
OperatorResult total_of(const std::vector<OperatorResult>& operators);

} // namespace systole
