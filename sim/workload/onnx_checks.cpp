#include "sim/workload/onnx_checks.h"

#include <algorithm>
#include <onnx/defs/schema.h>
#include <unordered_set>

#include <fmt/format.h>

#include "sim/workload/onnx_node.h"
#include "sim/workload/onnx_values.h"

namespace systole {

namespace {

constexpr std::int64_t longest = 1 << 20; // side of a window, as in shape_window.cpp

// What numbers of an attribute may be, whatever the operator.
struct Limits {
    const char* attribute;
    std::int64_t least;
    std::int64_t most;
};

constexpr Limits all_limits[] = {
    {"strides", 1, longest},
    {"dilations", 1, longest},
    {"kernel_shape", 1, longest},
    {"pooled_shape", 1, longest},
    {"output_shape", 1, longest},
    {"output_padding", 0, longest},
    {"pads", -longest, longest},
    {"group", 1, longest},
    {"num_groups", 1, longest},
    {"num_outputs", 1, longest},
    {"blocksize", 1, longest},
    {"hidden_size", 1, longest},
    {"split", 0, std::int64_t{1} << 50},
    {"num_scan_inputs", 1, longest},
};

class ModelCheck {
  public:
    ModelCheck(const std::string& file, Diagnostics& found) : file_(file), found_(found) {}

    void run(const onnx::ModelProto& model);

  private:
    void check(const onnx::GraphProto& graph);
    void check_subgraph(const onnx::GraphProto& graph);
    void check(const OnnxNode& node);
    void check_ends(const OnnxNode& node, const onnx::OpSchema* schema);
    void check_attributes(const OnnxNode& node, const onnx::OpSchema* schema);
    void check_limits(const OnnxNode& node, const onnx::AttributeProto& attribute);
    void check_parts(const OnnxNode& node, const onnx::AttributeProto& attribute);
    void report(const OnnxNode& node, const std::string& problem) {
        found_.add({file_}, fmt::format("{} {}; correct the model, or export it again", describe(node), problem));
    }

