// The values that an ONNX file stores. Weights are never computed with, but what is stored has to fit what is said of
// it.
#pragma once

#include <string>

#include "sim/workload/onnx_proto.h"

namespace systole {

// What is wrong with the values of a tensor, in the model or in a file beside it, and what would cure it: a shape or a
// type that is none, more or fewer bytes than these take, a file that is missing or cut off. "" if all is well.
std::string problem_of_values(const onnx::TensorProto& tensor, const std::string& model_file);

} // namespace systole
