// The vectorised rows against plain loops: widths around the sizes of SIMD registers, sums that wrap around.
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "pe/flat_kernels.h"

using namespace systole;

namespace {

constexpr std::int64_t widths[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 256, 257};
constexpr std::int32_t guard = 0x5a5a5a5a; // behind the row: must stay
constexpr std::int64_t guards = 40;        // more than the widest register holds

// 32-bit two's complement, whatever the value.
std::int32_t wrapped(std::int64_t value) {
    const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) & 0xffffffffU);
    return static_cast<std::int32_t>(low >= 0x80000000LL ? low - 0x100000000LL : low);
}

struct Row {
    std::vector<std::int16_t> a, b;
    std::vector<std::int32_t> above, sum;
};

// A quarter of the values are the extremes of their type.
template <typename T>
T draw(std::mt19937& random, T lowest, T highest) {
    switch (random() % 8) {
    case 0:
        return lowest;
    case 1:
        return highest;
    default:
        return static_cast<T>(std::uniform_int_distribution<std::int64_t>(lowest, highest)(random));
    }
}

Row draw_row(std::mt19937& random, std::int64_t cols, std::int16_t lowest, std::int16_t highest) {
    using Sum = std::numeric_limits<std::int32_t>;
    Row row;
    for (std::int64_t c = 0; c < cols + guards; ++c) {
        row.a.push_back(draw(random, lowest, highest));
        row.b.push_back(draw(random, lowest, highest));
        row.above.push_back(draw(random, Sum::min(), Sum::max()));
        row.sum.push_back(c < cols ? draw(random, Sum::min(), Sum::max()) : guard);
    }
    return row;
}

// Calls `check(cols, row)` for int8 values, all that the kernels promise, at every width.
template <typename Check>
void for_rows(Check&& check) {
    std::mt19937 random(1);
    for (const auto cols : widths) {
        INFO(cols << " columns");
        check(cols, draw_row(random, cols, -128, 127));
    }
}

std::int64_t product(const Row& row, std::int64_t c) { return std::int64_t{row.a[c]} * row.b[c]; }

} // namespace

TEST_CASE("a stationary row adds its products to the sums from above", "[pe][flat_kernels]") {
    for_rows([](std::int64_t cols, Row row) {
        auto expected = row.sum;
        for (std::int64_t c = 0; c < cols; ++c)
            expected[c] = wrapped(row.above[c] + product(row, c));
        step_stationary_row(cols, row.a.data(), row.b.data(), row.above.data(), row.sum.data());
        CHECK(row.sum == expected);
    });
}

TEST_CASE("the first stationary row has no sums above it", "[pe][flat_kernels]") {
    for_rows([](std::int64_t cols, Row row) {
        auto expected = row.sum;
        for (std::int64_t c = 0; c < cols; ++c)
            expected[c] = wrapped(product(row, c));
        step_stationary_row(cols, row.a.data(), row.b.data(), nullptr, row.sum.data());
        CHECK(row.sum == expected);
    });
}

TEST_CASE("a grid of stationary rows is its rows, from the last up", "[pe][flat_kernels]") {
    constexpr std::int64_t rows = 5, pitch = 200;
    std::mt19937 random(2);
    for (const auto cols : widths) {
        if (cols > pitch)
            continue;
        INFO(cols << " columns");
        std::vector<std::int16_t> seen(rows * pitch), held(rows * pitch);
        std::vector<std::int32_t> sums(rows * pitch);
        for (auto& value : seen)
            value = draw<std::int16_t>(random, -128, 127);
        for (auto& value : held)
            value = draw<std::int16_t>(random, -128, 127);
        for (auto& value : sums)
            value = draw(random, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
        auto expected = sums;
        for (std::int64_t row = rows; row-- > 0;) {
            step_stationary_row(cols, &seen[row * pitch], &held[row * pitch],
                                row == 0 ? nullptr : &expected[(row - 1) * pitch], &expected[row * pitch]);
        }
        step_stationary_grid(rows, cols, seen.data(), pitch, held.data(), pitch, sums.data(), pitch);
        CHECK(sums == expected);
    }
}

TEST_CASE("a sum that stays takes the product of every cycle", "[pe][flat_kernels]") {
    for_rows([](std::int64_t cols, Row row) {
        auto expected = row.sum;
        for (int cycle = 0; cycle < 3; ++cycle) {
            for (std::int64_t c = 0; c < cols; ++c)
                expected[c] = wrapped(expected[c] + product(row, c));
            accumulate_row(cols, row.a.data(), row.b.data(), row.sum.data());
        }
        CHECK(row.sum == expected);
    });
}

TEST_CASE("rows of sums are added with wrap-around", "[pe][flat_kernels]") {
    for_rows([](std::int64_t cols, Row row) {
        auto expected = row.sum;
        for (std::int64_t c = 0; c < cols; ++c)
            expected[c] = wrapped(std::int64_t{row.sum[c]} + row.above[c]);
        add_row(cols, row.above.data(), row.sum.data());
        CHECK(row.sum == expected);
    });
}

TEST_CASE("the wrap-around of the sums is that of two's complement", "[pe][flat_kernels]") {
    const std::int16_t one = 1, most = 127, least = -128;
    const std::int32_t top = std::numeric_limits<std::int32_t>::max();
    std::int32_t sum = 0;
    step_stationary_row(1, &one, &one, &top, &sum);
    CHECK(sum == std::numeric_limits<std::int32_t>::min()); // 2^31 - 1 + 1
    accumulate_row(1, &most, &least, &sum);                 // -2^31 - 16256 + 2^32
    CHECK(sum == 2'147'467'392);
    std::int32_t low = std::numeric_limits<std::int32_t>::min();
    add_row(1, &low, &low); // -2^32
    CHECK(low == 0);
}
