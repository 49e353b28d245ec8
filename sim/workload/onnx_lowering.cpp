#include "sim/workload/onnx_lowering.h"

#include <fmt/format.h>

#include "sim/workload/onnx_reader.h"
#include "sim/workload/reserved_name.h"

namespace systole {

namespace {

const OnnxReaders& readers() {
    static const OnnxReaders all = [] {
        OnnxReaders made;
        add_matrix_readers(made);
        add_window_readers(made);
        add_vector_readers(made);
        add_reshape_readers(made);
        add_view_readers(made);
        return made;
    }();
    return all;
}

} // namespace

OnnxLowering::OnnxLowering(const OnnxModel& model, NetworkBuilder& builder, bool skip_unsupported, Diagnostics& found)
    : model_(model), builder_(builder), skip_unsupported_(skip_unsupported), found_(found) {}

Shape OnnxLowering::shape(const std::string& value) const {
    if (const auto tensor = tensors_.find(value); tensor != tensors_.end()) {
        if (const Tensor* known = builder_.find(tensor->second)) {
            return known->shape;
        }
    }
    const auto known = model_.shapes.find(value);
    if (known == model_.shapes.end()) {
        throw UnsupportedNode("the shape of '" + value + "' is not known");
    }
    return known->second;
}

const std::vector<std::int64_t>& OnnxLowering::integers(const std::string& value) const {
    const auto known = model_.integers.find(value);
    if (known == model_.integers.end()) {
        throw UnsupportedNode("'" + value + "' is not a constant");
    }
    return known->second;
}

std::string OnnxLowering::declare_weight(const std::string& name, const Shape& shape) {
    std::string tensor = "weight:" + name;
    if (builder_.find(tensor) == nullptr) {
        builder_.add_tensor({tensor, TensorKind::weight, shape, builder_.formats().b, {model_.file}});
    }
    return tensor;
}

std::string OnnxLowering::tensor(const std::string& value) {
    if (model_.is_fixed(value)) {
        return declare_weight(value, shape(value));
    }
    const auto known = tensors_.find(value);
    if (known == tensors_.end()) {
        throw UnsupportedNode("'" + value + "' is a second result of an operator, which is not kept");
    }
    return known->second;
}

std::string OnnxLowering::operator_name(const OnnxNode& node, const char* suffix) {
    const std::string name = (node.name().empty() ? node.op_type() : node.name()) + suffix;
    const int before = names_[name]++ + (reserved_name_problem(name) ? 1 : 0); // a model's names are not the user's
    return before == 0 ? name : fmt::format("{}#{}", name, before + 1);
}

bool OnnxLowering::add(std::string name, Attributes attributes, const std::vector<std::string>& inputs,
                       const std::string& tensor) {
    return builder_.add_operator({std::move(name), std::move(attributes), inputs, tensor, std::nullopt, {model_.file}});
}

void OnnxLowering::emit_as(std::string name, Attributes attributes, const std::vector<std::string>& inputs,
                           const std::string& output) {
    if (add(std::move(name), std::move(attributes), inputs, output)) {
        tensors_[output] = output;
    } else {
        missing_.insert(output);
    }
}

std::string OnnxLowering::part_as(const OnnxNode& node, const std::string& name, Attributes attributes,
                                  const std::vector<std::string>& inputs) {
    const std::string tensor = name + ":part";
    if (!add(name, std::move(attributes), inputs, tensor)) {
        missing_.insert(node.output(0));
    }
    return tensor;
}

void OnnxLowering::emit(const OnnxNode& node, Attributes attributes, const std::vector<std::string>& inputs,
                        const std::string& output) {
    emit_as(operator_name(node), std::move(attributes), inputs, output);
}

std::string OnnxLowering::emit_part(const OnnxNode& node, Attributes attributes,
                                    const std::vector<std::string>& inputs) {
    return part_as(node, operator_name(node), std::move(attributes), inputs);
}

void OnnxLowering::emit_view(const OnnxNode& node, const Shape& shape, const std::string& tensor,
                             const std::string& output) {
    emit_as(operator_name(node, ":view"), ReshapeAttributes{shape}, {tensor}, output);
}

std::string OnnxLowering::view(const OnnxNode& node, const Shape& shape, const std::string& tensor) {
    return part_as(node, operator_name(node, ":view"), ReshapeAttributes{shape}, {tensor});
}

bool OnnxLowering::any_missing(const OnnxNode& node) const {
    for (const std::string& input : node.input()) {
        if (missing_.contains(input)) {
            return true;
        }
    }
    return false;
}

void OnnxLowering::leave_out(const OnnxNode& node, const std::string& why) {
    if (skip_unsupported_) {
        skipped_.push_back(describe(node) + (why.empty() ? "" : ": " + why));
    } else {
        found_.add({model_.file}, fmt::format("{} is not supported{} (--skip-unsupported leaves it out)",
                                              describe(node), why.empty() ? "" : ": " + why));
    }
    for (const std::string& input : node.input()) {
        if (tensors_.contains(input)) {
            needed_.push_back(tensors_.at(input));
        }
    }
    for (const std::string& output : node.output()) {
        if (output.empty() || !model_.consumers.contains(output)) {
            continue;
        }
        const auto known = model_.shapes.find(output);
        if (known == model_.shapes.end()) {
            missing_.insert(output);
            if (skip_unsupported_) {
                found_.add({model_.file},
                           fmt::format("{} cannot be left out: the shape of its result '{}' is not known",
                                       describe(node), output));
            }
            continue;
        }
        builder_.add_tensor({output, TensorKind::input, known->second, builder_.formats().a, {model_.file}});
        tensors_[output] = output;
    }
}

void OnnxLowering::read(const OnnxNode& node) {
    if (any_missing(node)) { // told already
        missing_.insert(node.output().begin(), node.output().end());
        return;
    }
    const auto reader = readers().find(node.op_type());
    try {
        if (!is_standard(node) || reader == readers().end() || !has_input(node, 0)) {
            throw UnsupportedNode("");
        }
        reader->second(*this, node);
    } catch (const UnsupportedNode& reason) {
        leave_out(node, reason.what());
    } catch (const InputError& error) {
        found_.add({model_.file}, describe(node) + ": " + error.diagnostics()[0].message);
        missing_.insert(node.output().begin(), node.output().end());
    }
}

void OnnxLowering::run() {
    for (const onnx::ValueInfoProto& input : model_.proto.graph().input()) {
        if (model_.consumers.contains(input.name()) && !model_.is_fixed(input.name())) {
            const int type = input.type().tensor_type().elem_type();
            const bool index = type == onnx::TensorProto::INT32 || type == onnx::TensorProto::INT64;
            builder_.add_tensor({input.name(),
                                 TensorKind::input,
                                 shape(input.name()),
                                 index ? Format::int32 : builder_.formats().a,
                                 {model_.file}});
            tensors_[input.name()] = input.name();
        }
    }
    for (const OnnxNode* node : model_.nodes) {
        if (!done_.contains(node)) {
            read(*node);
        }
    }
}

std::vector<std::string> OnnxLowering::results() const {
    std::vector<std::string> names = needed_;
    for (const onnx::ValueInfoProto& output : model_.proto.graph().output()) {
        if (const auto known = tensors_.find(output.name()); known != tensors_.end()) {
            names.push_back(known->second);
        }
    }
    return names;
}

Network load_onnx(const std::string& file, const OnnxOptions& options) {
    const OnnxModel model = load_onnx_model(file, options.network.bindings);
    Diagnostics found;
    NetworkBuilder builder(options.network.asked.value_or(options.network.usual), found);
    OnnxLowering lowering(model, builder, options.skip_unsupported, found);
    lowering.run();
    Network network = builder.finish(lowering.results(), {file}, false);
    if (network.operators.empty() && found.empty()) {
        found.add({file}, "holds no operator that computes anything");
    }
    found.throw_if_any();
    const std::size_t slash = file.rfind('/');
    network.name = file.substr(slash == std::string::npos ? 0 : slash + 1);
    network.description = model.proto.graph().name();
    network.source = file;
    network.skipped = lowering.skipped();
    return network;
}

} // namespace systole
