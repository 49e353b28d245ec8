// Integer quantities. Units are carried by the name of the type and, where several would fit, of the variable.
#pragma once

#include <cstdint>
#include <limits>

namespace systole {

using Cycles = std::int64_t;         // cycles of the core clock
using Bytes = std::int64_t;          // bytes, never rounded
using Hertz = std::int64_t;          // 1/s
using BytesPerSecond = std::int64_t; // bytes/s (decimal prefixes: 1 GB/s = 1e9)
using BytesPerCycle = std::int64_t;  // bytes per cycle of the core clock
using Picoseconds = std::int64_t;    // 1e-12 s
using FlopPerSecond = double;        // a rate that is only ever reported, never counted

// Capacity or bandwidth of an ideal machine ("unlimited" in a chip file).
inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

constexpr bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

constexpr std::int64_t ceil_div(std::int64_t numerator, std::int64_t denominator) {
    return numerator / denominator + (numerator % denominator > 0 ? 1 : 0);
}

} // namespace systole
