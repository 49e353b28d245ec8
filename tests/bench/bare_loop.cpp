#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/bench/baselines.h"

namespace systole::bench {

namespace {

// The MACs of one row: partial sums move one row down. In place, so rows are taken from the last to the first.
__attribute__((target_clones("avx2", "default"))) void multiply_row(int cols, const std::int8_t* __restrict weights,
                                                                     const std::int8_t* __restrict inputs,
                                                                     const std::int32_t* __restrict above,
                                                                     std::int32_t* __restrict sums) {
    for (int c = 0; c < cols; ++c) {
        sums[c] = above[c] + inputs[c] * weights[c];
    }
}

} // namespace

double bare_loop(int rows, int cols, int cycles) {
    const auto width = static_cast<std::size_t>(cols);
    const auto height = static_cast<std::size_t>(rows);
    std::vector<std::int8_t> weights(height * width, 3);
    std::vector<std::int8_t> inputs(height * width, 1);
    std::vector<std::int32_t> sums((height + 1) * width); // row 0: what enters at the top
    [[maybe_unused]] volatile std::int32_t out = 0; // what leaves is used, so the loop stays
    for (int cycle = 0; cycle < cycles; ++cycle) {
        for (std::size_t row = height; row-- > 0;) {
            const std::size_t at = row * width;
            multiply_row(cols, &weights[at], &inputs[at], &sums[at], &sums[at + width]);
            std::memmove(&inputs[at + 1], &inputs[at], width - 1); // inputs move one column on
            inputs[at] = static_cast<std::int8_t>(cycle);
        }
        out = sums[height * width];
    }
    return static_cast<double>(rows) * cols * cycles;
}

} // namespace systole::bench
