// The inner loops of the flat engine: rows of PEs, one cycle. Two kinds of lanes: int16 that hold int8 values
// (-128..127) with int32 sums that wrap around, and float, IEEE 754 binary32, with float sums; product and sum of
// floats are rounded each on its own. All results are those of the loops in the comments, to the bit, but for the
// payload of NaNs.
#pragma once

#include <cstdint>

namespace systole {

template <typename Lane>
struct SumOf;
template <>
struct SumOf<std::int16_t> {
    using Type = std::int32_t;
};
template <>
struct SumOf<float> {
    using Type = float;
};
template <typename Lane>
using Sum = typename SumOf<Lane>::Type;

// One operand of a row of PEs: lane l of column c is at first[l * pitch + c].
template <typename Lane>
struct LaneRow {
    const Lane* first = nullptr;
    std::int64_t pitch = 0;
};

// What every PE of a row adds to its sum: the products of its q lanes (1..4), from the first to the last.
//   sum[c] = a[0][c] * b[0][c] + a[1][c] * b[1][c] + ...
void multiply_row(std::int64_t cols, int q, LaneRow<std::int16_t> a, LaneRow<std::int16_t> b, std::int32_t* sum);
void multiply_row(std::int64_t cols, int q, LaneRow<float> a, LaneRow<float> b, float* sum);

// Output-stationary: the sum stays.  sum[c] += (a[0][c] * b[0][c] + ...)
void accumulate_row(std::int64_t cols, int q, LaneRow<std::int16_t> a, LaneRow<std::int16_t> b, std::int32_t* sum);
void accumulate_row(std::int64_t cols, int q, LaneRow<float> a, LaneRow<float> b, float* sum);

// Weight- and input-stationary, all rows of an array at once, from the last up: row r takes the sums that row r - 1 had
// before, row 0 takes 0.  sum[r][c] = sum[r - 1][c] + (seen[r][0][c] * held[r][0][c] + ...)
// Pitches of rows, in elements.
struct GridPitch {
    std::int64_t seen = 0, held = 0, sum = 0;
};
void step_stationary_grid(std::int64_t rows, std::int64_t cols, int q, LaneRow<std::int16_t> seen,
                          LaneRow<std::int16_t> held, std::int32_t* sum, GridPitch pitch);
void step_stationary_grid(std::int64_t rows, std::int64_t cols, int q, LaneRow<float> seen, LaneRow<float> held,
                          float* sum, GridPitch pitch);

// What q lanes of picks take of `lanes` lanes: to[l * to_pitch + c] = from[picks[l][c]][c], 0 if there is no such lane.
void pick_row(std::int64_t cols, int q, int lanes, LaneRow<std::int16_t> from, LaneRow<std::int16_t> picks,
              std::int16_t* to, std::int64_t to_pitch);
void pick_row(std::int64_t cols, int q, int lanes, LaneRow<float> from, LaneRow<float> picks, float* to,
              std::int64_t to_pitch);

// to[c] += from[c]; the last one: of floats, onto the bit patterns of floats.
void add_row(std::int64_t cols, const std::int32_t* from, std::int32_t* to);
void add_row(std::int64_t cols, const float* from, float* to);
void add_row(std::int64_t cols, const float* from, std::int32_t* to);

} // namespace systole