    const std::string& file_;
    Diagnostics& found_;
    int opset_ = 0;
};

// Of its operator set; of the newest where that one does not have it yet. Null for other domains.
const onnx::OpSchema* schema_of(const OnnxNode& node, int opset) {
    if (!is_standard(node)) {
        return nullptr;
    }
    const onnx::OpSchema* const known = onnx::OpSchemaRegistry::Schema(node.op_type(), opset);
    return known != nullptr ? known : onnx::OpSchemaRegistry::Schema(node.op_type(), newest_opset);
}

void ModelCheck::check_ends(const OnnxNode& node, const onnx::OpSchema* schema) {
    const int inputs = schema == nullptr ? 0 : schema->min_input();
    bool complete = node.output_size() > 0 && node.input_size() >= inputs;
    for (int i = 0; complete && i < inputs; ++i) {
        complete = !node.input(i).empty();
    }
    if (!complete) {
        report(node, fmt::format("lacks inputs or results (it needs {} input{})", inputs, inputs == 1 ? "" : "s"));
    }
}

void ModelCheck::check_limits(const OnnxNode& node, const onnx::AttributeProto& attribute) {
    const auto* const limits = std::find_if(std::begin(all_limits), std::end(all_limits),
                                            [&](const Limits& one) { return attribute.name() == one.attribute; });
    if (limits == std::end(all_limits)) {
        return;
    }
    std::vector<std::int64_t> numbers(attribute.ints().begin(), attribute.ints().end());
    if (attribute.has_i()) {
        numbers.push_back(attribute.i());
    }
    for (const std::int64_t number : numbers) {
        if (number < limits->least || number > limits->most) {
            report(node, fmt::format("has the attribute '{}' with {}, which must be from {} to {}", attribute.name(),
                                     number, limits->least, limits->most));
            return;
        }
    }
}

// Tensors and graphs within an attribute.
void ModelCheck::check_parts(const OnnxNode& node, const onnx::AttributeProto& attribute) {
    std::vector<const onnx::TensorProto*> tensors;
    for (const onnx::TensorProto& tensor : attribute.tensors()) {
        tensors.push_back(&tensor);
    }
    if (attribute.has_t()) {
        tensors.push_back(&attribute.t());
    }
    for (const onnx::TensorProto* tensor : tensors) {
        if (const std::string problem = problem_of_values(*tensor, file_); !problem.empty()) {
            found_.add({file_}, fmt::format("{}, attribute '{}': {}", describe(node), attribute.name(), problem));
        }
    }
    if (attribute.has_g()) {
        check_subgraph(attribute.g());
    }
    for (const onnx::GraphProto& graph : attribute.graphs()) {
        check_subgraph(graph);
    }
}

void ModelCheck::check_attributes(const OnnxNode& node, const onnx::OpSchema* schema) {
    std::unordered_set<std::string> names;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (!names.insert(attribute.name()).second) {
            report(node, fmt::format("has the attribute '{}' twice", attribute.name()));
        }
        check_parts(node, attribute);
        if (schema == nullptr) {
            continue;
        }
        const auto known = schema->attributes().find(attribute.name());
        const bool typed = attribute.type() != onnx::AttributeProto::UNDEFINED; // it is not in the oldest files
        if (known != schema->attributes().end() && typed && attribute.type() != known->second.type) {
            report(node, fmt::format("has the attribute '{}' of type {}, but needs it as {}", attribute.name(),
                                     onnx::AttributeProto::AttributeType_Name(attribute.type()),
                                     onnx::AttributeProto::AttributeType_Name(known->second.type)));
        }
        check_limits(node, attribute);
    }
    if (schema == nullptr) {
        return;
    }
    for (const auto& [name, attribute] : schema->attributes()) {
        if (attribute.required && !names.contains(name)) {
            report(node, fmt::format("lacks the attribute '{}'", name));
        }
    }
}

void ModelCheck::check(const OnnxNode& node) {
    const onnx::OpSchema* const schema = schema_of(node, opset_);
    check_ends(node, schema);
    check_attributes(node, schema);
}

void ModelCheck::check(const onnx::GraphProto& graph) {
    for (const OnnxNode& node : graph.node()) {
        check(node);
    }
}

void ModelCheck::check_subgraph(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) {
        if (const std::string problem = problem_of_values(tensor, file_); !problem.empty()) {
            found_.add({file_}, problem);
        }
    }
    check(graph);
}

void ModelCheck::run(const onnx::ModelProto& model) {
    for (const auto& opset : model.opset_import()) {
        if (is_standard_domain(opset.domain())) {
            opset_ = static_cast<int>(std::clamp<std::int64_t>(opset.version(), 0, newest_opset));
        }
    }
    if (opset_ == 0) {
        found_.add({file_}, "names no version of the standard operators (opset_import; export the model again)");
        return;
    }
    check(model.graph());
}

void collect_domains(const onnx::GraphProto& graph, std::unordered_set<std::string>& domains) {
    for (const OnnxNode& node : graph.node()) {
        domains.insert(node.domain());
        for (const onnx::AttributeProto& attribute : node.attribute()) {
            if (attribute.has_g()) {
                collect_domains(attribute.g(), domains);
            }
            for (const onnx::GraphProto& inner : attribute.graphs()) {
                collect_domains(inner, domains);
            }
        }
    }
}

} // namespace

void check_onnx_model(const onnx::ModelProto& model, const std::string& file, Diagnostics& found) {
    ModelCheck(file, found).run(model);
}

void prepare_for_inference(onnx::ModelProto& model) {
    model.clear_functions();
    std::unordered_set<std::string> domains;
    collect_domains(model.graph(), domains);
    for (auto& opset : *model.mutable_opset_import()) {
        if (is_standard_domain(opset.domain()) && opset.version() > newest_opset) {
            opset.set_version(newest_opset);
        }
        domains.erase(opset.domain());
    }
    for (const std::string& domain : domains) { // operators of nobody's set: not supported, but no reason to give up
        if (!is_standard_domain(domain)) {
            auto* const opset = model.add_opset_import();
            opset->set_domain(domain);
            opset->set_version(1);
        }
    }
}

} // namespace systole
