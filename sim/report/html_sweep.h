// A sweep as one HTML file that opens offline: a heatmap, speed-up curves, utilizations and the Pareto front, with the
// axes to be chosen, and every point with its settings and the command that runs it again.
#pragma once

#include <string>

#include "sim/report/counters.h"
#include "sim/report/sweep_data.h"

namespace systole {

// What the page shows and chooses from. Names out of users' files are in there as they are.
Json sweep_page_data(const SweepData& data, const SweepView& view);

// The whole file. Throws InputError as require_drawable() does.
std::string sweep_page(const SweepData& data, const SweepView& view);

} // namespace systole
