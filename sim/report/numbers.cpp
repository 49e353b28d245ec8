#include "sim/report/numbers.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace systole {

namespace {

struct Prefix {
    double factor;
    const char* symbol;
};

constexpr std::array<Prefix, 11> prefixes{{{1e18, "E"},
                                           {1e15, "P"},
                                           {1e12, "T"},
                                           {1e9, "G"},
                                           {1e6, "M"},
                                           {1e3, "k"},
                                           {1.0, ""},
                                           {1e-3, "m"},
                                           {1e-6, "u"},
                                           {1e-9, "n"},
                                           {1e-12, "p"}}};

// The largest prefix that leaves at least 1 after rounding to four digits.
Prefix prefix_for(double value) {
    for (const Prefix& prefix : prefixes) {
        if (std::abs(value) / prefix.factor >= 0.99995) {
            return prefix;
        }
    }
    return prefixes.back();
}

} // namespace

std::string shortest(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_not_of("-0123456789") == std::string::npos) {
        text += ".0"; // stays a floating-point number for whoever reads it
    }
    return text;
}

std::string scaled(double value, const std::string& unit) {
    if (value == 0) {
        return "0 " + unit;
    }
    const Prefix prefix = prefix_for(value);
    return fmt::format("{:.4g} {}{}", value / prefix.factor, prefix.symbol, unit);
}

std::string bytes_text(Bytes bytes) {
    if (bytes == unlimited) {
        return "unlimited";
    }
    constexpr std::array symbols{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t step = 0;
    while (value >= 1024 && step + 1 < symbols.size()) {
        value /= 1024;
        ++step;
    }
    return fmt::format("{:.4g} {}", value, symbols[step]);
}

std::string bandwidth_text(double bytes_per_second) {
    return bytes_per_second > 0 ? scaled(bytes_per_second, "B/s") : "unlimited";
}

std::string percent_text(double fraction) { return fmt::format("{:.2f} %", 100 * fraction); }

std::string count_text(std::int64_t value, int width) {
    std::string text = fmt::format("{}", value);
    if (static_cast<int>(text.size()) <= width) {
        return text;
    }
    const Prefix prefix = prefix_for(static_cast<double>(value));
    return fmt::format("{:.4g}{}", static_cast<double>(value) / prefix.factor, prefix.symbol);
}

} // namespace systole
