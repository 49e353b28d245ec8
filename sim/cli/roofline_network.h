// `systole roofline` of a whole network: an ONNX model, or a workload file with operators of all kinds.
#pragma once

#include <optional>
#include <vector>

#include "sim/cli/roofline_request.h"

namespace systole {

// Nothing if the options name no network: neither --onnx, nor a --workload with other operators than GEMMs by m, n and
// k.
std::optional<RooflineAnswer> network_answer(const ParsedOptions& options, const ChipRequest& request);

} // namespace systole
