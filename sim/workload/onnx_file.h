// The bytes of an ONNX file.
#pragma once

#include <string>

#include "sim/workload/onnx_proto.h"

namespace systole {

// Throws InputError for a file that is missing, too large, cut off or no ONNX model.
void parse_onnx_file(const std::string& file, onnx::ModelProto& model);

} // namespace systole
