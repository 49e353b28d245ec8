// One node of an ONNX graph: its attributes, and how messages speak of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload/onnx_proto.h"

namespace systole {

using OnnxNode = onnx::NodeProto;

// "node 'conv1' of type 'Conv'", or of a node without a name "the node of type 'Conv' that makes 'y'".
std::string describe(const OnnxNode& node);

// Whether it is of the operators of ONNX itself, which have two names for their domain.
bool is_standard_domain(const std::string& domain);
bool is_standard(const OnnxNode& node);

// Attributes, or what holds without them (of a list: that it is empty).
std::int64_t int_attribute(const OnnxNode& node, const char* name, std::int64_t otherwise);
std::vector<std::int64_t> ints_attribute(const OnnxNode& node, const char* name);
std::string text_attribute(const OnnxNode& node, const char* name, const char* otherwise);

bool has_input(const OnnxNode& node, int index); // inputs may be left out with an empty name

} // namespace systole
