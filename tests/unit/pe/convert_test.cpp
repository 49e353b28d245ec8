// Conversions against what the standards say, by other means than the code's: every value of a format is built up from
// the fields of its pattern in rational arithmetic, and the nearest one is found by search.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "pe/convert.h"

using namespace systole;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Format small_floats[] = {Format::fp8_e4m3, Format::fp8_e5m2, Format::bf16, Format::fp16};
constexpr Format floats[] = {Format::fp8_e4m3, Format::fp8_e5m2, Format::bf16, Format::fp16, Format::fp32};
constexpr Format integers[] = {Format::int4, Format::int8, Format::int32};

// Exponent and fraction bits by the documents: OFP8 table 1, IEEE 754-2019 table 3.5, bfloat16.
struct Fields {
    int exponent, fraction;
};
Fields fields(Format format) {
    switch (format) {
    case Format::fp8_e4m3:
        return {4, 3};
    case Format::fp8_e5m2:
        return {5, 2};
    case Format::bf16:
        return {8, 7};
    case Format::fp16:
        return {5, 10};
    default:
        return {8, 23};
    }
}

// A power of two by repeated multiplication, exact in the range of all formats here.
double power(int exponent) {
    double result = 1;
    for (; exponent > 0; --exponent)
        result *= 2;
    for (; exponent < 0; ++exponent)
        result /= 2;
    return result;
}

double value_by_fields(Format format, std::uint32_t pattern) {
    const auto [e, f] = fields(format);
    const bool negative = (pattern >> (e + f) & 1U) != 0;
    const auto exponent = static_cast<int>(pattern >> f & ((1U << e) - 1U));
    const auto fraction = pattern & ((1U << f) - 1U);
    const int highest = (1 << e) - 1, bias = highest / 2;
    const double part = static_cast<double>(fraction) / power(f);
    double size = exponent == 0 ? part * power(1 - bias) : (1 + part) * power(exponent - bias);
    if (format == Format::fp8_e4m3) { // "S.1111.111" is NaN, all else numbers
        if (exponent == highest && fraction == 7)
            size = std::numeric_limits<double>::quiet_NaN();
    } else if (exponent == highest) {
        size = fraction == 0 ? infinity : std::numeric_limits<double>::quiet_NaN();
    }
    return negative ? -size : size;
}

// The finite magnitudes of a small format with their patterns, ascending; as patterns ascend.
std::vector<double> magnitudes(Format format) {
    std::vector<double> all;
    for (std::uint32_t pattern = 0; std::isfinite(value_by_fields(format, pattern)); ++pattern)
        all.push_back(value_by_fields(format, pattern));
    return all;
}

// By search. Differences of doubles around a small format's values are exact in long double (64 bits of significand).
std::uint32_t nearest(const std::vector<double>& all, Format format, double value) {
    const double size = std::fabs(value);
    const auto above = static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), size) - all.begin());
    std::uint32_t best = above;
    if (above == all.size()) { // beyond the largest: as if there were one more step
        const double step = all.back() - all[all.size() - 2];
        const bool rounds_down = size < all.back() + step / 2 || (size == all.back() + step / 2 && all.size() % 2 == 1);
        const bool fp8 = format == Format::fp8_e4m3 || format == Format::fp8_e5m2;
        best = rounds_down || fp8 ? above - 1 : above; // the pattern behind the largest is infinity
    } else if (above > 0 && all[above] != size) {
        const long double up = static_cast<long double>(all[above]) - size;
        const long double down = static_cast<long double>(size) - all[above - 1];
        best = down < up || (down == up && above % 2 == 1) ? above - 1 : above;
    }
    return best | (std::signbit(value) ? 1U << (bits(format) - 1) : 0U);
}

void check_both_signs(const std::vector<double>& all, Format format, double size) {
    for (const double value : {size, -size}) {
        if (to_pattern(format, value) == nearest(all, format, value))
            continue;
        FAIL_CHECK(name(format) << ": " << value << " became " << to_pattern(format, value) << ", not "
                                << nearest(all, format, value));
    }
}

} // namespace

TEST_CASE("every pattern of the 8- and 16-bit floats has the value that its fields say", "[pe][convert]") {
    for (const Format format : small_floats) {
        std::uint32_t wrong = 0;
        for (std::uint32_t pattern = 0; pattern < 1U << bits(format); ++pattern) {
            const double expected = value_by_fields(format, pattern);
            const double found = from_pattern(format, pattern);
            const bool same = std::isnan(expected) ? std::isnan(found)
                                                   : found == expected && std::signbit(found) == std::signbit(expected);
            wrong += same ? 0 : 1;
        }
        INFO(name(format));
        CHECK(wrong == 0);
    }
}

