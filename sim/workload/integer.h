// Whole numbers that people write: decimal digits alone, nothing before or after, never wrapped around.
#pragma once

#include <string_view>

#include "sim/base/units.h"

namespace systole {

// The error says why: "'12x' is not a whole number", "'-3' is below 1", "'9999999999999999999999' is above ...".
Parsed<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most = unlimited);

} // namespace systole
