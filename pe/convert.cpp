#include "pe/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {

namespace {

struct FloatLayout {
    int exponent_bits;
    int fraction_bits;
    bool infinity; // the highest exponent is for infinity and NaN alone; else for numbers, but for one NaN
    bool saturates;
    std::uint32_t nan;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int lowest_exponent() const { return 1 - bias(); }
    std::uint32_t sign() const { return 1U << (exponent_bits + fraction_bits); }
    std::uint32_t largest() const { // the pattern
        const std::uint32_t above = ((1U << exponent_bits) - 1U) << fraction_bits;
        return infinity ? above - 1U : nan - 1U;
    }
};

FloatLayout layout(Format format) {
    switch (format) {
    case Format::fp8_e4m3:
        return {4, 3, false, true, 0x7F};
    case Format::fp8_e5m2:
        return {5, 2, true, true, 0x7E};
    case Format::bf16:
        return {8, 7, true, false, 0x7FC0};
    case Format::fp16:
        return {5, 10, true, false, 0x7E00};
    default:
        return {8, 23, true, false, 0x7FC0'0000};
    }
}

std::int64_t highest_integer(Format format) { return (std::int64_t{1} << (bits(format) - 1)) - 1; }

std::uint32_t integer_pattern(Format format, double value) {
    if (std::isnan(value))
        return 0;
    const auto highest = static_cast<double>(highest_integer(format));
    const double held = std::fmin(std::fmax(std::nearbyint(value), -highest - 1), highest);
    const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits(format)) - 1);
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(held)) & mask;
}

double integer_value(Format format, std::uint32_t pattern) {
    const std::int64_t span = std::int64_t{1} << bits(format);
    const std::int64_t low = pattern & (span - 1);
    return static_cast<double>(low > highest_integer(format) ? low - span : low);
}

double magnitude(const FloatLayout& f, std::uint32_t pattern) {
    const std::uint32_t fraction = pattern & ((1U << f.fraction_bits) - 1U);
    const auto exponent = static_cast<int>(pattern >> f.fraction_bits);
    if (exponent == 0)
        return std::ldexp(fraction, f.lowest_exponent() - f.fraction_bits);
    const bool special = pattern > f.largest();
    if (special && f.infinity && fraction == 0)
        return std::numeric_limits<double>::infinity();
    if (special)
        return std::numeric_limits<double>::quiet_NaN();
    return std::ldexp((1U << f.fraction_bits) + fraction, exponent - f.bias() - f.fraction_bits);
}

// Of a finite magnitude, as if exponents had no end. The steps between values are those of its binade, or of the
// subnormals; a magnitude that rounds up into the next binade carries into the exponent field by itself.
std::uint64_t nearest_pattern(const FloatLayout& f, double value) {
    int exponent = f.lowest_exponent();
    if (value > 0)
        exponent = std::max(exponent, std::ilogb(value));
    const auto steps = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(value, f.fraction_bits - exponent)));
    return (static_cast<std::uint64_t>(exponent - f.lowest_exponent()) << f.fraction_bits) + steps;
}

} // namespace

std::uint32_t to_pattern(Format format, double value) {
    if (is_integer(format))
        return integer_pattern(format, value);
    const auto f = layout(format);
    if (std::isnan(value))
        return f.nan;
    const std::uint32_t sign = std::signbit(value) ? f.sign() : 0U;
    const auto beyond = f.saturates ? f.largest() : f.largest() + 1U; // one more is infinity
    if (std::isinf(value))
        return sign | beyond;
    const auto pattern = nearest_pattern(f, std::fabs(value));
    return sign | (pattern > f.largest() ? beyond : static_cast<std::uint32_t>(pattern));
}

double from_pattern(Format format, std::uint32_t pattern) {
    if (is_integer(format))
        return integer_value(format, pattern);
    const auto f = layout(format);
    const double value = magnitude(f, pattern & (f.sign() - 1U));
    return (pattern & f.sign()) != 0 ? -value : value;
}

FormatRange range_of(Format format) {
    if (is_integer(format)) {
        const auto highest = static_cast<double>(highest_integer(format));
        return {.largest = highest, .lowest = -highest - 1, .smallest_normal = 1, .smallest = 1};
    }
    const auto f = layout(format);
    const double largest = magnitude(f, f.largest());
    return {.largest = largest,
            .lowest = -largest,
            .smallest_normal = std::ldexp(1.0, f.lowest_exponent()),
            .smallest = std::ldexp(1.0, f.lowest_exponent() - f.fraction_bits),
            .exponent_bits = f.exponent_bits,
            .fraction_bits = f.fraction_bits,
            .infinity = f.infinity,
            .nan = true};
}

} // namespace systole
