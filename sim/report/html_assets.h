// The files under sim/report/html/ and Chart.js, put into the program when it is built (cmake/SystoleHtml.cmake).
#pragma once

#include <string_view>

namespace systole {

// Throws InternalError for a name that was not put in: "page.html", "style.css", "chart.js", ...
std::string_view html_asset(std::string_view name);

} // namespace systole
