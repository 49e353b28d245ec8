#include "sim/workload/onnx_node.h"

#include <fmt/format.h>

namespace systole {

namespace {

const onnx::AttributeProto* find_attribute(const OnnxNode& node, const char* name) {
    for (const onnx::AttributeProto& one : node.attribute()) {
        if (one.name() == name) {
            return &one;
        }
    }
    return nullptr;
}

} // namespace

std::string describe(const OnnxNode& node) {
    const std::string type = is_standard(node) ? node.op_type() : node.domain() + "." + node.op_type();
    return node.name().empty() && node.output_size() > 0
               ? fmt::format("the node of type '{}' that makes '{}'", type, node.output(0))
               : fmt::format("node '{}' of type '{}'", node.name(), type);
}

bool is_standard_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

bool is_standard(const OnnxNode& node) { return is_standard_domain(node.domain()); }

std::int64_t int_attribute(const OnnxNode& node, const char* name, std::int64_t otherwise) {
    const onnx::AttributeProto* found = find_attribute(node, name);
    return found == nullptr ? otherwise : found->i();
}

std::vector<std::int64_t> ints_attribute(const OnnxNode& node, const char* name) {
    const onnx::AttributeProto* found = find_attribute(node, name);
    return found == nullptr ? std::vector<std::int64_t>{}
                            : std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

std::string text_attribute(const OnnxNode& node, const char* name, const char* otherwise) {
    const onnx::AttributeProto* found = find_attribute(node, name);
    return found == nullptr ? otherwise : found->s();
}

bool has_input(const OnnxNode& node, int index) { return index < node.input_size() && !node.input(index).empty(); }

} // namespace systole