TEST_CASE("every pattern but NaNs survives the way to its value and back", "[pe][convert]") {
    for (const Format format : all_formats) {
        const std::uint64_t step = bits(format) == 32 ? 65'521 : 1; // a prime: all patterns would take minutes
        std::uint64_t wrong = 0;
        for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << bits(format); pattern += step) {
            const double value = from_pattern(format, static_cast<std::uint32_t>(pattern));
            const bool saturates = std::isinf(value) && format == Format::fp8_e5m2;
            wrong += std::isnan(value) || saturates || to_pattern(format, value) == pattern ? 0 : 1;
        }
        INFO(name(format));
        CHECK(wrong == 0);
    }
}

TEST_CASE("between any two neighbours of the 8- and 16-bit floats the nearer one is taken, halfway the even one",
          "[pe][convert]") {
    for (const Format format : small_floats) {
        const auto all = magnitudes(format);
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            const double halfway = all[i] + (all[i + 1] - all[i]) / 2; // exact: one bit more than the format has
            check_both_signs(all, format, halfway);
            check_both_signs(all, format, std::nextafter(halfway, 0));
            check_both_signs(all, format, std::nextafter(halfway, infinity));
            check_both_signs(all, format, std::nextafter(all[i], infinity));
            check_both_signs(all, format, std::nextafter(all[i + 1], 0));
        }
    }
}

