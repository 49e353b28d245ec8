// The vectorised rows against plain loops: widths around the sizes of SIMD registers, one to four lanes, int32 sums
// that wrap around, floats whose order of rounding shows.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

#include "pe/flat_kernels.h"

using namespace systole;

namespace {

constexpr std::int64_t widths[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 256, 257};
constexpr std::int64_t pitch = 320; // of lanes: beyond the widest row and what a register reaches behind it

// 32-bit two's complement, whatever the value.
std::int32_t wrapped(std::int64_t value) {
    const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) & 0xffffffffU);
    return static_cast<std::int32_t>(low >= 0x80000000LL ? low - 0x100000000LL : low);
}

// The arithmetic in other types: int64, and double rounded to float after each step. A product of two floats has at
// most 48 bits, so the double holds it exactly; the sum of two floats that a double has rounded rounds to the same
// float (a double has more than twice the bits and two: Figueroa, "When is double rounding innocuous?", 1995).
std::int32_t plus(std::int32_t a, std::int32_t b) { return wrapped(std::int64_t{a} + b); }
float plus(float a, float b) { return static_cast<float>(double{a} + double{b}); }
std::int32_t times(std::int16_t a, std::int16_t b) { return wrapped(std::int64_t{a} * b); }
float times(float a, float b) { return static_cast<float>(double{a} * double{b}); }

std::int16_t draw_lane(std::mt19937& random, std::int16_t) {
    const auto kind = random() % 8; // a quarter of the values are the extremes
    return static_cast<std::int16_t>(kind == 0 ? -128 : kind == 1 ? 127 : static_cast<int>(random() % 256) - 128);
}

float draw_lane(std::mt19937& random, float) {
    switch (random() % 16) {
    case 0:
        return 0.0F;
    case 1:
        return -0.0F;
    case 2:
        return std::ldexp(1.0F, -140); // subnormal
    case 3:
        return -std::numeric_limits<float>::max();
    default:
        return std::ldexp(static_cast<float>(random()) - 2147483648.0F, static_cast<int>(random() % 40) - 51);
    }
}

std::int32_t draw_sum(std::mt19937& random, std::int32_t) {
    return std::bit_cast<std::int32_t>(std::uint32_t(random()));
}
float draw_sum(std::mt19937& random, float) { return draw_lane(random, 0.0F); }

// Bits, so that -0 differs from 0; one NaN for all.
std::vector<std::uint32_t> bits_of(const std::vector<std::int32_t>& sums) { return {sums.begin(), sums.end()}; }
std::vector<std::uint32_t> bits_of(const std::vector<float>& sums) {
    std::vector<std::uint32_t> all;
    for (const float sum : sums)
        all.push_back(std::isnan(sum) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(sum));
    return all;
}

template <typename Lane>
struct Operands {
    std::vector<Lane> a, b;
    std::vector<Sum<Lane>> above, sum; // one pitch of columns: those behind the row must stay

    explicit Operands(std::mt19937& random) {
        for (std::int64_t i = 0; i < 4 * pitch; ++i) {
            a.push_back(draw_lane(random, Lane{}));
            b.push_back(draw_lane(random, Lane{}));
        }
        for (std::int64_t c = 0; c < pitch; ++c) {
            above.push_back(draw_sum(random, Sum<Lane>{}));
            sum.push_back(draw_sum(random, Sum<Lane>{}));
        }
    }
    LaneRow<Lane> row_a() const { return {a.data(), pitch}; }
    LaneRow<Lane> row_b() const { return {b.data(), pitch}; }
    Sum<Lane> product(int q, std::int64_t c) const {
        Sum<Lane> result = times(a[c], b[c]);
        for (int lane = 1; lane < q; ++lane)
            result = plus(result, times(a[lane * pitch + c], b[lane * pitch + c]));
        return result;
    }
};

// check(cols, q, operands) at every width and number of lanes.
template <typename Lane, typename Check>
void for_rows(Check&& check) {
    std::mt19937 random(1);
    for (const auto cols : widths) {
        for (int q = 1; q <= 4; ++q) {
            INFO(cols << " columns, " << q << " lanes");
            check(cols, q, Operands<Lane>(random));
        }
    }
}

} // namespace

TEMPLATE_TEST_CASE("a row of PEs multiplies its lanes and adds from the first on", "[pe][flat_kernels]", std::int16_t,
                   float) {
    for_rows<TestType>([](std::int64_t cols, int q, Operands<TestType> row) {
        auto expected = row.sum;
        for (std::int64_t c = 0; c < cols; ++c)
            expected[c] = row.product(q, c);
        multiply_row(cols, q, row.row_a(), row.row_b(), row.sum.data());
        CHECK(bits_of(row.sum) == bits_of(expected));
    });
}

