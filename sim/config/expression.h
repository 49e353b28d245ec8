// Small integer expressions in chip files ("2*rows+3"), workload files and filters of sweeps ("array.rows *
// array.cols").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace systole {

struct ExpressionError {
    std::size_t offset = 0; // of the offending character in the text
    std::string message;
};

// Whole numbers, the names in `variables`, + - * / (rounding towards zero) and parentheses.
std::variant<std::int64_t, ExpressionError> evaluate(std::string_view text,
                                                     const std::map<std::string, std::int64_t>& variables);

} // namespace systole
