// `systole sweep --resume` on the database of a sweep that was smaller.
#pragma once

#include <string>

#include "sim/cli/command.h"
#include "sim/cli/sweep_plan.h"
#include "sim/sweep/shard.h"

namespace systole {

// Makes the database that of `plan` (`header`: its own), with all points that it holds; does nothing if it is already.
// Tells on standard error how it has grown, unless --quiet. Throws InputError, and changes nothing, if a point would be
// lost: then it says what differs.
void grow_sweep(const std::string& path, const SweepPlan& plan, const SweepHeader& header, const Shard& shard,
                const ParsedOptions& options, const Session& session);

} // namespace systole
