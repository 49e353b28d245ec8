// ONNX: convolutions and matrix products, with the bias and the batch norm behind them.
#include <fmt/format.h>

#include "sim/workload/onnx_lowering.h"

namespace systole {

namespace {

void require_fixed(const OnnxLowering& to, const std::string& value, const char* what) {
    if (!to.model().is_fixed(value)) {
        throw UnsupportedNode(fmt::format("its {} '{}' are computed, not stored", what, value));
    }
}

// Batch norm or an added bias of `columns` elements behind a product becomes part of it. Returns the value that the
// product then makes. The bias has to lie along `axis` of the result, counted from its end.
std::string absorb_followers(OnnxLowering& to, const OnnxNode& node, std::int64_t columns, std::size_t axis,
                             bool& bias) {
    std::string output = node.output(0);
    for (;;) {
        const OnnxNode* next = to.model().only_consumer(output);
        if (next == nullptr) {
            return output;
        }
        if (next->op_type() == "BatchNormalization" && next->input(0) == output && axis != 0) {
            bias = true;
        } else if (next->op_type() == "Add" && next->input_size() == 2) {
            const std::string& other = next->input(next->input(0) == output ? 1 : 0);
            const auto shape = to.model().shapes.find(other);
            if (!to.model().is_fixed(other) || shape == to.model().shapes.end() || shape->second.size() <= axis ||
                elements(shape->second) != columns || shape->second[shape->second.size() - 1 - axis] != columns) {
                return output;
            }
            bias = true;
        } else {
            return output;
        }
        to.is_done(*next);
        output = next->output(0);
    }
}

template <class Window>
void read_window(const OnnxNode& node, Window& window) {
    const auto pair = [&node](const char* name, std::int64_t otherwise) {
        const std::vector<std::int64_t> values = ints_attribute(node, name);
        if (values.empty()) {
            return Pair{otherwise, otherwise};
        }
        return values.size() == 1 ? Pair{1, values[0]} : Pair{values[0], values[1]};
    };
    window.stride = pair("strides", 1);
    window.dilation = pair("dilations", 1);
    const std::vector<std::int64_t> pads = ints_attribute(node, "pads");
    if (pads.size() == 4) {
        window.padding = {pads[0], pads[1], pads[2], pads[3]};
    } else if (pads.size() == 2) {
        window.padding = {0, pads[0], 0, pads[1]};
    }
    const std::string automatic = text_attribute(node, "auto_pad", "NOTSET");
    window.auto_padding = automatic == "SAME_UPPER"   ? AutoPadding::same_upper
                          : automatic == "SAME_LOWER" ? AutoPadding::same_lower
                                                      : AutoPadding::none;
}

void read_convolution(OnnxLowering& to, const OnnxNode& node) {
    require_fixed(to, node.input(1), "weights");
    const Shape input = to.shape(node.input(0));
    const Shape weights = to.shape(node.input(1));
    if ((weights.size() != 3 && weights.size() != 4) || input.size() != weights.size()) {
        throw UnsupportedNode("only one and two dimensions are");
    }
    ConvolutionAttributes convolution;
    convolution.transposed = node.op_type() == "ConvTranspose";
    read_window(node, convolution);
    convolution.groups = int_attribute(node, "group", 1);
    convolution.kernel = weights.size() == 4 ? Pair{weights[2], weights[3]} : Pair{1, weights[2]};
    convolution.filters = convolution.transposed ? weights[1] * convolution.groups : weights[0];
    const std::int64_t channels = convolution.transposed ? weights[0] : weights[1] * convolution.groups;
    if (channels != input[1]) {
        throw InputError(fmt::format("its weights {} are for {} channels, its input {} has {}", to_text(weights),
                                     channels, to_text(input), input[1]));
    }
    if (convolution.transposed) {
        const auto extra = ints_attribute(node, "output_padding");
        convolution.output_padding = {extra.size() == 2 ? extra[0] : 0, extra.empty() ? 0 : extra.back()};
        if (!ints_attribute(node, "output_shape").empty()) {
            throw UnsupportedNode("output_shape is given instead of pads");
        }
    }
    convolution.bias = has_input(node, 2);
    const std::string output = absorb_followers(to, node, convolution.filters, weights.size() - 2, convolution.bias);
    if (weights.size() == 4) {
        to.emit(node, convolution, {to.tensor(node.input(0))}, output);
        return;
    }
    // One dimension is a map of one row.
    const std::string map =
        to.emit_part(node, ReshapeAttributes{{input[0], input[1], 1, input[2]}}, {to.tensor(node.input(0))});
    const std::string result = to.emit_part(node, convolution, {map});
    to.emit(node, ReshapeAttributes{{input[0], convolution.filters, -1}}, {result}, output);
}

void read_gemm(OnnxLowering& to, const OnnxNode& node) {
    GemmAttributes gemm;
    gemm.transpose_a = int_attribute(node, "transA", 0) != 0;
    gemm.transpose_b = int_attribute(node, "transB", 0) != 0;
    std::vector<std::string> inputs{to.tensor(node.input(0))};
    const Shape b = to.shape(node.input(1));
    if (b.size() != 2) {
        throw InputError("B " + to_text(b) + " must have two dimensions");
    }
    const std::int64_t n = gemm.transpose_b ? b[0] : b[1];
    if (to.model().is_fixed(node.input(1))) {
        const Shape a = to.shape(node.input(0));
        const std::int64_t k = gemm.transpose_b ? b[1] : b[0];
        if (a.size() != 2 || a[gemm.transpose_a ? 0 : 1] != k) {
            throw InputError("A " + to_text(a) + " and B " + to_text(b) + " do not fit");
        }
        gemm.features = n;
    } else {
        inputs.push_back(to.tensor(node.input(1)));
    }
    gemm.bias = has_input(node, 2) && to.model().is_fixed(node.input(2));
    if (has_input(node, 2) && !gemm.bias) { // C is computed: an addition of its own
        const std::string product = to.emit_part(node, gemm, inputs);
        to.emit(node, ElementwiseAttributes{"add"}, {product, to.tensor(node.input(2))}, node.output(0));
        return;
    }
    to.emit(node, gemm, inputs, absorb_followers(to, node, n, 0, gemm.bias));
}

void read_matmul(OnnxLowering& to, const OnnxNode& node) {
    const Shape a = to.shape(node.input(0));
    const Shape b = to.shape(node.input(1));
    if (a.size() < 2 || b.size() < 2) {
        throw UnsupportedNode("a vector as operand is not");
    }
    if (a.back() != b[b.size() - 2]) {
        throw InputError("A " + to_text(a) + " and B " + to_text(b) + " do not fit");
    }
    if (b.size() == 2 && to.model().is_fixed(node.input(1))) {
        GemmAttributes gemm;
        gemm.features = b[1];
        const std::string output = absorb_followers(to, node, b[1], 0, gemm.bias);
        to.emit(node, gemm, {to.tensor(node.input(0))}, output);
        return;
    }
    Attributes attributes = BatchedGemmAttributes{};
    if (b.size() == 2) {
        attributes = GemmAttributes{};
    }
    to.emit(node, attributes, {to.tensor(node.input(0)), to.tensor(node.input(1))}, node.output(0));
}

void read_pool(OnnxLowering& to, const OnnxNode& node) {
    PoolAttributes pool;
    const std::string& type = node.op_type();
    pool.kind = type == "MaxPool" || type == "GlobalMaxPool" ? PoolKind::max : PoolKind::average;
    pool.global = type.starts_with("Global");
    if (to.shape(node.input(0)).size() != 4) {
        throw UnsupportedNode("only two dimensions are");
    }
    if (!pool.global) {
        const auto kernel = ints_attribute(node, "kernel_shape");
        if (kernel.size() != 2) {
            throw InputError("its kernel_shape has not two numbers");
        }
        pool.kernel = {kernel[0], kernel[1]};
        read_window(node, pool);
        pool.round_up = int_attribute(node, "ceil_mode", 0) != 0;
    }
    to.emit(node, pool, {to.tensor(node.input(0))}, node.output(0));
}

} // namespace

void add_matrix_readers(OnnxReaders& readers) {
    readers["Conv"] = readers["ConvTranspose"] = read_convolution;
    readers["Gemm"] = read_gemm;
    readers["MatMul"] = read_matmul;
    for (const char* const type : {"MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"}) {
        readers[type] = read_pool;
    }
}

} // namespace systole
