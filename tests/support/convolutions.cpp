#include "tests/support/convolutions.h"

#include <algorithm>
#include <cmath>

#include "tests/support/machines.h"

namespace systole::test {

namespace {

// The pixel that an output reads at a tap, or -1 outside the map.
std::int64_t pixel(std::int64_t output, std::int64_t tap, std::int64_t stride, std::int64_t dilation,
                   std::int64_t padding, std::int64_t size) {
    const auto at = output * stride + tap * dilation - padding;
    return at >= 0 && at < size ? at : -1;
}

} // namespace

std::vector<ExactSum> direct_convolution(const GemmProblem& problem, const GemmValues& values) {
    const auto& w = *problem.window;
    const auto groups = problem.count, filters = problem.n;
    std::vector<ExactSum> out(groups * problem.m * filters);
    const auto add_tap = [&](const auto& operands, std::int64_t g, std::int64_t b, std::int64_t c, std::int64_t i,
                             std::int64_t j, std::int64_t y, std::int64_t x) {
        const auto row = pixel(y, i, w.stride[0], w.dilation[0], w.padding.top, w.height);
        const auto col = pixel(x, j, w.stride[1], w.dilation[1], w.padding.left, w.width);
        if (row < 0 || col < 0)
            return;
        const auto plane = (b * groups + g) * w.channels + c;
        const double value = operands.a[(plane * w.height + row) * w.width + col];
        const auto k = (c * w.kernel[0] + i) * w.kernel[1] + j;
        for (std::int64_t f = 0; f < filters; ++f) {
            auto& sum = out[((g * w.batch + b) * w.outputs[0] + y) * w.outputs[1] * filters + x * filters + f];
            const double term = value * operands.b[(g * problem.k + k) * filters + f];
            sum.sum += term;
            sum.magnitude += std::fabs(term);
        }
    };
    std::visit(
        [&](const auto& operands) {
            for (std::int64_t g = 0; g < groups; ++g)
                for (std::int64_t b = 0; b < w.batch; ++b)
                    for (std::int64_t c = 0; c < w.channels; ++c)
                        for (std::int64_t y = 0; y < w.outputs[0]; ++y)
                            for (std::int64_t x = 0; x < w.outputs[1]; ++x)
                                for (std::int64_t i = 0; i < w.kernel[0]; ++i)
                                    for (std::int64_t j = 0; j < w.kernel[1]; ++j)
                                        add_tap(operands, g, b, c, i, j, y, x);
        },
        values.operands);
    return out;
}

std::int64_t touched_by_hand(const ConvolutionWindow& w, bool whole_rows) {
    std::vector<bool> rows(w.height), cols(w.width);
    for (std::int64_t y = 0; y < w.outputs[0]; ++y) {
        for (std::int64_t i = 0; i < w.kernel[0]; ++i) {
            if (const auto at = pixel(y, i, w.stride[0], w.dilation[0], w.padding.top, w.height); at >= 0)
                rows[at] = true;
        }
    }
    for (std::int64_t x = 0; x < w.outputs[1]; ++x) {
        for (std::int64_t j = 0; j < w.kernel[1]; ++j) {
            if (const auto at = pixel(x, j, w.stride[1], w.dilation[1], w.padding.left, w.width); at >= 0)
                cols[at] = true;
        }
    }
    auto columns = std::count(cols.begin(), cols.end(), true);
    if (whole_rows && columns > 0) {
        const auto first = std::find(cols.begin(), cols.end(), true) - cols.begin();
        const auto behind = std::find(cols.rbegin(), cols.rend(), true) - cols.rbegin();
        columns = w.width - behind - first;
    }
    return w.batch * w.channels * std::count(rows.begin(), rows.end(), true) * columns;
}

GemmProblem convolution(ConvolutionWindow w, std::int64_t filters, std::int64_t groups) {
    const auto outputs = [](std::int64_t size, std::int64_t padding, std::int64_t kernel, std::int64_t stride,
                            std::int64_t dilation) {
        return (size + padding - dilation * (kernel - 1) - 1) / stride + 1;
    };
    w.outputs = {
        outputs(w.height, w.padding.top + w.padding.bottom, w.kernel[0], w.stride[0], w.dilation[0]),
        outputs(w.width, w.padding.left + w.padding.right, w.kernel[1], w.stride[1], w.dilation[1]),
    };
    auto problem = gemm(w.batch * w.outputs[0] * w.outputs[1], filters, w.channels * w.taps());
    problem.count = groups;
    problem.window = w;
    return problem;
}

} // namespace systole::test
