#include "sim/workload/integer.h"

#include <algorithm>
#include <charconv>

namespace systole {

namespace {

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 60;
    return "'" + std::string(text.substr(0, longest)) + (text.size() > longest ? "...'" : "'");
}

bool looks_like_number(std::string_view text) {
    if (text.starts_with('-')) {
        text.remove_prefix(1);
    }
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

Parsed<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most) {
    if (!looks_like_number(text)) {
        return {{}, quoted(text) + " is not a whole number"};
    }
    std::int64_t value = 0;
    const std::errc error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
    const bool fits = error == std::errc{};
    const bool negative = text.starts_with('-');
    if (fits ? value < least : negative) {
        return {{}, quoted(text) + " is below " + std::to_string(least)};
    }
    if (!fits || value > most) {
        return {{}, quoted(text) + " is above " + std::to_string(most)};
    }
    return {value, ""};
}

} // namespace systole
