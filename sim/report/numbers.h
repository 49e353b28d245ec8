// Numbers as text: never dependent on the locale; doubles in the shortest form that reads back as the same value.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/quantities.h"

namespace systole {

std::string shortest(double value); // "0.1", "100.0", "5.213e-06"

// For people: a value with an SI prefix and four significant digits, e.g. scaled(25.6e9, "B/s") = "25.6 GB/s".
std::string scaled(double value, const std::string& unit);

std::string bytes_text(Bytes bytes);                 // "256 KiB", "1.5 MiB", "640 B", "unlimited"
std::string bandwidth_text(double bytes_per_second); // "25.6 GB/s"; 0: "unlimited"
std::string percent_text(double fraction);           // "78.57 %"

// An exact integer if it fits into `width` characters, else scaled: "1.234T".
std::string count_text(std::int64_t value, int width);

} // namespace systole
