// ONNX: convolutions and pools, with the bias and the batch norm behind them. A window of one dimension is one over a
// map of one row.
#include <algorithm>

#include <fmt/format.h>

#include "sim/workload/onnx_lowering.h"

namespace systole {

namespace {

constexpr std::int64_t longest_side = 1 << 20; // as in shape_window.cpp

// An attribute with `wanted` numbers; empty if it is not given.
std::vector<std::int64_t> list_of(const OnnxNode& node, const char* name, std::size_t wanted) {
    std::vector<std::int64_t> values = ints_attribute(node, name);
    if (!values.empty() && values.size() != wanted) {
        throw InputError(fmt::format("its attribute '{}' has {} number{}, but needs {} (correct the model)", name,
                                     values.size(), values.size() == 1 ? "" : "s", wanted));
    }
    return values;
}

// {height, width} of what is given for each of `sides` dimensions.
Pair pair_of(const std::vector<std::int64_t>& values, std::int64_t otherwise, std::int64_t row) {
    if (values.empty()) {
        return Pair{row, otherwise};
    }
    return values.size() == 1 ? Pair{row, values[0]} : Pair{values[0], values[1]};
}

template <class Window>
void read_window(const OnnxNode& node, std::size_t sides, Window& window) {
    window.stride = pair_of(list_of(node, "strides", sides), 1, 1);
    window.dilation = pair_of(list_of(node, "dilations", sides), 1, 1);
    const std::vector<std::int64_t> pads = list_of(node, "pads", 2 * sides);
    const std::string automatic = text_attribute(node, "auto_pad", "NOTSET");
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        window.auto_padding = automatic == "SAME_UPPER" ? AutoPadding::same_upper : AutoPadding::same_lower;
    } else if (automatic == "NOTSET" || automatic.empty()) {
        window.padding = pads.empty() ? Padding{}
                         : sides == 1 ? Padding{0, pads[0], 0, pads[1]}
                                      : Padding{pads[0], pads[1], pads[2], pads[3]};
    } else if (automatic != "VALID") {
        throw InputError(fmt::format("its attribute 'auto_pad' is '{}' (there are NOTSET, SAME_UPPER, SAME_LOWER and "
                                     "VALID; correct the model)",
                                     automatic.substr(0, 40)));
    }
}

// Padding along one side with which a transposed convolution makes `wanted` pixels; where none would make fewer,
// `extra` pixels behind it that no input reaches.
void pad_transposed(std::int64_t full, std::int64_t wanted, bool more_behind, std::int64_t& before,
                    std::int64_t& behind, std::int64_t& extra) {
    const std::int64_t sum = std::max<std::int64_t>(0, full + extra - wanted);
    extra += std::max<std::int64_t>(0, wanted - full - extra);
    before = more_behind ? sum / 2 : ceil_div(sum, 2);
    behind = sum - before;
}

// output_padding, and the pads that follow from output_shape or from auto_pad, which asks for input * stride pixels.
void read_transposed(const OnnxNode& node, std::size_t sides, const Shape& input, ConvolutionAttributes& convolution) {
    convolution.output_padding = pair_of(list_of(node, "output_padding", sides), 0, 0);
    const std::vector<std::int64_t> asked = list_of(node, "output_shape", sides);
    if (asked.empty() && convolution.auto_padding == AutoPadding::none) {
        return;
    }
    const Pair map{sides == 1 ? 1 : input[2], input.back()};
    const Pair result =
        asked.empty() ? Pair{map[0] * convolution.stride[0], map[1] * convolution.stride[1]} : pair_of(asked, 1, 1);
    const auto full = [&](std::size_t i) {
        return (map[i] - 1) * convolution.stride[i] + convolution.dilation[i] * (convolution.kernel[i] - 1) + 1;
    };
    const bool more_behind = convolution.auto_padding == AutoPadding::same_upper;
    Padding& padding = convolution.padding;
    pad_transposed(full(0), result[0], more_behind, padding.top, padding.bottom, convolution.output_padding[0]);
    pad_transposed(full(1), result[1], more_behind, padding.left, padding.right, convolution.output_padding[1]);
    convolution.auto_padding = AutoPadding::none;
}

void require_weights(const OnnxLowering& to, const OnnxNode& node, const Shape& input, const Shape& weights) {
    if (!to.model().is_fixed(node.input(1))) {
        throw UnsupportedNode(fmt::format("its weights '{}' are computed, not stored", node.input(1)));
    }
    if (input.size() != weights.size() || input.size() < 3) {
        throw InputError(fmt::format("its input {} and its weights {} do not fit", to_text(input), to_text(weights)));
    }
    if (weights.size() > 4) {
        throw UnsupportedNode("only one and two dimensions are");
    }
    for (std::size_t i = 2; i < input.size(); ++i) {
        if (std::max(input[i], weights[i]) > longest_side) {
            throw InputError(fmt::format("its input {} or its weights {} have a side above {}", to_text(input),
                                         to_text(weights), longest_side));
        }
    }
    const std::vector<std::int64_t> stated = list_of(node, "kernel_shape", weights.size() - 2);
    if (!stated.empty() && !std::equal(stated.begin(), stated.end(), weights.begin() + 2)) {
        throw InputError(fmt::format("its attribute 'kernel_shape' is {}, but its weights are {} (correct the model)",
                                     to_text(stated), to_text(weights)));
    }
}

// Fills in groups and filters.
void read_channels(const OnnxNode& node, const Shape& input, const Shape& weights, ConvolutionAttributes& convolution) {
    const std::int64_t groups = int_attribute(node, "group", 1);
    const std::int64_t filters = weights[convolution.transposed ? 1 : 0];
    const std::int64_t channels = weights[convolution.transposed ? 0 : 1];
    const bool fits = convolution.transposed ? channels == input[1] && filters <= most_elements / groups
                                             : input[1] % groups == 0 && input[1] / groups == channels;
    if (!fits) {
        throw InputError(fmt::format("its weights {} are for {} channels{}, its input {} has {}", to_text(weights),
                                     channels, groups > 1 ? fmt::format(" in each of {} groups", groups) : "",
                                     to_text(input), input[1]));
    }
    convolution.groups = groups;
    convolution.filters = convolution.transposed ? filters * groups : filters;
}

void require_bias(const OnnxLowering& to, const OnnxNode& node, std::int64_t filters) {
    const auto shape = has_input(node, 2) ? to.model().shapes.find(node.input(2)) : to.model().shapes.end();
    if (shape != to.model().shapes.end() && shape->second != Shape{filters}) {
        throw InputError(fmt::format("its bias {} does not hold one number for each of {} filters (correct the model)",
                                     to_text(shape->second), filters));
    }
}

void read_convolution(OnnxLowering& to, const OnnxNode& node) {
    const Shape input = to.shape(node.input(0));
    const Shape weights = to.shape(node.input(1));
    require_weights(to, node, input, weights);
    const std::size_t sides = weights.size() - 2;
    ConvolutionAttributes convolution;
    convolution.transposed = node.op_type() == "ConvTranspose";
    convolution.kernel = {sides == 1 ? 1 : weights[2], weights.back()};
    read_channels(node, input, weights, convolution);
    read_window(node, sides, convolution);
    if (convolution.transposed) {
        read_transposed(node, sides, input, convolution);
    }
    require_bias(to, node, convolution.filters);
    convolution.bias = has_input(node, 2);
    const std::string output = absorb_followers(to, node, convolution.filters, sides, convolution.bias);
    if (sides == 2) {
        to.emit(node, convolution, {to.tensor(node.input(0))}, output);
        return;
    }
    const std::string map = to.view(node, {input[0], input[1], 1, input[2]}, to.tensor(node.input(0)));
    const std::string result = to.emit_part(node, convolution, {map});
    to.emit_view(node, {input[0], convolution.filters, -1}, result, output);
}

// What a pool of one dimension, or a global one of any number, reads: a map of two dimensions.
Shape pooled_map(const Shape& input) {
    std::int64_t rows = 1;
    for (std::size_t i = 2; i + 1 < input.size(); ++i) {
        rows *= input[i];
    }
    return {input[0], input[1], rows, input.back()};
}

void read_pool(OnnxLowering& to, const OnnxNode& node) {
    PoolAttributes pool;
    const std::string& type = node.op_type();
    pool.kind = type == "MaxPool" || type == "GlobalMaxPool" ? PoolKind::max : PoolKind::average;
    pool.global = type.starts_with("Global");
    const Shape input = to.shape(node.input(0));
    if (input.size() < 3) {
        throw InputError("its input " + to_text(input) + " is no feature map [batch, channels, width]");
    }
    const std::size_t sides = input.size() - 2;
    if (!pool.global) {
        const auto kernel = list_of(node, "kernel_shape", sides);
        if (sides > 2) {
            throw UnsupportedNode("only one and two dimensions are");
        }
        pool.kernel = pair_of(kernel, 1, 1);
        read_window(node, sides, pool);
        pool.round_up = int_attribute(node, "ceil_mode", 0) != 0;
    }
    if (sides == 2) {
        to.emit(node, pool, {to.tensor(node.input(0))}, node.output(0));
        return;
    }
    const std::string map = to.view(node, pooled_map(input), to.tensor(node.input(0)));
    const std::string result = to.emit_part(node, pool, {map});
    Shape back(input.size(), 1);
    back[0] = input[0];
    back[1] = input[1];
    if (!pool.global) {
        back[2] = -1;
    }
    to.emit_view(node, back, result, node.output(0));
}

} // namespace

void add_window_readers(OnnxReaders& readers) {
    readers["Conv"] = readers["ConvTranspose"] = read_convolution;
    for (const char* const type : {"MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"}) {
        readers[type] = read_pool;
    }
}

} // namespace systole
