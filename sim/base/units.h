// Quantities with units as text ("1.5 GHz", "128 MiB") to and from exact integers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/quantities.h"

namespace systole {

// A value, or why there is none: `error` says what is wrong and what would be right.
template <class T>
struct Parsed {
    std::optional<T> value;
    std::string error;
};

// A number, an optional blank and a unit, whose case matters. Never rounded: a value that is not a whole number of
// the base unit, or that leaves 64 bits, is an error. "unlimited" is understood where an ideal machine may have it.
Parsed<Hertz> parse_frequency(std::string_view text);               // Hz, kHz, MHz, GHz
Parsed<Bytes> parse_bytes(std::string_view text);                   // B, KiB, MiB, GiB, TiB, unlimited
Parsed<BytesPerSecond> parse_bandwidth(std::string_view text);      // B/s, kB/s, ..., KiB/s, ..., unlimited
Parsed<BytesPerCycle> parse_bytes_per_cycle(std::string_view text); // B/cycle, KiB/cycle, unlimited
Parsed<Picoseconds> parse_time(std::string_view text);              // ps, ns, us, ms, s
Parsed<FlopPerSecond> parse_flops(std::string_view text);           // GFLOP/s, TFLOP/s, TOP/s, ...

// The shortest exact text that the function above takes back.
std::string format_frequency(Hertz value);
std::string format_bytes(Bytes value);
std::string format_bandwidth(BytesPerSecond value);
std::string format_bytes_per_cycle(BytesPerCycle value);
std::string format_time(Picoseconds value);
std::string format_flops(FlopPerSecond value);

// The units each of them takes, for messages: "Hz, kHz, MHz or GHz".
std::string frequency_units();
std::string bytes_units();
std::string bandwidth_units();
std::string bytes_per_cycle_units();
std::string time_units();
std::string flops_units();

} // namespace systole
