// `systole sweep --dry-run`.
#pragma once

#include "sim/cli/command.h"
#include "sim/cli/sweep_plan.h"
#include "sim/sweep/shard.h"

namespace systole {

// Writes the number of points and the axes as the result, and to the error stream, unless --quiet, how long all may
// take: a few points, spread over the sweep, are run for a few seconds at most. Nothing is stored. Returns an ExitCode.
int dry_run_sweep(const SweepPlan& plan, const Shard& shard, int workers, const ParsedOptions& options,
                  const Session& session);

} // namespace systole
