// How rows of A are read from a feature map, for convolutions.
#pragma once

#include <array>
#include <cstdint>

namespace systole {

using Pair = std::array<std::int64_t, 2>; // {height, width}

struct Padding {
    std::int64_t top = 0;
    std::int64_t left = 0;
    std::int64_t bottom = 0;
    std::int64_t right = 0;

    bool operator==(const Padding&) const = default;
};

// A is no matrix in memory but what a window that slides over a feature map [batch, groups * channels, height, width]
// sees (im2col). For group g, row (b, y, x) and column (c, i, j) of A is pixel
//     [b, g * channels + c, y * stride[0] - padding.top + i * dilation[0], x * stride[1] - padding.left + j *
//     dilation[1]]
// or 0 outside the map. m = batch * outputs[0] * outputs[1], k = channels * kernel[0] * kernel[1], count = groups.
struct ConvolutionWindow {
    std::int64_t batch = 1;
    std::int64_t channels = 1; // of one group
    std::int64_t height = 1;
    std::int64_t width = 1;
    Pair outputs{1, 1};
    Pair kernel{1, 1};
    Pair stride{1, 1};
    Pair dilation{1, 1};
    Padding padding{};

    std::int64_t pixels() const { return batch * channels * height * width; } // of one group
    std::int64_t taps() const { return kernel[0] * kernel[1]; }
    bool operator==(const ConvolutionWindow&) const = default;
};

// [begin, end)
struct Interval {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    bool empty() const { return begin >= end; }
    std::int64_t size() const { return empty() ? 0 : end - begin; }
    bool operator==(const Interval&) const = default;
};

// One side of a window, rows or columns: output o reads pixels o * stride - padding + tap * dilation, those of them
// that lie in [0, pixels).
struct WindowSide {
    std::int64_t pixels = 1;
    std::int64_t outputs = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t padding = 0; // before the first pixel
};

WindowSide rows_of(const ConvolutionWindow& window);
WindowSide columns_of(const ConvolutionWindow& window);

// `count` bands of `size` neighbouring pixels, `pitch` apart from start to start.
struct PixelBands {
    std::int64_t begin = 0;
    std::int64_t size = 0; // 0: there are none
    std::int64_t count = 1;
    std::int64_t pitch = 0;

    std::int64_t end() const { return begin + (count - 1) * pitch + size; }
};

// The first alike bands at or behind pixel `at` of those that some of `outputs` read and none of `before`: a
// neighbouring range of outputs, or one that shares its last one with them; it may be empty. Constant time for a
// dilation of 1.
PixelBands next_bands(const WindowSide& side, const Interval& outputs, const Interval& before, std::int64_t at);

// How many pixels some of `outputs` read and none of `before`.
std::int64_t touched_pixels(const WindowSide& side, const Interval& outputs, const Interval& before);

// How many some output reads: of all pixels along the side.
std::int64_t touched_pixels(const WindowSide& side);

// Of one group: pixels of all its channels and images that some output reads.
std::int64_t touched_elements(const ConvolutionWindow& window);

// From the first to the last pixel that some output reads.
Interval touched_span(const WindowSide& side);

} // namespace systole
