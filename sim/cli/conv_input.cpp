#include "sim/cli/conv_input.h"

#include <array>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/values.h"
#include "sim/workload/integer.h"

namespace systole {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 20;
constexpr std::array details{"--stride", "--padding", "--dilation", "--groups", "--batch"};

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
        end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            break;
    }
    return parts;
}

// `names` says what each number is, in `form`.
std::vector<std::int64_t> numbers(std::string_view option, std::string_view text, char at, std::string_view names,
                                  std::string_view form, std::int64_t least) {
    const auto parts = split(text, at);
    if (parts.size() != names.size()) {
        throw InputError(fmt::format("{} '{}' is not {}", option, text.substr(0, 60), form));
    }
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Parsed<std::int64_t> value = parse_integer(parts[i], least);
        if (!value.value || *value.value > largest) {
            throw InputError(fmt::format("{} '{}': {} {} (write {}, with whole numbers from {} to {})", option,
                                         text.substr(0, 60), names[i], value.value ? "is above 1048576" : value.error,
                                         form, least, largest));
        }
        values.push_back(*value.value);
    }
    return values;
}

// "2", of both sides, or "2x1".
Pair pair_option(const ParsedOptions& options, const std::string& option) {
    const auto text = options.get(option).value_or("1");
    if (text.find('x') == std::string::npos) {
        const auto both = numbers(option, text, 'x', "N", "N or HxW", 1);
        return {both[0], both[0]};
    }
    const auto sides = numbers(option, text, 'x', "HW", "N or HxW", 1);
    return {sides[0], sides[1]};
}

// "1", on all sides, or "top,left,bottom,right".
Padding padding_option(const ParsedOptions& options) {
    constexpr const char* form = "N or TOP,LEFT,BOTTOM,RIGHT";
    const auto text = options.get("--padding").value_or("0");
    if (text.find(',') == std::string::npos) {
        const auto side = numbers("--padding", text, ',', "N", form, 0)[0];
        return {side, side, side, side};
    }
    const auto sides = numbers("--padding", text, ',', "TLBR", form, 0);
    return {sides[0], sides[1], sides[2], sides[3]};
}

// Places of a window along a side: 0 if it does not fit.
std::int64_t outputs(std::int64_t padded, std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
    const auto room = padded - dilation * (kernel - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

void set_outputs(ConvolutionWindow& window) {
    const auto& [kernel, stride, dilation, padding] =
        std::tie(window.kernel, window.stride, window.dilation, window.padding);
    const std::array padded{padding.top + window.height + padding.bottom, padding.left + window.width + padding.right};
    window.outputs = {outputs(padded[0], kernel[0], stride[0], dilation[0]),
                      outputs(padded[1], kernel[1], stride[1], dilation[1])};
    if (window.outputs[0] > largest || window.outputs[1] > largest) {
        throw InputError(fmt::format("--conv: {}x{} outputs, a side has {} at most (use less --padding)",
                                     window.outputs[0], window.outputs[1], largest));
    }
    if (window.outputs[0] > 0 && window.outputs[1] > 0)
        return;
    throw InputError(fmt::format("--conv: a kernel of {}x{} with dilation {}x{} is larger than the padded input of "
                                 "{}x{} (use a smaller kernel, or --padding)",
                                 kernel[0], kernel[1], dilation[0], dilation[1], padded[0], padded[1]));
}

} // namespace

std::vector<OptionSpec> convolution_options() {
    return {
        {"--conv", "HxWxC,RxS,F", "one convolution: input height x width x channels, kernel, filters"},
        {"--stride", "N|HxW", "of the convolution (1)"},
        {"--padding", "N|T,L,B,R", "zeros around the input: on all sides, or top, left, bottom and right (0)"},
        {"--dilation", "N|HxW", "distance between the kernel's taps (1)"},
        {"--groups", "N", "groups of channels; as many as channels: depthwise (1)"},
        {"--batch", "N", "images (1)"},
    };
}

std::optional<GemmProblem> asked_convolution(const ParsedOptions& options) {
    const auto text = options.get("--conv");
    if (!text) {
        for (const char* const detail : details) {
            if (options.has(detail)) {
                throw InputError(fmt::format("{} is of a convolution (give --conv HxWxC,RxS,F too)", detail));
            }
        }
        return std::nullopt;
    }
    constexpr const char* form = "HxWxC,RxS,F (input, kernel and filters, like 56x56x64,3x3,128)";
    const auto parts = split(*text, ',');
    if (parts.size() != 3) {
        throw InputError(fmt::format("--conv '{}' is not {}", text->substr(0, 60), form));
    }
    const auto input = numbers("--conv", parts[0], 'x', "HWC", "HxWxC,RxS,F, like 56x56x64,3x3,128", 1);
    const auto kernel = numbers("--conv", parts[1], 'x', "RS", "HxWxC,RxS,F, like 56x56x64,3x3,128", 1);
    const auto filters = numbers("--conv", parts[2], 'x', "F", "HxWxC,RxS,F, like 56x56x64,3x3,128", 1)[0];
    const auto groups = integer_option(options, "--groups", 1, largest).value_or(1);
    if (input[2] % groups != 0 || filters % groups != 0) {
        throw InputError(fmt::format("--groups {} do not divide the {} channels and {} filters (use a divisor of both)",
                                     groups, input[2], filters));
    }
    ConvolutionWindow window{.batch = integer_option(options, "--batch", 1, largest).value_or(1),
                             .channels = input[2] / groups,
                             .height = input[0],
                             .width = input[1],
                             .kernel = {kernel[0], kernel[1]},
                             .stride = pair_option(options, "--stride"),
                             .dilation = pair_option(options, "--dilation"),
                             .padding = padding_option(options)};
    set_outputs(window);
    GemmProblem problem{.name = "conv",
                        .m = window.batch * window.outputs[0] * window.outputs[1],
                        .n = filters / groups,
                        .k = window.channels * window.taps(),
                        .formats = {},
                        .count = groups,
                        .window = window};
    validate(problem);
    return problem;
}

} // namespace systole
