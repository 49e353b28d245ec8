// SCALE-Sim's topology files: one layer per line, comma-separated, blanks and a trailing comma allowed.
//
//     Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,
//     Layer, M, N, K,
//
// A convolution may have a further stride for the width; both may end with a sparsity "N:M": of M filter weights
// along K, N are stored. A convolution becomes the
// GEMM that SCALE-Sim makes of it: no padding, M = output pixels, N = filters, K = filter height * width * channels. A
// depthwise layer is read with the numbers given, except that a name with "DP" in it stands for one layer per channel.
#pragma once

#include <string>

#include "sim/workload/workload.h"

namespace systole {

// Throws InputError with every bad line, each with its place.
Workload load_scalesim_topology(const std::string& file, const OperandFormats& formats);
Workload read_scalesim_topology(const std::string& text, const std::string& file, const OperandFormats& formats);

// ceil((input - filter + stride) / stride).
std::int64_t scalesim_output_side(std::int64_t input, std::int64_t filter, std::int64_t stride);

} // namespace systole
