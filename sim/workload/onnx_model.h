// An ONNX file, read and made ready: dimensions bound, shapes inferred, nodes in an order in which they can run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/workload/onnx_proto.h"
#include "sim/workload/tensor.h"

namespace systole {

using OnnxNode = onnx::NodeProto;

struct OnnxModel {
    std::string file;
    onnx::ModelProto proto;
    std::vector<const OnnxNode*> nodes; // those that results depend on and that do not only compute constants or shapes
    std::unordered_map<std::string, Shape> shapes;                           // of values whose every dimension is known
    std::unordered_map<std::string, std::vector<std::int64_t>> integers;     // small constants, shapes
    std::unordered_map<std::string, std::vector<const OnnxNode*>> consumers; // of a value, among `nodes`
    std::unordered_set<std::string> fixed;   // weights, constants, and what is computed of them and of shapes alone
    std::unordered_set<std::string> results; // outputs of the graph

    bool is_fixed(const std::string& value) const { return fixed.contains(value); }
    // The only node that reads a value that is no result; null if there are none or several.
    const OnnxNode* only_consumer(const std::string& value) const;
};

// Throws InputError as load_onnx() says, but for what operators mean.
OnnxModel load_onnx_model(const std::string& file, const std::map<std::string, std::int64_t>& bindings);

// "node 'conv1' of type 'Conv'", or of a node without a name "the node of type 'Conv' that makes 'y'".
std::string describe(const OnnxNode& node);

// Attributes, or what holds without them (of a list: that it is empty).
std::int64_t int_attribute(const OnnxNode& node, const char* name, std::int64_t otherwise);
std::vector<std::int64_t> ints_attribute(const OnnxNode& node, const char* name);
std::string text_attribute(const OnnxNode& node, const char* name, const char* otherwise);

bool has_input(const OnnxNode& node, int index); // inputs may be left out with an empty name

} // namespace systole