TEMPLATE_TEST_CASE("a sum that stays takes the products of every cycle", "[pe][flat_kernels]", std::int16_t, float) {
    for_rows<TestType>([](std::int64_t cols, int q, Operands<TestType> row) {
        auto expected = row.sum;
        for (int cycle = 0; cycle < 3; ++cycle) {
            for (std::int64_t c = 0; c < cols; ++c)
                expected[c] = plus(expected[c], row.product(q, c));
            accumulate_row(cols, q, row.row_a(), row.row_b(), row.sum.data());
        }
        CHECK(bits_of(row.sum) == bits_of(expected));
    });
}

TEMPLATE_TEST_CASE("rows of sums are added", "[pe][flat_kernels]", std::int16_t, float) {
    for_rows<TestType>([](std::int64_t cols, int, Operands<TestType> row) {
        auto expected = row.sum;
        for (std::int64_t c = 0; c < cols; ++c)
            expected[c] = plus(row.sum[c], row.above[c]);
        add_row(cols, row.above.data(), row.sum.data());
        CHECK(bits_of(row.sum) == bits_of(expected));
    });
}

TEST_CASE("a row of floats is added onto the patterns of floats", "[pe][flat_kernels]") {
    for_rows<float>([](std::int64_t cols, int, Operands<float> row) {
        std::vector<std::int32_t> patterns;
        for (const float sum : row.sum)
            patterns.push_back(std::bit_cast<std::int32_t>(sum));
        add_row(cols, row.above.data(), patterns.data());
        add_row(cols, row.above.data(), row.sum.data());
        std::vector<float> sums;
        for (const auto pattern : patterns)
            sums.push_back(std::bit_cast<float>(pattern));
        CHECK(bits_of(sums) == bits_of(row.sum));
    });
}

TEMPLATE_TEST_CASE("a grid adds the products to the sums that the row above had", "[pe][flat_kernels]", std::int16_t,
                   float) {
    constexpr std::int64_t rows = 5;
    std::mt19937 random(2);
    for (const auto cols : widths) {
        for (int q = 1; q <= 4; ++q) {
            INFO(cols << " columns, " << q << " lanes");
            std::vector<TestType> seen, held;
            std::vector<Sum<TestType>> sums;
            std::vector<Operands<TestType>> row;
            for (std::int64_t r = 0; r < rows; ++r) {
                row.emplace_back(random);
                seen.insert(seen.end(), row[r].a.begin(), row[r].a.end());
                held.insert(held.end(), row[r].b.begin(), row[r].b.end());
                sums.insert(sums.end(), row[r].sum.begin(), row[r].sum.end());
            }
            auto expected = sums;
            for (std::int64_t r = 0; r < rows; ++r) {
                for (std::int64_t c = 0; c < cols; ++c) {
                    const auto above = r == 0 ? Sum<TestType>{} : row[r - 1].sum[c];
                    expected[r * pitch + c] = plus(above, row[r].product(q, c));
                }
            }
            step_stationary_grid(rows, cols, q, LaneRow<TestType>{seen.data(), pitch},
                                 LaneRow<TestType>{held.data(), pitch}, sums.data(),
                                 {.seen = 4 * pitch, .held = 4 * pitch, .sum = pitch});
            CHECK(bits_of(sums) == bits_of(expected));
        }
    }
}

TEST_CASE("the wrap-around of the sums is that of two's complement", "[pe][flat_kernels]") {
    const std::int16_t most = 127, least = -128;
    std::int32_t sum = std::numeric_limits<std::int32_t>::max();
    accumulate_row(1, 1, {&most, 1}, {&most, 1}, &sum); // 2^31 - 1 + 16129 - 2^32
    CHECK(sum == -2'147'467'520);
    accumulate_row(1, 1, {&most, 1}, {&least, 1}, &sum); // -2^31 + 16128 - 16256 + 2^32
    CHECK(sum == 2'147'483'520);
    std::int32_t low = std::numeric_limits<std::int32_t>::min();
    add_row(1, &low, &low); // -2^32
    CHECK(low == 0);
}

TEST_CASE("products of floats are rounded before they are added", "[pe][flat_kernels]") {
    // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, half a step above 1 + 2^-11, to which it is rounded (even); a fused
    // multiply-add would keep the 2^-24.
    const float a = 1 + std::ldexp(1.0F, -12);
    float sum = -(1 + std::ldexp(1.0F, -11));
    accumulate_row(1, 1, {&a, 1}, {&a, 1}, &sum);
    CHECK(sum == 0);
}
