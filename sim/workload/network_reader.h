// The text of a workload file: a list of GEMMs, or a network of operators with tensors between them (docs/networks.md).
//
//     description = "one line"
//     source = "where the architecture is published"
//     dtype = "int8"                  # optional, "A[,B[,C]]": activations, weights, results
//     sparsity = "2:4"                # optional: of B of GEMMs given by m, n and k
//     outputs = ["logits"]            # optional: results; otherwise what the last operator makes
//
//     [parameters]                    # optional: names for numbers, which --bind changes
//     batch = 1
//
//     [[tensor]]                      # what comes from outside
//     name = "image"
//     kind = "input"                  # or "weight", "cache"
//     shape = ["batch", 3, 224, 224]
//
//     [[operator]]                    # in the order in which they run
//     name = "conv1"                  # also the name of its result
//     kind = "conv"                   # inputs: the result of the operator before, if none are named
//     filters = 64
//     kernel = 7
//     activation = "relu"             # an operator of its own behind it
//
//     [[repeat]]                      # `count` times the operators and tensors in it, named "block[i].NAME"
//     name = "block"
//     count = 3
//     input = "x"                     # what the body calls the result of the operator before
//     [[repeat.operator]]
//     ...
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/base/table.h"
#include "sim/workload/network.h"

namespace systole {

struct NetworkOptions {
    OperandFormats usual;                         // of a file that states none
    std::optional<OperandFormats> asked;          // in place of what files and operators state; tensors keep theirs
    std::map<std::string, std::int64_t> bindings; // values of [parameters]; of symbolic dimensions in ONNX
};

// Throws InputError with all problems of the text, each with its place in `file`.
Network read_network(const std::string& text, const std::string& file, const NetworkOptions& options);

// The keys of a workload file ("operator.m" for those of an operator).
const std::vector<KeyInfo>& workload_keys();

} // namespace systole
