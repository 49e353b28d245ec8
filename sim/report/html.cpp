#include "sim/report/html.h"

#include "sim/report/html_page.h"

namespace systole {

std::string html_report(const HtmlReport& report) { return filled_page("page.html", html_data(report)); }

} // namespace systole
