// Convolution in two dimensions, with stride, padding, dilation and groups.
#pragma once

#include <cstdint>

#include "dataflow/problem.h"
#include "sim/roofline/roof.h"

namespace systole::analytic {

struct ConvolutionShape {
    std::int64_t batch = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t channels = 1;
    std::int64_t filters = 1;
    std::int64_t kernel_height = 1;
    std::int64_t kernel_width = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0; // on each side
    std::int64_t dilation = 1;
    std::int64_t groups = 1; // = channels: depthwise
    OperandFormats formats;  // A = feature map, B = filters, C = result
};

// floor((input + 2 padding - dilation (kernel - 1) - 1) / stride) + 1.
std::int64_t output_side(std::int64_t input, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t dilation);

// How many of `input` pixels along one side a filter ever reads: a stride above the kernel skips some.
std::int64_t touched_side(std::int64_t input, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                          std::int64_t dilation);

// 2 FLOP per output pixel, filter and weight of the filter (padding counted, as the array does it). Compulsory bytes:
// the touched pixels, the filters, the result, once each: those of the feature map, not of its im2col matrix. Throws
// InputError for a kernel that does not fit and for groups that divide neither channels nor filters.
Work convolution(const ConvolutionShape& shape);

// Bytes of the im2col matrix, which software that builds it writes and reads.
double im2col_bytes(const ConvolutionShape& shape);

} // namespace systole::analytic
