#include "sim/workload/shape_window.h"

#include <algorithm>

namespace systole {

namespace {

constexpr std::int64_t longest_side = 1 << 20;

void require(bool good, const std::string& problem) {
    if (!good) {
        throw InputError(problem);
    }
}

void require_pair(const Pair& pair, const char* what, std::int64_t least) {
    require(std::min(pair[0], pair[1]) >= least && std::max(pair[0], pair[1]) <= longest_side,
            std::string("'") + what + "' must be from " + std::to_string(least) + " to 1048576");
}

void require_map(const Shape& input) {
    require(input.size() == 4, to_text(input) + " is no feature map [batch, channels, height, width]");
    require(std::max(input[2], input[3]) <= longest_side, to_text(input) + " has a side above 1048576");
}

void require_padding(const Padding& padding) {
    require_pair({padding.top, padding.left}, "padding", 0);
    require_pair({padding.bottom, padding.right}, "padding", 0);
}

// "same": outputs = ceil(input / stride); what an odd sum leaves goes behind (same_upper) or in front (same_lower).
void pad_side(std::int64_t input, std::int64_t kernel, std::int64_t stride, std::int64_t dilation, bool extra_behind,
              std::int64_t& before, std::int64_t& behind) {
    const std::int64_t span = dilation * (kernel - 1) + 1;
    const std::int64_t sum = std::max<std::int64_t>(0, (ceil_div(input, stride) - 1) * stride + span - input);
    before = extra_behind ? sum / 2 : ceil_div(sum, 2);
    behind = sum - before;
}

template <class Window>
void resolve_padding(Window& window, const Shape& input) {
    if (window.auto_padding != AutoPadding::none) {
        const bool upper = window.auto_padding == AutoPadding::same_upper;
        Padding& padding = window.padding;
        pad_side(input[2], window.kernel[0], window.stride[0], window.dilation[0], upper, padding.top, padding.bottom);
        pad_side(input[3], window.kernel[1], window.stride[1], window.dilation[1], upper, padding.left, padding.right);
        window.auto_padding = AutoPadding::none;
    }
    require_padding(window.padding);
}

template <class Window>
void require_window(const Window& window) {
    require_pair(window.kernel, "kernel", 1);
    require_pair(window.stride, "stride", 1);
    require_pair(window.dilation, "dilation", 1);
}

std::int64_t transposed_outputs(std::int64_t input, std::int64_t padding, std::int64_t kernel, std::int64_t stride,
                                std::int64_t dilation, std::int64_t extra) {
    const std::int64_t side = (input - 1) * stride - padding + dilation * (kernel - 1) + 1 + extra;
    require(side >= 1, "the padding of the transposed convolution leaves no output");
    return side;
}

} // namespace

std::int64_t window_outputs(std::int64_t input, std::int64_t padding, std::int64_t kernel, std::int64_t stride,
                            std::int64_t dilation) {
    const std::int64_t room = input + padding - dilation * (kernel - 1) - 1;
    require(room >= 0, "a kernel of " + std::to_string(kernel) + (dilation > 1 ? ", dilated," : "") +
                           " is larger than its padded input of " + std::to_string(input + padding));
    return room / stride + 1;
}

InferredShapes infer_convolution(ConvolutionAttributes& convolution, const Shape& input) {
    require_map(input);
    require_window(convolution);
    const std::int64_t channels = input[1];
    if (convolution.depthwise) {
        convolution.groups = channels;
        convolution.filters = convolution.filters == 0 ? channels : convolution.filters;
    }
    require(convolution.filters >= 1, "has no 'filters'");
    const std::int64_t groups = convolution.groups;
    require(groups >= 1 && channels % groups == 0 && convolution.filters % groups == 0,
            std::to_string(groups) + " groups divide not both " + std::to_string(channels) + " channels and " +
                std::to_string(convolution.filters) + " filters");
    const Pair& k = convolution.kernel;
    InferredShapes shapes{{input[0], convolution.filters, 1, 1}, {}};
    if (convolution.transposed) {
        require(convolution.auto_padding == AutoPadding::none,
                "padding = \"same\" is not for a transposed convolution");
        require_pair(convolution.output_padding, "output_padding", 0);
        require_padding(convolution.padding);
        for (std::size_t i = 0; i < 2; ++i) {
            const Padding& p = convolution.padding;
            shapes.output[2 + i] =
                transposed_outputs(input[2 + i], i == 0 ? p.top + p.bottom : p.left + p.right, k[i],
                                   convolution.stride[i], convolution.dilation[i], convolution.output_padding[i]);
        }
        shapes.weights.emplace_back("weight", Shape{channels, convolution.filters / groups, k[0], k[1]});
    } else {
        resolve_padding(convolution, input);
        const Padding& p = convolution.padding;
        shapes.output[2] =
            window_outputs(input[2], p.top + p.bottom, k[0], convolution.stride[0], convolution.dilation[0]);
        shapes.output[3] =
            window_outputs(input[3], p.left + p.right, k[1], convolution.stride[1], convolution.dilation[1]);
        shapes.weights.emplace_back("weight", Shape{convolution.filters, channels / groups, k[0], k[1]});
    }
    if (convolution.bias) {
        shapes.weights.emplace_back("bias", Shape{convolution.filters});
    }
    return shapes;
}

Shape infer_pool(PoolAttributes& pool, const Shape& input) {
    require_map(input);
    if (pool.global) {
        pool.kernel = {input[2], input[3]};
        pool.stride = {1, 1};
        pool.padding = {};
    }
    require_window(pool);
    resolve_padding(pool, input);
    Shape output{input[0], input[1], 1, 1};
    const std::array<std::array<std::int64_t*, 2>, 2> pads{
        {{&pool.padding.top, &pool.padding.bottom}, {&pool.padding.left, &pool.padding.right}}};
    for (std::size_t i = 0; i < 2; ++i) {
        auto [before, behind] = pads[i];
        const std::int64_t room = input[2 + i] + *before + *behind - pool.dilation[i] * (pool.kernel[i] - 1) - 1;
        const std::int64_t left = room >= 0 ? room % pool.stride[i] : 0;
        if (pool.round_up && left != 0) {
            *behind += pool.stride[i] - left;
        }
        output[2 + i] =
            window_outputs(input[2 + i], *before + *behind, pool.kernel[i], pool.stride[i], pool.dilation[i]);
    }
    return output;
}

} // namespace systole
