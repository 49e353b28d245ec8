// Number formats of operands and results: their names and stored widths.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sim/base/quantities.h"

namespace systole {

enum class Format { int4, int8, int32, fp8_e4m3, fp8_e5m2, bf16, fp16, fp32 };

inline constexpr std::array all_formats{Format::int4,     Format::int8, Format::int32, Format::fp8_e4m3,
                                        Format::fp8_e5m2, Format::bf16, Format::fp16,  Format::fp32};

std::string_view name(Format format); // "int8", "fp8_e4m3", ...
std::optional<Format> parse_format(std::string_view text);
int bits(Format format); // stored width
bool is_integer(Format format);
bool is_operand(Format format); // of A and B; int32 is for C alone

// Bytes that `elements` values take when packed; a last partial byte counts whole.
Bytes stored_bytes(std::int64_t elements, Format format);

// What a MAC adds in: int32 with wrap-around, or fp32 (IEEE 754 binary32) rounded to nearest even, product and sum
// each on its own.
enum class Accumulation { int32, fp32 };

std::string_view name(Accumulation accumulation); // "int32", "fp32"

// Stored formats of C = A * B.
struct OperandFormats {
    Format a = Format::int8;
    Format b = Format::int8;
    Format c = Format::int8;

    // int32 if A and B are both integers, else fp32.
    Accumulation accumulation() const;

    bool operator==(const OperandFormats&) const = default;
};

} // namespace systole
