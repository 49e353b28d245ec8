// An ONNX file, read and made ready: dimensions bound, shapes inferred, nodes in an order in which they can run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/workload/onnx_node.h"
#include "sim/workload/tensor.h"

namespace systole {

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

} // namespace systole
