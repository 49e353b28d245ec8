// The pages under sim/report/html/, with their style, scripts and data inside.
#pragma once

#include <string>
#include <string_view>

#include "sim/report/json.h"

namespace systole {

// "page.html" with its marks (@STYLE@, @DATA@, ...) filled in. Whatever stands in the data is text, never markup or
// script. Throws InternalError for a page or a mark that nobody knows.
std::string filled_page(std::string_view name, const Json& data);

} // namespace systole
