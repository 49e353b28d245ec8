// What every simulated operator is held to (docs/model.md, "The roofline, and two laws").
#pragma once

#include "sim/stats/result.h"

namespace systole {

// Never below the roof, nothing unexplained, no byte lost between VMEM and HBM. Throws InternalError; InputError where
// an external memory is faster than the bandwidth that the chip file states.
void check_laws(const OperatorResult& result, const OperandHomes& homes, bool external_memory);

// The first two alone: of a whole network, which has no homes of its own.
void check_time_and_causes(const OperatorResult& result, bool external_memory);

} // namespace systole
