// ONNX models as networks. What is read of which operator, and what costs nothing: docs/networks.md.
//
// Only the graph is read, never the values of weights (but their files must be there). Number formats are those the
// caller asks for, as models are stored in fp32 whatever they will run in. Batch norm behind a convolution or a product
// is folded into it, and so is a bias that is added.
#pragma once

#include <string>

#include "sim/workload/network_reader.h"

namespace systole {

struct OnnxOptions {
    NetworkOptions network;        // bindings: sizes of symbolic dimensions ("batch"), of unnamed ones as "INPUT.AXIS"
    bool skip_unsupported = false; // leave out what is not understood: its results become inputs of the network
};

// Throws InputError, with all problems at once, for a file that is missing, cut off or no ONNX model, for external
// weights that are missing, dimensions without a size, cycles, and operators that are not supported (with their node
// and type).
Network load_onnx(const std::string& file, const OnnxOptions& options);

} // namespace systole
