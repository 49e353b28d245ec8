// Names that an operator cannot have, as the results use them for something else.
#pragma once

#include <optional>
#include <string>

#include "sim/base/total_name.h"

namespace systole {

// What is wrong with the name and what would cure it; empty for a good one.
inline std::optional<std::string> reserved_name_problem(const std::string& name) {
    if (name != total_name)
        return std::nullopt;
    return "'" + name + "' is the name of the whole run in the results (give the operator another one)";
}

} // namespace systole
