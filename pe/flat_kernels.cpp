#include "pe/flat_kernels.h"

#include <bit>

#include "sim/base/wide.h"

namespace systole {

namespace {

// All of these are compiled into the loops that use them, for the instruction set of those.
#define SYSTOLE_INTO_LOOP [[gnu::always_inline]] inline

SYSTOLE_INTO_LOOP std::int32_t plus(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
SYSTOLE_INTO_LOOP float plus(float a, float b) { return a + b; }

// int8 values: the product needs 15 bits and a sign, so it stays in the lanes of int16 until it is added.
SYSTOLE_INTO_LOOP std::int32_t times(std::int16_t a, std::int16_t b) { return static_cast<std::int16_t>(a * b); }
SYSTOLE_INTO_LOOP float times(float a, float b) { return a * b; }

template <int Q, typename Lane>
SYSTOLE_INTO_LOOP Sum<Lane> product(LaneRow<Lane> a, LaneRow<Lane> b, std::int64_t c) {
    Sum<Lane> sum = times(a.first[c], b.first[c]);
    for (int lane = 1; lane < Q; ++lane)
        sum = plus(sum, times(a.first[lane * a.pitch + c], b.first[lane * b.pitch + c]));
    return sum;
}

template <int Q, typename Lane>
SYSTOLE_INTO_LOOP void multiply_lanes(std::int64_t cols, LaneRow<Lane> a, LaneRow<Lane> b, Sum<Lane>* sum) {
#pragma GCC ivdep
    for (std::int64_t c = 0; c < cols; ++c)
        sum[c] = product<Q>(a, b, c);
}

template <int Q, typename Lane>
SYSTOLE_INTO_LOOP void accumulate_lanes(std::int64_t cols, LaneRow<Lane> a, LaneRow<Lane> b, Sum<Lane>* sum) {
#pragma GCC ivdep
    for (std::int64_t c = 0; c < cols; ++c)
        sum[c] = plus(sum[c], product<Q>(a, b, c));
}

template <int Q, typename Lane>
SYSTOLE_INTO_LOOP void step_grid(std::int64_t rows, std::int64_t cols, LaneRow<Lane> seen, LaneRow<Lane> held,
                                 Sum<Lane>* sum, GridPitch pitch) {
    for (std::int64_t row = rows; row-- > 0;) {
        const LaneRow<Lane> a{seen.first + row * pitch.seen, seen.pitch};
        const LaneRow<Lane> b{held.first + row * pitch.held, held.pitch};
        const Sum<Lane>* above = sum + (row - 1) * pitch.sum;
        Sum<Lane>* to = sum + row * pitch.sum;
        if (row == 0) {
#pragma GCC ivdep
            for (std::int64_t c = 0; c < cols; ++c)
                to[c] = plus(Sum<Lane>{}, product<Q>(a, b, c)); // of floats: -0 becomes 0
        } else {
#pragma GCC ivdep
            for (std::int64_t c = 0; c < cols; ++c)
                to[c] = plus(above[c], product<Q>(a, b, c));
        }
    }
}

// A comparison with every lane instead of a look-up: it has no indirect loads.
template <typename Lane>
SYSTOLE_INTO_LOOP void pick_lanes(std::int64_t cols, int q, int lanes, LaneRow<Lane> from, LaneRow<Lane> picks,
                                  Lane* to, std::int64_t to_pitch) {
    for (int l = 0; l < q; ++l) {
        const Lane* __restrict pick = picks.first + l * picks.pitch;
        Lane* __restrict taken = to + l * to_pitch;
        for (std::int64_t c = 0; c < cols; ++c)
            taken[c] = Lane{};
        for (int lane = 0; lane < lanes; ++lane) {
            const Lane* __restrict offered = from.first + lane * from.pitch;
            const auto number = static_cast<Lane>(lane);
            for (std::int64_t c = 0; c < cols; ++c)
                taken[c] = pick[c] == number ? offered[c] : taken[c];
        }
    }
}

template <typename S>
SYSTOLE_INTO_LOOP void add_lanes(std::int64_t cols, const S* __restrict from, S* __restrict to) {
    for (std::int64_t c = 0; c < cols; ++c)
        to[c] = plus(to[c], from[c]);
}

// Calls `loop` with q as a constant.
template <typename Loop>
SYSTOLE_INTO_LOOP void with_lanes(int q, Loop&& loop) {
    switch (q) {
    case 1:
        return loop.template operator()<1>();
    case 2:
        return loop.template operator()<2>();
    case 3:
        return loop.template operator()<3>();
    default:
        return loop.template operator()<4>();
    }
}

} // namespace

// Instruction sets cannot be asked for in a template, so each kind of lane is spelt out.

SYSTOLE_WIDE
void multiply_row(std::int64_t cols, int q, LaneRow<std::int16_t> a, LaneRow<std::int16_t> b, std::int32_t* sum) {
    with_lanes(
        q, [&]<int Q>() __attribute__((always_inline)) { multiply_lanes<Q>(cols, a, b, sum); });
}

SYSTOLE_WIDE
void accumulate_row(std::int64_t cols, int q, LaneRow<std::int16_t> a, LaneRow<std::int16_t> b, std::int32_t* sum) {
    with_lanes(
        q, [&]<int Q>() __attribute__((always_inline)) { accumulate_lanes<Q>(cols, a, b, sum); });
}

SYSTOLE_WIDE
void step_stationary_grid(std::int64_t rows, std::int64_t cols, int q, LaneRow<std::int16_t> seen,
                          LaneRow<std::int16_t> held, std::int32_t* sum, GridPitch pitch) {
    with_lanes(
        q, [&]<int Q>() __attribute__((always_inline)) { step_grid<Q>(rows, cols, seen, held, sum, pitch); });
}

SYSTOLE_WIDE
void add_row(std::int64_t cols, const std::int32_t* __restrict from, std::int32_t* __restrict to) {
    add_lanes(cols, from, to);
}

SYSTOLE_WIDE
void pick_row(std::int64_t cols, int q, int lanes, LaneRow<std::int16_t> from, LaneRow<std::int16_t> picks,
              std::int16_t* to, std::int64_t to_pitch) {
    pick_lanes(cols, q, lanes, from, picks, to, to_pitch);
}

SYSTOLE_WIDE
void pick_row(std::int64_t cols, int q, int lanes, LaneRow<float> from, LaneRow<float> picks, float* to,
              std::int64_t to_pitch) {
    pick_lanes(cols, q, lanes, from, picks, to, to_pitch);
}

SYSTOLE_WIDE
void multiply_row(std::int64_t cols, int q, LaneRow<float> a, LaneRow<float> b, float* sum) {
    with_lanes(
        q, [&]<int Q>() __attribute__((always_inline)) { multiply_lanes<Q>(cols, a, b, sum); });
}

SYSTOLE_WIDE
void accumulate_row(std::int64_t cols, int q, LaneRow<float> a, LaneRow<float> b, float* sum) {
    with_lanes(
        q, [&]<int Q>() __attribute__((always_inline)) { accumulate_lanes<Q>(cols, a, b, sum); });
}

SYSTOLE_WIDE
void step_stationary_grid(std::int64_t rows, std::int64_t cols, int q, LaneRow<float> seen, LaneRow<float> held,
                          float* sum, GridPitch pitch) {
    with_lanes(
        q, [&]<int Q>() __attribute__((always_inline)) { step_grid<Q>(rows, cols, seen, held, sum, pitch); });
}

SYSTOLE_WIDE
void add_row(std::int64_t cols, const float* __restrict from, float* __restrict to) { add_lanes(cols, from, to); }

SYSTOLE_WIDE
void add_row(std::int64_t cols, const float* __restrict from, std::int32_t* __restrict to) {
    for (std::int64_t c = 0; c < cols; ++c)
        to[c] = std::bit_cast<std::int32_t>(std::bit_cast<float>(to[c]) + from[c]);
}

} // namespace systole
