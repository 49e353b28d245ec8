#include "pe/flat_kernels.h"

// The loader picks the widest version that the processor has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SYSTOLE_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define SYSTOLE_WIDE
#endif

namespace systole {

SYSTOLE_WIDE
void step_stationary_row(std::int64_t cols, const std::int16_t* __restrict seen, std::int16_t* __restrict moved,
                         const std::int16_t* __restrict held, const std::int32_t* __restrict above,
                         std::int32_t* __restrict sum) {
    if (above == nullptr) {
        for (std::int64_t c = 0; c < cols; ++c) {
            moved[c] = seen[c];
            sum[c] = std::int32_t{seen[c]} * std::int32_t{held[c]};
        }
        return;
    }
    for (std::int64_t c = 0; c < cols; ++c) {
        moved[c] = seen[c];
        const std::int32_t product = std::int32_t{seen[c]} * std::int32_t{held[c]};
        sum[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(above[c]) + static_cast<std::uint32_t>(product));
    }
}

SYSTOLE_WIDE
void step_stationary_row_lanes(std::int64_t cols, int q, std::int64_t plane, const std::int16_t* __restrict seen,
                               std::int16_t* __restrict moved, const std::int16_t* __restrict held,
                               const std::int32_t* __restrict above, std::int32_t* __restrict sum) {
    for (std::int64_t c = 0; c < cols; ++c) sum[c] = above == nullptr ? 0 : above[c];
    for (int lane = 0; lane < q; ++lane) {
        const auto at = lane * plane;
        for (std::int64_t c = 0; c < cols; ++c) {
            moved[at + c] = seen[at + c];
            const std::int32_t product = std::int32_t{seen[at + c]} * std::int32_t{held[at + c]};
            sum[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum[c]) + static_cast<std::uint32_t>(product));
        }
    }
}

SYSTOLE_WIDE
void step_output_row(std::int64_t cols, const std::int16_t* __restrict a, std::int16_t* __restrict moved_a,
                     const std::int16_t* __restrict b, std::int16_t* __restrict moved_b, std::int32_t* __restrict sum) {
    for (std::int64_t c = 0; c < cols; ++c) {
        moved_a[c] = a[c];
        moved_b[c] = b[c];
        const std::int32_t product = std::int32_t{a[c]} * std::int32_t{b[c]};
        sum[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum[c]) + static_cast<std::uint32_t>(product));
    }
}

SYSTOLE_WIDE
void step_output_row_lanes(std::int64_t cols, int q, std::int64_t plane_a, std::int64_t plane_b,
                           const std::int16_t* __restrict a, std::int16_t* __restrict moved_a,
                           const std::int16_t* __restrict b, std::int16_t* __restrict moved_b,
                           std::int32_t* __restrict sum) {
    for (int lane = 0; lane < q; ++lane) {
        const auto in_a = lane * plane_a, in_b = lane * plane_b;
        for (std::int64_t c = 0; c < cols; ++c) {
            moved_a[in_a + c] = a[in_a + c];
            moved_b[in_b + c] = b[in_b + c];
            const std::int32_t product = std::int32_t{a[in_a + c]} * std::int32_t{b[in_b + c]};
            sum[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum[c]) + static_cast<std::uint32_t>(product));
        }
    }
}

} // namespace systole
