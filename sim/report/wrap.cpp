#include "sim/report/wrap.h"

#include <sstream>

namespace systole {

std::string wrap(const std::string& first, const std::string& text, std::size_t width) {
    const std::string indent(first.size(), ' ');
    std::string lines = first;
    std::size_t column = first.size();
    bool line_is_empty = true;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!line_is_empty && column + 1 + word.size() > width) {
            lines += "\n" + indent;
            column = indent.size();
            line_is_empty = true;
        }
        lines += (line_is_empty ? "" : " ") + printable(word);
        column += word.size() + (line_is_empty ? 0 : 1);
        line_is_empty = false;
    }
    return lines;
}

std::string printable(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            c = '?';
        }
    }
    return text;
}

} // namespace systole
