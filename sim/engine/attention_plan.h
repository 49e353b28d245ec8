// How a flash attention is cut into pieces that VMEM holds.
#pragma once

#include "sim/config/machine.h"
#include "sim/engine/attention_steps.h"

namespace systole {

// `room`: of VMEM, for what stays between tasks. Of these, those that fit half of it, else those that fit all of it:
//   - scores of one product as a whole: its keys and values are read once anyway;
//   - whole rows, as many as the array has, beside keys and values of one product or several;
//   - all rows of one product or several with some of the keys at a time.
// Each moves queries, keys, values and outputs once. If none fits: some rows with some of the keys at a time, keys and
// values again for other rows. Of several the one with the fewest cycles by estimate: passes, the vector unit's work,
// bytes again, and the beginnings and ends of tasks. `machine`: with an ideal HBM (with_ideal_hbm).
AttentionPlan plan_attention(const FlashSizes& sizes, const Machine& machine, Bytes room);

} // namespace systole
