#include "pe/flat_kernels.h"

#include "sim/base/wide.h"

namespace systole {

SYSTOLE_WIDE
void step_stationary_row(std::int64_t cols, const std::int16_t* __restrict seen, const std::int16_t* __restrict held,
                         const std::int32_t* __restrict above, std::int32_t* __restrict sum) {
    if (above == nullptr) {
        for (std::int64_t c = 0; c < cols; ++c)
            sum[c] = std::int32_t{seen[c]} * std::int32_t{held[c]};
        return;
    }
    for (std::int64_t c = 0; c < cols; ++c) {
        const std::int32_t product = std::int32_t{seen[c]} * std::int32_t{held[c]};
        sum[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(above[c]) + static_cast<std::uint32_t>(product));
    }
}

SYSTOLE_WIDE
void accumulate_row(std::int64_t cols, const std::int16_t* __restrict a, const std::int16_t* __restrict b,
                    std::int32_t* __restrict sum) {
    for (std::int64_t c = 0; c < cols; ++c) {
        const std::int32_t product = std::int32_t{a[c]} * std::int32_t{b[c]};
        sum[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum[c]) + static_cast<std::uint32_t>(product));
    }
}

SYSTOLE_WIDE
void add_row(std::int64_t cols, const std::int32_t* __restrict from, std::int32_t* __restrict to) {
    for (std::int64_t c = 0; c < cols; ++c) {
        to[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[c]) + static_cast<std::uint32_t>(from[c]));
    }
}

} // namespace systole
