#include "sim/workload/onnx_model.h"

#include <onnx/defs/tensor_proto_util.h>

#include <fmt/format.h>

#include "sim/workload/onnx_checks.h"
#include "sim/workload/onnx_file.h"
#include "sim/workload/onnx_inference.h"
#include "sim/workload/onnx_values.h"

namespace systole {

namespace {

constexpr std::int64_t longest_constant = 1024; // values of larger constants are never needed

constexpr int most_shown = 10; // weights with broken values

using Bindings = std::map<std::string, std::int64_t>;

std::optional<Shape> complete_shape(const onnx::TypeProto& type) {
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) {
        return std::nullopt;
    }
    Shape shape;
    for (const auto& dimension : type.tensor_type().shape().dim()) {
        if (!dimension.has_dim_value() || dimension.dim_value() < 0) {
            return std::nullopt;
        }
        shape.push_back(dimension.dim_value());
    }
    return shape;
}

// Prepares the graph for shape inference and collects what it says.
class Preparation {
  public:
    Preparation(OnnxModel& model, const Bindings& bindings)
        : model_(model), graph_(*model.proto.mutable_graph()), bindings_(bindings) {}

    void run();

  private:
    void read_initializers();
    void bind_inputs();
    void bind(const std::string& input, int axis, onnx::TensorShapeProto_Dimension& dimension);
    void forget_stated_shapes();
    void infer();
    void note(const onnx::ValueInfoProto& value);
    void note_constant(const std::string& name, const onnx::TensorProto& tensor);
    void find_fixed(const std::vector<const OnnxNode*>& order);
    void report_dangling(const std::unordered_set<std::string>& known);
    std::vector<const OnnxNode*> sorted();
    void keep_live(const std::vector<const OnnxNode*>& order);

    OnnxModel& model_;
    onnx::GraphProto& graph_;
    const Bindings& bindings_;
    std::unordered_set<std::string> bound_;
    std::unordered_map<std::string, const OnnxNode*> producer_;
    Diagnostics found_;
};

void Preparation::note_constant(const std::string& name, const onnx::TensorProto& tensor) {
    model_.fixed.insert(name);
    const Shape shape(tensor.dims().begin(), tensor.dims().end());
    model_.shapes[name] = shape;
    if (elements(shape) > longest_constant || tensor.data_location() == onnx::TensorProto::EXTERNAL) {
        return;
    }
    try {
        if (tensor.data_type() == onnx::TensorProto::INT64) {
            model_.integers[name] = onnx::ParseData<std::int64_t>(&tensor);
        } else if (tensor.data_type() == onnx::TensorProto::INT32) {
            const std::vector<std::int32_t> values = onnx::ParseData<std::int32_t>(&tensor);
            model_.integers[name].assign(values.begin(), values.end());
        }
    } catch (const std::exception& error) {
        found_.add({model_.file}, fmt::format("constant '{}' cannot be read: {}", name, error.what()));
    }
}

void Preparation::read_initializers() {
    int broken = 0;
    for (onnx::TensorProto& tensor : *graph_.mutable_initializer()) {
        const std::string problem = problem_of_values(tensor, model_.file);
        if (!problem.empty()) {
            if (++broken <= most_shown) { // a file that is cut off breaks all behind it
                found_.add({model_.file}, problem);
            }
            model_.fixed.insert(tensor.name());
            continue;
        }
        note_constant(tensor.name(), tensor);
        if (elements(model_.shapes.at(tensor.name())) > longest_constant) {
            tensor.clear_raw_data(); // shapes are all that is needed from here on
            tensor.clear_float_data();
        }
    }
    if (broken > most_shown) {
        found_.add({model_.file}, fmt::format("and so are the values of {} more weights", broken - most_shown));
    }
    for (const onnx::SparseTensorProto& sparse : graph_.sparse_initializer()) {
        found_.add({model_.file}, fmt::format("weight '{}' is stored sparse, which is not supported (export it dense)",
                                              sparse.values().name()));
    }
}

void Preparation::bind(const std::string& input, int axis, onnx::TensorShapeProto_Dimension& dimension) {
    const std::string place = fmt::format("{}.{}", input, axis);
    const std::string name =
        dimension.has_dim_param() && !dimension.dim_param().empty() ? dimension.dim_param() : place;
    for (const std::string& key : {name, place}) {
        if (const auto value = bindings_.find(key); value != bindings_.end()) {
            bound_.insert(key);
            dimension.set_dim_value(value->second);
            return;
        }
    }
    if (!dimension.has_dim_value() || dimension.dim_value() < 1) {
        found_.add({model_.file},
                   fmt::format("dimension {} of input '{}' has no size (bind it: --bind {}=8)", axis, input, name));
        dimension.set_dim_value(1);
    }
}

void Preparation::bind_inputs() {
    for (onnx::ValueInfoProto& input : *graph_.mutable_input()) {
        if (model_.is_fixed(input.name())) {
            continue; // older files list weights as inputs as well
        }
        if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) {
            found_.add({model_.file},
                       fmt::format("input '{}' is no tensor with a shape (export it with one)", input.name()));
            continue;
        }
        auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
        for (int axis = 0; axis < shape->dim_size(); ++axis) {
            bind(input.name(), axis, *shape->mutable_dim(axis));
        }
        note(input);
    }
    for (const auto& [name, value] : bindings_) {
        if (!bound_.contains(name)) {
            found_.add({model_.file}, fmt::format("no input has a dimension '{}' to bind", name.substr(0, 60)));
        }
    }
}

