#include "sim/workload/toml_table.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sim/base/table.h"
#include "sim/base/units.h"
#include "sim/config/expression.h"

namespace systole {

namespace {

// toml++ nests a table per dot and takes nested tables down recursively: a line of a million dots would end the stack.
bool nests_too_deeply(const std::string& text, int& line_number) {
    constexpr std::ptrdiff_t most_dots = 200;
    line_number = 1;
    for (auto begin = text.begin(); begin != text.end(); ++line_number) {
        const auto end = std::find(begin, text.end(), '\n');
        if (std::count(begin, end, '.') > most_dots) {
            return true;
        }
        begin = end == text.end() ? end : end + 1;
    }
    return false;
}

bool holds_a_letter(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

} // namespace

Place place_in(const std::string& file, const toml::source_region& region) {
    return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

std::optional<toml::table> parse_toml(const std::string& text, const std::string& file, Diagnostics& found) {
    int line = 0;
    if (nests_too_deeply(text, line)) {
        found.add({file, line, 1}, "too many dots in one line; no key nests that deeply");
        return std::nullopt;
    }
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        found.add(place_in(file, error.source()), std::string(error.description()));
        return std::nullopt;
    }
}

Place TomlTable::place_of(const char* key) const {
    const toml::node* node = table_.get(key);
    return node == nullptr ? place() : place_in(file_, node->source());
}

void TomlTable::check_keys(const std::vector<std::string>& known, const std::string& prefix) const {
    for (const auto& [key, node] : table_) {
        const std::string name(key.str());
        if (std::find(known.begin(), known.end(), name) != known.end()) {
            continue;
        }
        const std::string near = nearest(name, known);
        const std::string cure =
            near.empty() ? "`systole info workloads` lists all" : "did you mean '" + prefix + near + "'?";
        const toml::source_region& region = key.source().begin ? key.source() : node.source();
        found_.add(place_in(file_, region), "unknown key '" + prefix + name.substr(0, 60) + "' (" + cure + ")");
    }
}

std::string TomlTable::word(const char* key, const std::string& otherwise) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
        return otherwise;
    }
    const auto* text = node->as_string();
    if (text == nullptr) {
        report(key, fmt::format("'{}' must be a text in quotes", key));
        return otherwise;
    }
    return text->get();
}

std::vector<std::string> TomlTable::words(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr || node->is_string()) {
        return node == nullptr ? std::vector<std::string>{} : std::vector{word(key)};
    }
    std::vector<std::string> list;
    const toml::array* array = node->as_array();
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
        if (const auto* text = array->get(i)->as_string()) {
            list.push_back(text->get());
        }
    }
    if (array == nullptr || list.size() != array->size() || list.empty()) {
        report(key, fmt::format("'{}' must be a text in quotes, or a list of such", key));
        return {};
    }
    return list;
}

std::string TomlTable::padding_word() const {
    const auto* text = table_.get("padding")->as_string();
    return text != nullptr && (text->get() == "same" || text->get() == "same_lower") ? text->get() : "";
}

bool TomlTable::flag(const char* key, bool otherwise) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
        return otherwise;
    }
    if (!node->is_boolean()) {
        report(key, fmt::format("'{}' must be true or false, without quotes", key));
        return otherwise;
    }
    return node->as_boolean()->get();
}

double TomlTable::real(const char* key, double otherwise, double least, double most) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
        return otherwise;
    }
    const std::optional<double> value = node->value<double>();
    if (!node->is_number() || !value || !(*value >= least && *value <= most)) {
        report(key, fmt::format("'{}' must be a number from {} to {}", key, least, most));
        return otherwise;
    }
    return *value;
}

Picoseconds TomlTable::time(const char* key) const {
    if (!has(key)) {
        return 0;
    }
    const Parsed<Picoseconds> parsed = parse_time(word(key));
    if (!parsed.value) {
        report(key, fmt::format("'{}': {}", key, parsed.error));
    }
    return parsed.value.value_or(0);
}

std::optional<std::int64_t> TomlTable::expression(const toml::node& node, const char* key,
                                                  const std::string& text) const {
    const auto result = evaluate(text, parameters_);
    if (const auto* error = std::get_if<ExpressionError>(&result)) {
        found_.add(place_in(file_, node.source()),
                   fmt::format("'{}': {} at character {} of '{}' (names are those of [parameters])", key,
                               error->message, error->offset + 1, text.substr(0, 60)));
        return std::nullopt;
    }
    return std::get<std::int64_t>(result);
}

std::optional<std::int64_t> TomlTable::number_of(const toml::node& node, const char* key, std::int64_t least,
                                                 std::int64_t most) const {
    std::optional<std::int64_t> value;
    if (const auto* text = node.as_string(); text != nullptr && holds_a_letter(text->get())) {
        value = expression(node, key, text->get());
        if (!value) {
            return value;
        }
    } else if (const auto* integer = node.as_integer()) {
        value = integer->get();
    } else {
        found_.add(place_in(file_, node.source()), fmt::format("'{}' must be a whole number, without quotes", key));
        return std::nullopt;
    }
    if (*value < least || *value > most) {
        found_.add(place_in(file_, node.source()),
                   fmt::format("'{}' is {}, but must be at {} {}", key, *value, *value < least ? "least" : "most",
                               *value < least ? least : most));
        return std::nullopt;
    }
    return value;
}

std::optional<std::int64_t> TomlTable::number(const char* key, std::int64_t least, std::int64_t most) const {
    const toml::node* node = table_.get(key);
    return node == nullptr ? std::nullopt : number_of(*node, key, least, most);
}

std::int64_t TomlTable::number_or(const char* key, std::int64_t otherwise, std::int64_t least,
                                  std::int64_t most) const {
    return number(key, least, most).value_or(otherwise);
}

std::vector<std::int64_t> TomlTable::numbers(const char* key, std::int64_t least, std::int64_t most) const {
    const toml::node* node = table_.get(key);
    std::vector<std::int64_t> list;
    if (node == nullptr) {
        return list;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        if (const auto value = number_of(*node, key, least, most)) {
            list.push_back(*value);
        }
        return list;
    }
    for (const toml::node& entry : *array) {
        const auto value = number_of(entry, key, least, most);
        if (!value) {
            return {};
        }
        list.push_back(*value);
    }
    return list;
}

Pair TomlTable::pair(const char* key, Pair otherwise, std::int64_t least) const {
    constexpr std::int64_t most = 1 << 20;
    if (!has(key)) {
        return otherwise;
    }
    const std::size_t before = found_.size();
    const std::vector<std::int64_t> list = numbers(key, least, most);
    if (list.size() == 1 || list.size() == 2) {
        return {list.front(), list.back()};
    }
    if (found_.size() == before) {
        report(key, fmt::format("'{}' must be a number or [height, width]", key));
    }
    return otherwise;
}

} // namespace systole
