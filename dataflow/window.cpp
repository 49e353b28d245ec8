#include "dataflow/window.h"

#include <algorithm>
#include <numeric>

namespace systole {

WindowSide rows_of(const ConvolutionWindow& w) {
    return {w.height, w.outputs[0], w.kernel[0], w.stride[0], w.dilation[0], w.padding.top};
}

WindowSide columns_of(const ConvolutionWindow& w) {
    return {w.width, w.outputs[1], w.kernel[1], w.stride[1], w.dilation[1], w.padding.left};
}

namespace {

// Taps that reach the pixel from some output are stride / g apart, their outputs dilation / g.
bool reads(const WindowSide& side, const Interval& outputs, std::int64_t pixel) {
    const auto g = std::gcd(side.stride, side.dilation);
    const auto tap_step = side.stride / g;
    const auto output_step = side.dilation / g;
    for (std::int64_t tap = 0; tap < std::min(side.kernel, tap_step); ++tap) {
        const auto at = pixel + side.padding - tap * side.dilation;
        if (at % side.stride != 0)
            continue;
        const auto beyond = std::max<std::int64_t>(0, at / side.stride - (outputs.end - 1));
        const auto steps = (beyond + output_step - 1) / output_step; // to an output before the end
        return tap + steps * tap_step < side.kernel && at / side.stride - steps * output_step >= outputs.begin;
    }
    return false;
}

// With holes between the taps: pixel by pixel.
PixelBands dilated_bands(const WindowSide& side, const Interval& outputs, const Interval& before, std::int64_t at) {
    const auto fresh = [&](std::int64_t pixel) {
        return reads(side, outputs, pixel) && (before.empty() || !reads(side, before, pixel));
    };
    auto begin = std::max({at, outputs.begin * side.stride - side.padding, std::int64_t{0}});
    const auto end =
        std::min(side.pixels, (outputs.end - 1) * side.stride - side.padding + (side.kernel - 1) * side.dilation + 1);
    while (begin < end && !fresh(begin))
        ++begin;
    if (begin >= end)
        return {};
    auto last = begin + 1;
    while (last < end && fresh(last))
        ++last;
    return {begin, last - begin, 1, 0};
}

// A stride above the kernel leaves pixels out between the bands of neighbouring outputs.
PixelBands separate_bands(const WindowSide& side, const Interval& outputs, std::int64_t at) {
    const auto first_pixel = [&](std::int64_t output) { return output * side.stride - side.padding; };
    const auto behind = at + side.padding - side.kernel; // outputs up to behind / stride end before `at`
    const auto output = std::max(outputs.begin, behind < 0 ? 0 : behind / side.stride + 1);
    if (output >= outputs.end || first_pixel(output) >= side.pixels)
        return {};
    const auto begin = std::max(at, first_pixel(output));
    const auto end = std::min(side.pixels, first_pixel(output) + side.kernel);
    if (end - begin < side.kernel)
        return {begin, end - begin, 1, 0};
    const auto whole = (side.pixels - side.kernel + side.padding) / side.stride + 1; // outputs before it end in the map
    return {begin, side.kernel, std::min(outputs.end, whole) - output, side.stride};
}

} // namespace

PixelBands next_bands(const WindowSide& side, const Interval& outputs, const Interval& before, std::int64_t at) {
    if (outputs.empty())
        return {};
    if (side.dilation > 1 && side.kernel > 1)
        return dilated_bands(side, outputs, before, at);
    Interval fresh = outputs;
    auto from = std::max<std::int64_t>(at, 0);
    if (!before.empty()) { // they have read all up to their last pixel
        fresh.begin = std::max(fresh.begin, before.end);
        from = std::max(from, (before.end - 1) * side.stride - side.padding + side.kernel);
    }
    if (fresh.empty())
        return {};
    if (side.stride > side.kernel)
        return separate_bands(side, fresh, from);
    const auto begin = std::max(from, fresh.begin * side.stride - side.padding);
    const auto end = std::min(side.pixels, (fresh.end - 1) * side.stride - side.padding + side.kernel);
    return begin < end ? PixelBands{begin, end - begin, 1, 0} : PixelBands{};
}

std::int64_t touched_pixels(const WindowSide& side, const Interval& outputs, const Interval& before) {
    std::int64_t sum = 0;
    for (auto bands = next_bands(side, outputs, before, 0); bands.size > 0;
         bands = next_bands(side, outputs, before, bands.end()))
        sum += bands.size * bands.count;
    return sum;
}

std::int64_t touched_pixels(const WindowSide& side) { return touched_pixels(side, {0, side.outputs}, {}); }

std::int64_t touched_elements(const ConvolutionWindow& window) {
    return window.batch * window.channels * touched_pixels(rows_of(window)) * touched_pixels(columns_of(window));
}

Interval touched_span(const WindowSide& side) {
    Interval span;
    for (auto bands = next_bands(side, {0, side.outputs}, {}, 0); bands.size > 0;
         bands = next_bands(side, {0, side.outputs}, {}, bands.end())) {
        span.begin = span.end == 0 ? bands.begin : span.begin;
        span.end = bands.end();
    }
    return span;
}

} // namespace systole
