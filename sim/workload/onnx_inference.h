// Shapes of an ONNX graph by libonnx, which runs in a process of its own: it looks into dimensions that its inputs do
// not have, as a graph that is wrong may ask for in more ways than can be checked before, and must not end the program
// with it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/workload/onnx_proto.h"

namespace systole {

struct OnnxShapes {
    std::vector<onnx::ValueInfoProto> values;
    // Values that are shapes or parts of them ("data propagation"), those that are known whole.
    std::unordered_map<std::string, std::vector<std::int64_t>> integers;
};

// `model` as prepare_for_inference() leaves it. Throws InputError, without a place, if shapes contradict each other,
// and with the node at which libonnx gave up; EnvironmentError if no process can be started.
OnnxShapes infer_onnx_shapes(const onnx::ModelProto& model);

} // namespace systole
