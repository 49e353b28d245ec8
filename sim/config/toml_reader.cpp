#include "sim/config/toml_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

namespace systole {

namespace {

// toml++ nests a table per dot and takes nested tables down recursively: a line of a million dots would end the stack.
constexpr int most_dots_in_a_line = 32;

Place place_of(const std::string& file, const toml::source_region& region) {
    return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

SettingValue value_of(const toml::array& array) {
    std::vector<std::string> words;
    for (const toml::node& node : array) {
        const auto* word = node.as_string();
        if (word == nullptr) {
            return OtherValue{"a list with other things than strings", false};
        }
        words.push_back(word->get());
    }
    return words;
}

SettingValue value_of(const toml::node& node) {
    if (const auto* integer = node.as_integer()) {
        return integer->get();
    }
    if (const auto* real = node.as_floating_point()) {
        return real->get();
    }
    if (const auto* boolean = node.as_boolean()) {
        return boolean->get();
    }
    if (const auto* string = node.as_string()) {
        return string->get();
    }
    if (const auto* array = node.as_array()) {
        return value_of(*array);
    }
    return OtherValue{node.is_table() ? "an empty table" : "a date or time", node.is_table()};
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& file,
             std::vector<Setting>& settings) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        const toml::table* inner = node.as_table();
        if (inner != nullptr && !inner->empty()) {
            flatten(*inner, name + ".", file, settings);
            continue;
        }
        // A [table] without content has no key of its own in toml++: its header is the place.
        const toml::source_region& key_region = key.source().begin ? key.source() : node.source();
        settings.push_back({name, place_of(file, key_region), place_of(file, node.source()), false, value_of(node)});
    }
}

int dots_outside_strings(std::string_view line) {
    int dots = 0;
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != '\0') {
            i += quote == '"' && c == '\\' ? 1 : 0;
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            break;
        } else if (c == '.') {
            ++dots;
        }
    }
    return dots;
}

// The number of the first line whose keys nest too deeply; 0: none.
int too_deep_line(std::string_view text) {
    int number = 1;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (dots_outside_strings(text.substr(0, end)) > most_dots_in_a_line) {
            return number;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
    }
    return 0;
}

std::optional<toml::table> parse(const std::string& text, const std::string& file, Diagnostics& found) {
    if (const int line = too_deep_line(text)) {
        found.add({file, line, 1}, "too many dots in one line; no key nests that deeply");
        return std::nullopt;
    }
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        std::string message(error.description());
        if (message.find("cannot redefine") != std::string::npos) {
            message += " (a key may be given only once)";
        }
        found.add(place_of(file, error.source()), std::move(message));
        return std::nullopt;
    }
}

void order_by_place(std::vector<Setting>& settings) {
    std::stable_sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
        return std::pair{a.key_place.line, a.key_place.column} < std::pair{b.key_place.line, b.key_place.column};
    });
}

// `"array.rows" = 4` and `[array] rows = 4` are two keys to TOML, but one here.
void report_repeated_keys(const std::vector<Setting>& settings, Diagnostics& found) {
    std::map<std::string, int> first_line;
    for (const Setting& setting : settings) {
        const auto [first, is_new] = first_line.emplace(setting.key, setting.key_place.line);
        if (!is_new) {
            found.add(setting.key_place,
                      "duplicate key '" + setting.key + "', first given in line " + std::to_string(first->second));
        }
    }
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// As TOML would read it ("3", "\"wavefront\"", "[\"int8\"]", "{ bf16 = 1 }"), else as a string without quotes.
std::vector<Setting> read_value(const std::string& key, const std::string& text, const Place& place) {
    std::vector<Setting> settings;
    Diagnostics not_toml;
    if (text.find('\n') == std::string::npos) {
        if (const auto table = parse("value = " + text, "", not_toml)) {
            flatten(*table, "", "", settings);
        }
    }
    if (settings.empty()) {
        return {{key, place, place, true, text}};
    }
    for (Setting& setting : settings) {
        setting = {key + setting.key.substr(std::string_view("value").size()), place, place, true, setting.value};
    }
    return settings;
}

} // namespace

std::string describe(const SettingValue& value) {
    struct Describer {
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(double number) const {
            std::string text = std::to_string(number); // "1.500000"
            const std::size_t last = text.find_last_not_of('0');
            return text.substr(0, text[last] == '.' ? last + 2 : last + 1);
        }
        std::string operator()(bool truth) const { return truth ? "true" : "false"; }
        std::string operator()(const std::string& text) const {
            constexpr std::size_t longest = 60;
            return "'" + text.substr(0, longest) + (text.size() > longest ? "...'" : "'");
        }
        std::string operator()(const std::vector<std::string>&) const { return "a list"; }
        std::string operator()(const OtherValue& other) const { return other.what; }
    };
    return std::visit(Describer{}, value);
}

namespace {

// A sweep reads the same few files for every point.
struct ReadFile {
    std::string text;
    std::vector<Setting> settings;
};

constexpr std::size_t most_remembered = 64;

std::map<std::string, ReadFile>& files_read() {
    static std::map<std::string, ReadFile> files;
    return files;
}

} // namespace

std::vector<Setting> read_toml(const std::string& text, const std::string& file, Diagnostics& found) {
    const auto known = files_read().find(file);
    if (known != files_read().end() && known->second.text == text) {
        return known->second.settings;
    }
    const std::size_t before = found.size();
    std::vector<Setting> settings;
    if (const auto table = parse(text, file, found)) {
        flatten(*table, "", file, settings);
    }
    order_by_place(settings);
    report_repeated_keys(settings, found);
    if (found.size() == before && (known != files_read().end() || files_read().size() < most_remembered)) {
        files_read()[file] = {text, settings};
    }
    return settings;
}

std::vector<Setting> read_overrides(const std::vector<std::string>& overrides, Diagnostics& found) {
    std::vector<Setting> settings;
    for (const std::string& text : overrides) {
        const Place place{"--set " + text};
        const std::size_t equals = text.find('=');
        const std::string key = trimmed(text.substr(0, equals));
        if (equals == std::string::npos || key.empty()) {
            found.add(place, "is not KEY=VALUE (for example --set array.rows=32)");
            continue;
        }
        for (Setting& setting : read_value(key, trimmed(text.substr(equals + 1)), place)) {
            settings.push_back(std::move(setting));
        }
    }
    return settings;
}

} // namespace systole
