// One value of a table of results: nothing, a whole number, a real number or a text.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace systole {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Cell>;

// A whole number where the text is one as it would be printed ("8", not "08"), else the text.
Cell cell_of(const std::string& text);

// As it is written in a CSV field; a real number in the shortest form that reads back as the same value.
std::string text_of(const Cell& cell);

// The number; 0 for a text or nothing. `is_number` tells them apart.
double number_of(const Cell& cell);
bool is_number(const Cell& cell);

} // namespace systole
