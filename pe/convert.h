// The values of number formats: bit pattern to value and back, bit by bit as docs/formats.md states them. A double
// holds every value of every format here, and every int32, so a conversion rounds once.
//
// Sources: IEEE 754-2019 binary16 and binary32; bfloat16 as the upper half of binary32 (Google, "BFloat16: the secret
// to high performance on Cloud TPUs", 2019); OCP 8-bit Floating Point Specification (OFP8) 1.0, 2023, tables 1 to 3.
#pragma once

#include <cstdint>

#include "pe/format.h"

namespace systole {

// The pattern (its low bits(format) bits) of the value nearest to `value`; of two equally near ones the even pattern.
//   beyond the range: integers and both fp8 saturate, infinities too; bf16, fp16 and fp32 give an infinity
//   NaN: the positive quiet one, fp8_e4m3 0x7F, fp8_e5m2 0x7E; integers 0
//   subnormal results are kept; a float keeps the sign of a zero
std::uint32_t to_pattern(Format format, double value);

// Takes the low bits(format) bits.
double from_pattern(Format format, std::uint32_t pattern);

inline double rounded(Format format, double value) { return from_pattern(format, to_pattern(format, value)); }

struct FormatRange {
    double largest = 0;                       // finite
    double lowest = 0;                        // of floats -largest
    double smallest_normal = 0;               // floats: below it the spacing is that of subnormals
    double smallest = 0;                      // positive
    int exponent_bits = 0, fraction_bits = 0; // 0 for integers
    bool infinity = false;
    bool nan = false;
};

FormatRange range_of(Format format);

} // namespace systole
