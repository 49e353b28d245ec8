#include "sim/report/html_page.h"

#include <array>
#include <utility>

#include "sim/base/error.h"
#include "sim/report/html_assets.h"

namespace systole {

namespace {

// Within <script type="application/json"> the text must not end the element, nor open a comment.
std::string json_in_html(const Json& value) {
    std::string text;
    for (const char c : value.dump(-1, ' ', true, Json::error_handler_t::replace)) {
        text += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : std::string(1, c);
    }
    return text;
}

std::string filling(std::string_view mark, const std::string& data) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 13> files{
        {{"STYLE", "style.css"},
         {"SWEEP_STYLE", "sweep.css"},
         {"SWEEP_CELLS_JS", "sweep_cells.js"},
         {"SWEEP_CHARTS_JS", "sweep_charts.js"},
         {"SWEEP_JS", "sweep.js"},
         {"CHART_LICENCE", "chart_licence.txt"},
         {"CHART_JS", "chart.js"},
         {"MODEL_JS", "model.js"},
         {"FORMAT_JS", "format.js"},
         {"CHARTS_JS", "charts.js"},
         {"ROOFLINE_JS", "roofline.js"},
         {"WHAT_IF_JS", "what_if.js"},
         {"PAGE_JS", "page.js"}}};
    if (mark == "DATA") {
        return data;
    }
    for (const auto& [name, file] : files) {
        if (mark == name) {
            return std::string(html_asset(file));
        }
    }
    throw InternalError("the page asks for '" + std::string(mark) + "', which nobody fills in");
}

} // namespace

std::string filled_page(std::string_view name, const Json& value) {
    const std::string data = json_in_html(value);
    std::string page;
    std::string_view rest = html_asset(name);
    // Marks are looked for in the template alone, never in what was filled in.
    for (std::size_t begin = rest.find('@'); begin != std::string_view::npos; begin = rest.find('@')) {
        const std::size_t end = rest.find('@', begin + 1);
        page += rest.substr(0, begin);
        page += filling(rest.substr(begin + 1, end - begin - 1), data);
        rest.remove_prefix(end + 1);
    }
    page += rest;
    return page;
}

} // namespace systole
