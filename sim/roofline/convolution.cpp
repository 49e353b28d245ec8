#include "sim/roofline/convolution.h"

#include <algorithm>
#include <vector>

#include "sim/roofline/chip_roofs.h"
#include "sim/roofline/matmul.h"
#include "sim/roofline/require.h"

namespace systole::analytic {

namespace {

constexpr std::int64_t largest_side = 1 << 20;

void check(const ConvolutionShape& shape) {
    for (const std::int64_t size :
         {shape.batch, shape.height, shape.width, shape.channels, shape.filters, shape.kernel_height,
          shape.kernel_width, shape.stride, shape.dilation, shape.groups}) {
        if (size < 1 || size > largest_side) {
            throw InputError("a convolution's sizes, stride, dilation and groups must be from 1 to 1048576");
        }
    }
    if (shape.padding < 0 || shape.padding > largest_side) {
        throw InputError("a convolution's padding must be from 0 to 1048576");
    }
    if (shape.channels % shape.groups != 0 || shape.filters % shape.groups != 0) {
        throw InputError("the groups of a convolution must divide its channels and its filters");
    }
}

double pixels_out(const ConvolutionShape& shape) {
    const auto side = [&shape](std::int64_t input, std::int64_t kernel) {
        return static_cast<double>(output_side(input, kernel, shape.stride, shape.padding, shape.dilation));
    };
    return static_cast<double>(shape.batch) * side(shape.height, shape.kernel_height) *
           side(shape.width, shape.kernel_width);
}

double weights_of_a_filter(const ConvolutionShape& shape) {
    return static_cast<double>(shape.kernel_height * shape.kernel_width) *
           static_cast<double>(shape.channels / shape.groups);
}

} // namespace

std::int64_t output_side(std::int64_t input, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t dilation) {
    const std::int64_t room = input + 2 * padding - dilation * (kernel - 1) - 1;
    if (room < 0) {
        throw InputError("the kernel of the convolution is larger than its padded input");
    }
    return room / stride + 1;
}

std::int64_t touched_side(std::int64_t input, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                          std::int64_t dilation) {
    std::vector<bool> touched(static_cast<std::size_t>(input), false);
    const std::int64_t outputs = output_side(input, kernel, stride, padding, dilation);
    // Neighbouring outputs share all but `stride` of a dense kernel, so for each only its last taps can be new.
    const std::int64_t fresh = dilation == 1 ? std::min(kernel, stride) : kernel;
    for (std::int64_t out = 0; out < outputs; ++out) {
        for (std::int64_t tap = out == 0 ? 0 : kernel - fresh; tap < kernel; ++tap) {
            const std::int64_t at = out * stride - padding + tap * dilation;
            if (at >= 0 && at < input) {
                touched[static_cast<std::size_t>(at)] = true;
            }
        }
    }
    return std::count(touched.begin(), touched.end(), true);
}

Work convolution(const ConvolutionShape& shape) {
    check(shape);
    const double outputs = pixels_out(shape) * static_cast<double>(shape.filters);
    const auto touched = [&shape](std::int64_t input, std::int64_t kernel) {
        return static_cast<double>(touched_side(input, kernel, shape.stride, shape.padding, shape.dilation));
    };
    const double inputs = static_cast<double>(shape.batch) * touched(shape.height, shape.kernel_height) *
                          touched(shape.width, shape.kernel_width) * static_cast<double>(shape.channels);
    const double weights = static_cast<double>(shape.filters) * weights_of_a_filter(shape);

    Work work;
    work.name = work.kind = "conv";
    work.flops = 2 * outputs * weights_of_a_filter(shape);
    work.in_bytes = inputs * element_bytes(shape.formats.a) + weights * element_bytes(shape.formats.b);
    work.out_bytes = outputs * element_bytes(shape.formats.c);
    work.pe_bytes_per_mac = pe_bytes_per_mac(shape.formats);
    work.shape = {{"m", pixels_out(shape)},
                  {"n", static_cast<double>(shape.filters)},
                  {"k", weights_of_a_filter(shape)},
                  {"groups", static_cast<double>(shape.groups)}};
    return work;
}

double im2col_bytes(const ConvolutionShape& shape) {
    check(shape);
    return pixels_out(shape) * weights_of_a_filter(shape) * static_cast<double>(shape.groups) *
           element_bytes(shape.formats.a);
}

} // namespace systole::analytic
