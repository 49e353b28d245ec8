// The inner loops of the flat engine: one row of PEs, one cycle. Lanes are int16 (int8 operands), sums int32.
#pragma once

#include <cstdint>

namespace systole {

// A row of streamed lanes moves one PE on and every PE adds its product:
//   moved[c] = seen[c];  sum[c] = above[c] + seen[c] * held[c]   (above null: zero)
void step_stationary_row(std::int64_t cols, const std::int16_t* seen, std::int16_t* moved, const std::int16_t* held,
                         const std::int32_t* above, std::int32_t* sum);

// The same with q lanes; lane l of a row lies `plane` elements behind lane l - 1.
void step_stationary_row_lanes(std::int64_t cols, int q, std::int64_t plane, const std::int16_t* seen,
                               std::int16_t* moved, const std::int16_t* held, const std::int32_t* above,
                               std::int32_t* sum);

// Output-stationary: both operands move on, the sum stays.
//   moved_a[c] = a[c];  moved_b[c] = b[c];  sum[c] += a[c] * b[c]
void step_output_row(std::int64_t cols, const std::int16_t* a, std::int16_t* moved_a, const std::int16_t* b,
                     std::int16_t* moved_b, std::int32_t* sum);
void step_output_row_lanes(std::int64_t cols, int q, std::int64_t plane_a, std::int64_t plane_b, const std::int16_t* a,
                           std::int16_t* moved_a, const std::int16_t* b, std::int16_t* moved_b, std::int32_t* sum);

} // namespace systole
