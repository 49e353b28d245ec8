#include "pe/flat_kernels.h"

#include "sim/base/wide.h"

namespace systole {

namespace {

// int8 values: the product needs 15 bits and a sign, so it stays in the lanes of int16 until it is added.
inline std::int16_t multiply(std::int16_t a, std::int16_t b) { return static_cast<std::int16_t>(a * b); }

} // namespace

SYSTOLE_WIDE
void step_stationary_row(std::int64_t cols, const std::int16_t* __restrict seen, const std::int16_t* __restrict held,
                         const std::int32_t* __restrict above, std::int32_t* __restrict sum) {
    if (above == nullptr) {
        for (std::int64_t c = 0; c < cols; ++c)
            sum[c] = multiply(seen[c], held[c]);
        return;
    }
    for (std::int64_t c = 0; c < cols; ++c) {
        const std::int16_t product = multiply(seen[c], held[c]);
        sum[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(above[c]) +
                                           static_cast<std::uint32_t>(std::int32_t{product}));
    }
}

SYSTOLE_WIDE
void step_stationary_grid(std::int64_t rows, std::int64_t cols, const std::int16_t* __restrict seen,
                          std::int64_t seen_pitch, const std::int16_t* __restrict held, std::int64_t held_pitch,
                          std::int32_t* sum, std::int64_t sum_pitch) {
    for (std::int64_t row = rows - 1; row > 0; --row) {
        const std::int16_t* __restrict a = seen + row * seen_pitch;
        const std::int16_t* __restrict b = held + row * held_pitch;
        const std::int32_t* above = sum + (row - 1) * sum_pitch;
        std::int32_t* to = sum + row * sum_pitch;
#pragma GCC ivdep
        for (std::int64_t c = 0; c < cols; ++c) {
            const std::int16_t product = multiply(a[c], b[c]);
            to[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(above[c]) +
                                              static_cast<std::uint32_t>(std::int32_t{product}));
        }
    }
    for (std::int64_t c = 0; c < cols; ++c)
        sum[c] = multiply(seen[c], held[c]);
}

SYSTOLE_WIDE
void accumulate_row(std::int64_t cols, const std::int16_t* __restrict a, const std::int16_t* __restrict b,
                    std::int32_t* __restrict sum) {
    for (std::int64_t c = 0; c < cols; ++c) {
        const std::int16_t product = multiply(a[c], b[c]);
        sum[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum[c]) +
                                           static_cast<std::uint32_t>(std::int32_t{product}));
    }
}

SYSTOLE_WIDE
void add_row(std::int64_t cols, const std::int32_t* __restrict from, std::int32_t* __restrict to) {
    for (std::int64_t c = 0; c < cols; ++c) {
        to[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[c]) + static_cast<std::uint32_t>(from[c]));
    }
}

} // namespace systole