TEST_CASE("beyond the largest value fp8 saturates and the others become infinite", "[pe][convert]") {
    for (const Format format : small_floats) {
        const auto all = magnitudes(format);
        const double step = all.back() - all[all.size() - 2];
        for (const double size : {all.back() + step / 2, std::nextafter(all.back() + step / 2, 0.0),
                                  std::nextafter(all.back() + step / 2, infinity), all.back() + step, 1e300}) {
            check_both_signs(all, format, size);
        }
    }
    CHECK(to_pattern(Format::fp8_e4m3, 464) == 0x7E); // halfway from 448 to 480
    CHECK(to_pattern(Format::fp8_e4m3, 1e9) == 0x7E);
    CHECK(to_pattern(Format::fp8_e4m3, -infinity) == 0xFE);
    CHECK(to_pattern(Format::fp8_e5m2, infinity) == 0x7B); // 57344
    CHECK(to_pattern(Format::fp16, 65'519.99) == 0x7BFF);
    CHECK(to_pattern(Format::fp16, 65'520) == 0x7C00);
    CHECK(to_pattern(Format::bf16, -infinity) == 0xFF80);
    CHECK(to_pattern(Format::fp32, std::ldexp(2 - std::ldexp(1.0, -24), 127)) == 0x7F80'0000);
}

TEST_CASE("random doubles of all magnitudes go to the nearest value of the small floats", "[pe][convert]") {
    std::mt19937_64 random(3);
    for (const Format format : small_floats) {
        const auto all = magnitudes(format);
        for (int i = 0; i < 200'000; ++i) {
            const double size =
                std::ldexp(1 + static_cast<double>(random() >> 12U) * 0x1p-52, static_cast<int>(random() % 300) - 150);
            check_both_signs(all, format, size);
        }
    }
}

TEST_CASE("fp32 is what the processor makes of a double", "[pe][convert]") {
    std::mt19937_64 random(4);
    int wrong = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const double value =
            std::ldexp(1 + static_cast<double>(random() >> 12U) * 0x1p-52, static_cast<int>(random() % 310) - 155) *
            (random() % 2 == 0 ? 1 : -1);
        wrong += to_pattern(Format::fp32, value) == std::bit_cast<std::uint32_t>(static_cast<float>(value)) ? 0 : 1;
        const auto pattern = static_cast<std::uint32_t>(random());
        const auto single = std::bit_cast<float>(pattern);
        wrong += std::isnan(single) || from_pattern(Format::fp32, pattern) == double{single} ? 0 : 1;
    }
    CHECK(wrong == 0);
}

TEST_CASE("bf16 is the upper half of fp32, rounded", "[pe][convert]") {
    // The rounding of fp32 to bf16 as it is done in integers: add half a step less one, and one more if the result is
    // odd.
    std::mt19937 random(5);
    int wrong = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const auto pattern = static_cast<std::uint32_t>(random());
        const double value = std::bit_cast<float>(pattern);
        if (std::isnan(value))
            continue;
        const std::uint32_t expected = (pattern + 0x7FFFU + (pattern >> 16U & 1U)) >> 16U;
        wrong += to_pattern(Format::bf16, value) == expected ? 0 : 1;
    }
    CHECK(wrong == 0);
}

TEST_CASE("integers round halves to the even one and saturate", "[pe][convert]") {
    for (const Format format : integers) {
        INFO(name(format));
        const int width = bits(format);
        const double highest = std::ldexp(1.0, width - 1) - 1;
        const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
        const auto as_pattern = [&](double value) {
            return static_cast<std::uint32_t>(static_cast<std::int64_t>(value)) & mask;
        };
        const double end = std::min(highest, 300.0);
        for (double whole = std::max(-highest - 1, -300.0); whole <= end; ++whole) {
            const bool even = std::fmod(whole, 2) == 0;
            const double next = std::min(whole + 1, highest);
            CHECK(to_pattern(format, whole) == as_pattern(whole));
            CHECK(from_pattern(format, as_pattern(whole)) == whole);
            CHECK(to_pattern(format, whole + 0.499) == as_pattern(whole));
            CHECK(to_pattern(format, whole + 0.5) == as_pattern(even ? whole : next));
            CHECK(to_pattern(format, whole + 0.501) == as_pattern(next));
        }
        for (const double beyond : {highest + 1, 1e20, infinity}) {
            CHECK(to_pattern(format, beyond) == as_pattern(highest));
            CHECK(to_pattern(format, -beyond - 1) == as_pattern(-highest - 1));
        }
        CHECK(to_pattern(format, std::numeric_limits<double>::quiet_NaN()) == 0);
        CHECK(to_pattern(format, -0.0) == 0);
    }
}

TEST_CASE("a NaN becomes one quiet NaN, zeros keep their sign", "[pe][convert]") {
    const double nan = -std::numeric_limits<double>::quiet_NaN();
    CHECK(to_pattern(Format::fp8_e4m3, nan) == 0x7F);
    CHECK(to_pattern(Format::fp8_e5m2, nan) == 0x7E);
    CHECK(to_pattern(Format::bf16, nan) == 0x7FC0);
    CHECK(to_pattern(Format::fp16, nan) == 0x7E00);
    CHECK(to_pattern(Format::fp32, nan) == 0x7FC0'0000);
    for (const Format format : floats) {
        CHECK(to_pattern(format, 0.0) == 0);
        CHECK(to_pattern(format, -0.0) == 1U << (bits(format) - 1));
        CHECK(to_pattern(format, -1e-300) == 1U << (bits(format) - 1));
    }
}

TEST_CASE("ranges are those of the documents", "[pe][convert]") {
    // OFP8 table 1: maximum normal, minimum normal, minimum subnormal.
    CHECK(range_of(Format::fp8_e4m3).largest == 448);
    CHECK(range_of(Format::fp8_e4m3).smallest_normal == std::ldexp(1.0, -6));
    CHECK(range_of(Format::fp8_e4m3).smallest == std::ldexp(1.0, -9));
    CHECK_FALSE(range_of(Format::fp8_e4m3).infinity);
    CHECK(range_of(Format::fp8_e5m2).largest == 57'344);
    CHECK(range_of(Format::fp8_e5m2).smallest_normal == std::ldexp(1.0, -14));
    CHECK(range_of(Format::fp8_e5m2).smallest == std::ldexp(1.0, -16));
    CHECK(range_of(Format::fp16).largest == 65'504);
    CHECK(range_of(Format::fp16).smallest == std::ldexp(1.0, -24));
    CHECK(range_of(Format::bf16).largest == std::ldexp(255.0, 120));
    CHECK(range_of(Format::fp32).largest == double{std::numeric_limits<float>::max()});
    CHECK(range_of(Format::fp32).smallest == double{std::numeric_limits<float>::denorm_min()});
    CHECK(range_of(Format::int4).lowest == -8);
    CHECK(range_of(Format::int4).largest == 7);
    CHECK(range_of(Format::int32).lowest == -2147483648.0);
    CHECK_FALSE(range_of(Format::int8).nan);
}