// What the file says of shapes inside may hold names that are bound now. It is kept for operators that nobody knows.
void Preparation::forget_stated_shapes() {
    for (const auto* values : {&graph_.value_info(), &graph_.output()}) {
        for (const onnx::ValueInfoProto& value : *values) {
            note(value);
        }
    }
    graph_.clear_value_info();
    for (onnx::ValueInfoProto& output : *graph_.mutable_output()) {
        if (output.type().has_tensor_type()) {
            output.mutable_type()->mutable_tensor_type()->clear_shape();
        }
    }
}

void Preparation::note(const onnx::ValueInfoProto& value) {
    if (const std::optional<Shape> shape = complete_shape(value.type())) {
        model_.shapes[value.name()] = *shape;
    }
}

void Preparation::infer() {
    prepare_for_inference(model_.proto);
    try {
        OnnxShapes inferred = infer_onnx_shapes(model_.proto);
        for (const onnx::ValueInfoProto& value : inferred.values) {
            note(value);
        }
        model_.integers.merge(inferred.integers); // constants keep their own values
    } catch (const InputError& error) {
        found_.add({model_.file}, error.diagnostics()[0].message);
    }
}

// What nodes or results need and nobody makes. `known`: inputs, weights and constants.
void Preparation::report_dangling(const std::unordered_set<std::string>& known) {
    for (const OnnxNode& node : graph_.node()) {
        for (const std::string& input : node.input()) {
            if (!input.empty() && !known.contains(input) && !producer_.contains(input)) {
                found_.add({model_.file}, fmt::format("{} reads '{}', which nobody makes", describe(node), input));
            }
        }
    }
    for (const std::string& result : model_.results) {
        if (!known.contains(result) && !producer_.contains(result)) {
            found_.add({model_.file}, fmt::format("output '{}' of the graph is made by no node (correct the model, or "
                                                  "export it again)",
                                                  result));
        }
    }
}

