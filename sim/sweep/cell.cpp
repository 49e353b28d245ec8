#include "sim/sweep/cell.h"

#include <charconv>

#include <fmt/format.h>

namespace systole {

namespace {

struct Writer {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const {
        std::string text = fmt::format("{}", number);
        const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
        return whole ? text + ".0" : text; // stays a real number for whoever reads it
    }
    std::string operator()(const std::string& text) const { return text; }
};

} // namespace

Cell cell_of(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && fmt::format("{}", number) == text;
    return whole ? Cell(number) : Cell(text);
}

std::string text_of(const Cell& cell) { return std::visit(Writer{}, cell); }

double number_of(const Cell& cell) {
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return static_cast<double>(*whole);
    }
    const auto* real = std::get_if<double>(&cell);
    return real == nullptr ? 0 : *real;
}

bool is_number(const Cell& cell) {
    return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

} // namespace systole
