// The inner loops of the flat engine: one row of PEs, one cycle. Lanes are int16 and hold int8 values (-128..127), sums
// int32.
#pragma once

#include <cstdint>

namespace systole {

// Weight- and input-stationary: every PE multiplies what it sees by what it holds and adds it to the sum from above.
//   sum[c] = above[c] + seen[c] * held[c]   (above null: zero)
void step_stationary_row(std::int64_t cols, const std::int16_t* seen, const std::int16_t* held,
                         const std::int32_t* above, std::int32_t* sum);

// All rows of an array at once, from the last up, one lane: row r takes the sums that row r - 1 had before. Pitches in
// elements.
void step_stationary_grid(std::int64_t rows, std::int64_t cols, const std::int16_t* seen, std::int64_t seen_pitch,
                          const std::int16_t* held, std::int64_t held_pitch, std::int32_t* sum, std::int64_t sum_pitch);

// Output-stationary: the sum stays.  sum[c] += a[c] * b[c]
// Also the further lanes of either dataflow.
void accumulate_row(std::int64_t cols, const std::int16_t* a, const std::int16_t* b, std::int32_t* sum);

// to[c] += from[c], with wrap-around.
void add_row(std::int64_t cols, const std::int32_t* from, std::int32_t* to);

} // namespace systole