// Kahn's algorithm; what is left over is part of a cycle, or reads what nobody makes.
std::vector<const OnnxNode*> Preparation::sorted() {
    std::unordered_set<std::string> known(model_.fixed.begin(), model_.fixed.end());
    for (const onnx::ValueInfoProto& input : graph_.input()) {
        known.insert(input.name());
    }
    std::vector<const OnnxNode*> order;
    std::unordered_map<std::string, std::vector<const OnnxNode*>> waiting;
    std::unordered_map<const OnnxNode*, int> missing;
    std::vector<const OnnxNode*> ready;
    for (const OnnxNode& node : graph_.node()) {
        for (const std::string& output : node.output()) {
            if (!output.empty() && (known.contains(output) || !producer_.emplace(output, &node).second)) {
                found_.add({model_.file}, fmt::format("{} makes '{}', which is there already", describe(node), output));
            }
        }
        int count = 0;
        for (const std::string& input : node.input()) {
            if (!input.empty() && !known.contains(input)) {
                waiting[input].push_back(&node);
                ++count;
            }
        }
        missing[&node] = count;
        if (count == 0) {
            ready.push_back(&node);
        }
    }
    while (order.size() < ready.size()) {
        const OnnxNode* node = ready[order.size()];
        order.push_back(node);
        for (const std::string& output : node->output()) {
            for (const OnnxNode* reader : waiting[output]) {
                if (--missing[reader] == 0) {
                    ready.push_back(reader);
                }
            }
        }
    }
    report_dangling(known);
    if (order.size() < static_cast<std::size_t>(graph_.node_size()) && found_.empty()) {
        for (const OnnxNode& node : graph_.node()) {
            if (missing[&node] > 0) {
                found_.add({model_.file},
                           fmt::format("the graph has a cycle: {} waits for its own result", describe(node)));
                break;
            }
        }
    }
    return order;
}

void Preparation::find_fixed(const std::vector<const OnnxNode*>& order) {
    for (const OnnxNode* node : order) {
        bool fixed = true;
        for (const std::string& input : node->input()) {
            fixed = fixed && (input.empty() || model_.is_fixed(input));
        }
        if (!fixed && node->op_type() != "Shape" && node->op_type() != "Size") {
            continue;
        }
        for (const std::string& output : node->output()) {
            model_.fixed.insert(output);
        }
        for (const onnx::AttributeProto& value : node->attribute()) {
            if (node->op_type() != "Constant") {
                continue;
            }
            const std::string& name = node->output(0);
            if (value.has_t()) {
                note_constant(name, value.t());
            } else if (value.name() == "value_int") {
                model_.shapes[name] = {};
                model_.integers[name] = {value.i()};
            } else if (value.name() == "value_ints") {
                model_.shapes[name] = {value.ints_size()};
                model_.integers[name].assign(value.ints().begin(), value.ints().end());
            }
        }
    }
}

void Preparation::keep_live(const std::vector<const OnnxNode*>& order) {
    std::unordered_set<const OnnxNode*> live;
    std::vector<std::string> open(model_.results.begin(), model_.results.end());
    while (!open.empty()) {
        const auto producer = producer_.find(open.back());
        const bool needed = producer != producer_.end() && !model_.is_fixed(open.back());
        open.pop_back();
        if (needed && live.insert(producer->second).second) {
            open.insert(open.end(), producer->second->input().begin(), producer->second->input().end());
        }
    }
    for (const OnnxNode* node : order) {
        if (!live.contains(node)) {
            continue;
        }
        model_.nodes.push_back(node);
        for (const std::string& input : node->input()) {
            model_.consumers[input].push_back(node);
        }
    }
}

void Preparation::run() {
    read_initializers();
    bind_inputs();
    forget_stated_shapes();
    for (const onnx::ValueInfoProto& output : graph_.output()) {
        model_.results.insert(output.name());
    }
    if (graph_.node_size() == 0 || graph_.output_size() == 0) {
        found_.add({model_.file}, "holds a graph without nodes or outputs (is it cut off?)");
    }
    check_onnx_model(model_.proto, model_.file, found_);
    const std::vector<const OnnxNode*> order = sorted();
    found_.throw_if_any();
    infer();
    find_fixed(order);
    keep_live(order);
    found_.throw_if_any();
}

} // namespace

const OnnxNode* OnnxModel::only_consumer(const std::string& value) const {
    const auto readers = consumers.find(value);
    return readers == consumers.end() || readers->second.size() != 1 || results.contains(value) ? nullptr
                                                                                                : readers->second[0];
}

OnnxModel load_onnx_model(const std::string& file, const Bindings& bindings) {
    OnnxModel model;
    model.file = file;
    parse_onnx_file(file, model.proto);
    Preparation(model, bindings).run();
    return model;
}

} // namespace systole
