// The waterfall: from the time that the mathematics alone would take, cause by cause, to the simulated cycles.
#pragma once

#include <string>
#include <vector>

#include "sim/stats/result.h"

namespace systole {

struct WaterfallBar {
    std::string cause; // "t_math", or the JSON key of a cause
    Cycles cycles = 0; // never negative
    bool operator==(const WaterfallBar&) const = default;
};

// Bars from bottom to top: first "t_math", the useful slots, which are MACs / peak; then every cause but `useful`, in
// the stack's order, those without a slot included (0). Each is a difference of floor(cumulated slots / slots of a
// cycle), so that they are whole cycles and sum to `cycles` exactly. The slots of a cycle are pe_slots / cycles: of a
// total over operators in formats of different rate their mean.
std::vector<WaterfallBar> waterfall(const OperatorResult& result);

} // namespace systole
