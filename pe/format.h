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

// Bytes that `elements` values take when packed; a last partial byte counts whole.
Bytes stored_bytes(std::int64_t elements, Format format);

// Stored formats of C = A * B. Accumulation is int32 for integers, fp32 for floats.
struct OperandFormats {
    Format a = Format::int8;
    Format b = Format::int8;
    Format c = Format::int8;

    bool operator==(const OperandFormats&) const = default;
};

} // namespace systole
