// The options that name a network: --onnx, and --workload of a file with operators of all kinds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cli/options.h"
#include "sim/workload/network.h"

namespace systole {

std::vector<OptionSpec> network_options();

// Throws InputError if there is no input, or several: those of problem_input.h, or --onnx. `nothing`: what there is not
// ("nothing to run").
void require_one_input(const ParsedOptions& options, const std::string& nothing);

// Nothing if the options name no network: neither --onnx, nor a --workload with other operators than GEMMs by m, n and
// k. `usual`: the format of what states none.
std::optional<Network> named_network(const ParsedOptions& options, Format usual);

} // namespace systole
