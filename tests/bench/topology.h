// A SCALE-Sim topology file as a list of GEMMs: enough to time a whole network.
#pragma once

#include <filesystem>
#include <vector>

#include "dataflow/problem.h"

namespace systole::bench {

// Convolutions (name, ifmap height, width, filter height, width, channels, filters, stride) or GEMMs (name, M, N, K;
// the header tells). Throws std::runtime_error if the file has no layer.
std::vector<GemmProblem> read_topology(const std::filesystem::path& file, Format format);

} // namespace systole::bench
