#include "sim/workload/operand_formats.h"

#include <string>
#include <vector>

#include "sim/base/table.h"

namespace systole {

namespace {

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> words;
    for (;;) {
        const std::size_t comma = text.find(',');
        std::string_view word = text.substr(0, comma);
        while (word.starts_with(' ')) {
            word.remove_prefix(1);
        }
        while (word.ends_with(' ')) {
            word.remove_suffix(1);
        }
        words.emplace_back(word);
        if (comma == std::string_view::npos) {
            return words;
        }
        text.remove_prefix(comma + 1);
    }
}

std::string unknown_format(const std::string& word) {
    std::vector<std::string> names;
    std::string list;
    for (const Format format : all_formats) {
        names.emplace_back(name(format));
        list += (list.empty() ? "" : ", ") + names.back();
    }
    const std::string near = nearest(word, names);
    return "'" + word.substr(0, 40) + "' is not a number format (" +
           (near.empty() ? "" : "did you mean '" + near + "'? ") + "there are " + list + ")";
}

} // namespace

Parsed<OperandFormats> parse_operand_formats(std::string_view text) {
    const std::vector<std::string> words = split(text);
    if (words.size() > 3) {
        return {{}, "'" + std::string(text.substr(0, 60)) + "' has more than three formats (write A, A,B or A,B,C)"};
    }
    std::vector<Format> formats;
    for (const std::string& word : words) {
        const std::optional<Format> format = parse_format(word);
        if (!format) {
            return {{}, unknown_format(word)};
        }
        formats.push_back(*format);
    }
    OperandFormats result;
    result.a = formats[0];
    result.b = formats.size() > 1 ? formats[1] : result.a;
    result.c = formats.size() > 2 ? formats[2] : result.a;
    return {result, ""};
}

} // namespace systole
