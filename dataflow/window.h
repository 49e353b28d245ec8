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
    Padding padding;

    std::int64_t pixels() const { return batch * channels * height * width; } // of one group
    bool operator==(const ConvolutionWindow&) const = default;
};

} // namespace systole
