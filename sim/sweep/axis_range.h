// Ranges in a list of values, as axis.h explains them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"

namespace systole {

// "8..256", "8..512*4", "1..9:2", "400..3200 GB/s"; nothing where the text is no range. Throws InputError with `place`
// for a range that is wrong.
std::optional<std::vector<std::string>> expand_range(const std::string& item, const Place& place);

// "8x512..512x8" for as many keys; nothing where the text is no such range. Throws InputError.
std::optional<std::vector<std::vector<std::string>>> expand_shape_range(const std::string& item, std::size_t keys,
                                                                        const Place& place);

} // namespace systole
