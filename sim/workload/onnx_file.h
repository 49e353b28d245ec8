// The bytes of an ONNX file and of the files beside it.
#pragma once

#include <string>

#include "sim/workload/onnx_proto.h"

namespace systole {

// Throws InputError for a file that is missing, too large, cut off or no ONNX model.
void parse_onnx_file(const std::string& file, onnx::ModelProto& model);

// What is wrong with the file that holds a weight's values: it is missing, or too short. "" if all is well.
std::string problem_of_external_data(const onnx::TensorProto& tensor, const std::string& model_file);

} // namespace systole
