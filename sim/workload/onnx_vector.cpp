// ONNX: activations, elementwise operators, norms, softmax and reductions.
#include <algorithm>

#include <fmt/format.h>

#include "sim/workload/onnx_lowering.h"

namespace systole {

namespace {

// The function that an operator applies; where one of its operands is a constant number, `with_number` costs the same:
// one operation (a power is taken for a square, which is what networks use it for).
struct Function {
    const char* type;
    const char* name;
    const char* with_number = nullptr;
};

constexpr Function functions[] = {
    {"Relu", "relu"},
    {"LeakyRelu", "leaky_relu"},
    {"Elu", "elu"},
    {"Selu", "selu"},
    {"Sigmoid", "sigmoid"},
    {"HardSigmoid", "hard_sigmoid"},
    {"HardSwish", "hard_swish"},
    {"Tanh", "tanh"},
    {"Gelu", "gelu"},
    {"Softplus", "softplus"},
    {"Erf", "erf"},
    {"Exp", "exp"},
    {"Log", "log"},
    {"Sin", "sin"},
    {"Cos", "cos"},
    {"Sqrt", "sqrt"},
    {"Reciprocal", "reciprocal"},
    {"Neg", "negate"},
    {"Abs", "abs"},
    {"Sign", "sign"},
    {"Floor", "floor"},
    {"Ceil", "ceil"},
    {"Round", "round"},
    {"Not", "not"},
    {"Add", "add", "shift"},
    {"Sub", "subtract", "shift"},
    {"Mul", "multiply", "scale"},
    {"Div", "divide", "scale"},
    {"Pow", "power", "scale"},
    {"Max", "max", "relu"},
    {"Min", "min", "relu"},
    {"Sum", "add", "shift"},
    {"PRelu", "prelu", "leaky_relu"},
    {"Equal", "compare", "shift"},
    {"Greater", "compare", "shift"},
    {"Less", "compare", "shift"},
    {"GreaterOrEqual", "compare", "shift"},
    {"LessOrEqual", "compare", "shift"},
    {"And", "and", "scale"},
    {"Or", "or", "scale"},
};

const Function& function_of(const OnnxNode& node) {
    for (const Function& one : functions) {
        if (node.op_type() == one.type) {
            return one;
        }
    }
    throw UnsupportedNode("");
}

void read_unary(OnnxLowering& to, const OnnxNode& node) {
    to.emit(node, ElementwiseAttributes{function_of(node).name}, {to.tensor(node.input(0))}, node.output(0));
}

bool is_number(const OnnxLowering& to, const std::string& value) {
    return to.model().is_fixed(value) && elements(to.shape(value)) == 1;
}

void read_binary(OnnxLowering& to, const OnnxNode& node) {
    const Function& function = function_of(node);
    std::string sum = to.model().is_fixed(node.input(0)) && node.input_size() > 1 ? "" : to.tensor(node.input(0));
    std::vector<std::string> others;
    for (int i = sum.empty() ? 0 : 1; i < node.input_size(); ++i) {
        if (sum.empty() && !to.model().is_fixed(node.input(i))) {
            sum = to.tensor(node.input(i));
        } else {
            others.push_back(node.input(i));
        }
    }
    if (others.empty()) { // Max, Min and Sum of one
        to.is_same(node.output(0), sum);
        return;
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
        const bool last = i + 1 == others.size();
        const bool number = is_number(to, others[i]);
        const ElementwiseAttributes attributes{number ? function.with_number : function.name};
        std::vector<std::string> inputs{sum};
        if (!number) {
            inputs.push_back(to.tensor(others[i]));
        }
        if (last) {
            to.emit(node, attributes, inputs, node.output(0));
        } else {
            sum = to.emit_part(node, attributes, inputs);
        }
    }
}

void read_clip(OnnxLowering& to, const OnnxNode& node) {
    to.emit(node, ElementwiseAttributes{"clip"}, {to.tensor(node.input(0))}, node.output(0));
}

void read_where(OnnxLowering& to, const OnnxNode& node) {
    to.emit(node, ElementwiseAttributes{"select"},
            {to.tensor(node.input(0)), to.tensor(node.input(1)), to.tensor(node.input(2))}, node.output(0));
}

// Behind a convolution it has been folded; this one stands alone.
void read_batch_norm(OnnxLowering& to, const OnnxNode& node) {
    const Shape input = to.shape(node.input(0));
    if (input.size() < 2) {
        throw InputError("its input " + to_text(input) + " has no channels");
    }
    if (const std::string problem = problem_of_batch_norm(to, node, input[1]); !problem.empty()) {
        throw InputError(problem);
    }
    Shape per_channel(input.size() - 1, 1);
    per_channel[0] = input[1];
    const std::string name = node.name().empty() ? node.output(0) : node.name();
    to.emit(node, ElementwiseAttributes{"scale_shift"},
            {to.tensor(node.input(0)), to.declare_weight(name + ".scale", per_channel),
             to.declare_weight(name + ".shift", per_channel)},
            node.output(0));
}

void read_layer_norm(OnnxLowering& to, const OnnxNode& node) {
    const Shape input = to.shape(node.input(0));
    const std::int64_t axis = int_attribute(node, "axis", -1);
    if (axis != -1 && axis != static_cast<std::int64_t>(input.size()) - 1) {
        throw UnsupportedNode("only over the last dimension is");
    }
    to.emit(node, NormAttributes{NormKind::layer, has_input(node, 1), has_input(node, 2)}, {to.tensor(node.input(0))},
            node.output(0));
}

void read_softmax(OnnxLowering& to, const OnnxNode& node) {
    to.emit(node, SoftmaxAttributes{}, {to.tensor(node.input(0))}, node.output(0));
}

void read_reduce(OnnxLowering& to, const OnnxNode& node) {
    if (node.op_type() == "ReduceMean" && read_layer_norm_pattern(to, node)) {
        return;
    }
    ReduceAttributes reduce;
    reduce.keep_dimensions = int_attribute(node, "keepdims", 1) != 0;
    if (node.op_type().starts_with("Arg")) {
        reduce.axes = {int_attribute(node, "axis", 0)};
    } else if (has_input(node, 1)) { // opset 13 (ReduceSum) or 18 (all others)
        reduce.axes = to.integers(node.input(1));
    } else {
        reduce.axes = ints_attribute(node, "axes");
    }
    to.emit(node, reduce, {to.tensor(node.input(0))}, node.output(0));
}

// The only node of a type that reads a value; null if there is none. `other`: what else it reads.
const OnnxNode* reader_of(const OnnxLowering& to, const std::string& value, const char* type) {
    const auto readers = to.model().consumers.find(value);
    if (readers == to.model().consumers.end()) {
        return nullptr;
    }
    for (const OnnxNode* node : readers->second) {
        if (node->op_type() == type) {
            return node;
        }
    }
    return nullptr;
}

bool reads(const OnnxNode* node, const std::string& a, const std::string& b) {
    return node != nullptr && node->input_size() == 2 && node->input(0) == a && node->input(1) == b;
}

bool is_over_last(const OnnxLowering& to, const OnnxNode& reduce) {
    const auto axes = has_input(reduce, 1) && to.model().integers.contains(reduce.input(1))
                          ? to.integers(reduce.input(1))
                          : ints_attribute(reduce, "axes");
    const auto rank = static_cast<std::int64_t>(to.shape(reduce.input(0)).size());
    return axes.size() == 1 && (axes[0] == -1 || axes[0] == rank - 1) && int_attribute(reduce, "keepdims", 1) != 0;
}

// The Mul or Add behind `value` whose other operand is a stored vector of `width` elements.
const OnnxNode* vector_step(const OnnxLowering& to, const std::string& value, const char* type, std::int64_t width) {
    const OnnxNode* node = to.model().only_consumer(value);
    if (node == nullptr || node->op_type() != type || node->input_size() != 2) {
        return nullptr;
    }
    const std::string& other = node->input(node->input(0) == value ? 1 : 0);
    return to.model().is_fixed(other) && elements(to.shape(other)) == width ? node : nullptr;
}

} // namespace

std::string problem_of_batch_norm(const OnnxLowering& to, const OnnxNode& node, std::int64_t channels) {
    constexpr const char* names[] = {"", "scale", "bias", "mean", "variance"};
    for (int i = 1; i < std::min(node.input_size(), 5); ++i) {
        const auto shape = to.model().shapes.find(node.input(i));
        if (shape != to.model().shapes.end() && shape->second != Shape{channels}) {
            return fmt::format("its {} '{}' {} does not hold one number for each of {} channels (correct the model)",
                               names[i], node.input(i), to_text(shape->second), channels);
        }
    }
    return "";
}

// mean = ReduceMean(x); d = x - mean; y = d / Sqrt(ReduceMean(Pow(d, 2)) + epsilon); y * scale + bias.
bool read_layer_norm_pattern(OnnxLowering& to, const OnnxNode& mean) {
    const std::string& x = mean.input(0);
    const OnnxNode* difference = to.model().only_consumer(mean.output(0));
    if (difference == nullptr || difference->op_type() != "Sub" || !reads(difference, x, mean.output(0)) ||
        !is_over_last(to, mean)) {
        return false;
    }
    const std::string& d = difference->output(0);
    const OnnxNode* square = reader_of(to, d, "Pow");
    square = square == nullptr ? reader_of(to, d, "Mul") : square;
    const OnnxNode* variance = square == nullptr ? nullptr : to.model().only_consumer(square->output(0));
    const OnnxNode* shifted = variance == nullptr || variance->op_type() != "ReduceMean"
                                  ? nullptr
                                  : to.model().only_consumer(variance->output(0));
    const OnnxNode* root =
        shifted == nullptr || shifted->op_type() != "Add" ? nullptr : to.model().only_consumer(shifted->output(0));
    const OnnxNode* quotient =
        root == nullptr || root->op_type() != "Sqrt" ? nullptr : to.model().only_consumer(root->output(0));
    if (quotient == nullptr || quotient->op_type() != "Div" || !reads(quotient, d, root->output(0)) ||
        to.model().results.contains(d)) {
        return false;
    }
    NormAttributes norm{NormKind::layer, false, false};
    const std::int64_t width = to.shape(x).back();
    std::vector<const OnnxNode*> parts{difference, square, variance, shifted, root, quotient};
    std::string output = quotient->output(0);
    if (const OnnxNode* scale = vector_step(to, output, "Mul", width)) {
        norm.scale = true;
        parts.push_back(scale);
        output = scale->output(0);
    }
    if (const OnnxNode* bias = vector_step(to, output, "Add", width)) {
        norm.bias = true;
        parts.push_back(bias);
        output = bias->output(0);
    }
    for (const OnnxNode* part : parts) {
        to.is_done(*part);
    }
    to.emit(mean, norm, {to.tensor(x)}, output);
    return true;
}

void add_vector_readers(OnnxReaders& readers) {
    for (const Function& one : functions) {
        readers[one.type] = one.with_number == nullptr ? read_unary : read_binary;
    }
    readers["Clip"] = read_clip;
    readers["Where"] = read_where;
    readers["BatchNormalization"] = read_batch_norm;
    readers["LayerNormalization"] = read_layer_norm;
    readers["Softmax"] = readers["LogSoftmax"] = read_softmax;
    for (const char* const type :
         {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ArgMax", "ArgMin"}) {
        readers[type] = read_reduce;
    }
}

} // namespace systole
