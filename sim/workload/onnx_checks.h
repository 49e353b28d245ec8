// What has to hold of an ONNX model before libonnx infers its shapes, which divides by attributes and looks into
// constants as they stand.
#pragma once

#include <string>

#include "sim/base/error.h"
#include "sim/workload/onnx_proto.h"

namespace systole {

constexpr int newest_opset = 17; // that libonnx 1.12 knows

// Of all nodes, also those of subgraphs: inputs and results they cannot do without, attributes of the right type and
// within sensible limits, tensors among the attributes whose values fit. Values of the graph's own initializers are
// left to the caller.
void check_onnx_model(const onnx::ModelProto& model, const std::string& file, Diagnostics& found);

// Makes the model one that libonnx takes: operator sets that it knows, one for each domain, and no functions of the
// model's own, which may call each other without end.
void prepare_for_inference(onnx::ModelProto& model);

} // namespace systole
