#include "sim/sweep/axis.h"

#include <map>

#include <fmt/format.h>

#include "sim/sweep/axis_range.h"

namespace systole {

namespace {

constexpr std::size_t most_shown = 80;

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = text.find(separator, begin);
        parts.push_back(trimmed(text.substr(begin, end == std::string::npos ? end : end - begin)));
    }
    return parts;
}

bool is_whole_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// "8x512" as {"8", "512"}; one part where it is anything else, as the 'x' of a word belongs to the word.
std::vector<std::string> numbers_between_x(const std::string& item) {
    const std::vector<std::string> parts = split(item, 'x');
    for (const std::string& part : parts) {
        if (!is_whole_number(part)) {
            return {item};
        }
    }
    return parts;
}

std::vector<std::string> one_for_each(const std::string& item, std::size_t keys, const Place& place) {
    const std::vector<std::string> parts = numbers_between_x(item);
    if (keys == 1 || parts.size() == 1) {
        return std::vector<std::string>(keys, item);
    }
    if (parts.size() != keys) {
        throw InputError(place, fmt::format("'{}' has {} numbers for {} linked keys (write one for each, like 8x512, "
                                            "or a single one for all)",
                                            item.substr(0, most_shown), parts.size(), keys));
    }
    return parts;
}

} // namespace

std::vector<AxisValue> expand_values(const std::string& item, std::size_t keys, const Place& place) {
    std::vector<AxisValue> values;
    if (const auto shapes = expand_shape_range(item, keys, place)) {
        for (const std::vector<std::string>& shape : *shapes) {
            values.push_back({shape, place});
        }
        return values;
    }
    if (const auto range = expand_range(item, place)) {
        for (const std::string& text : *range) {
            values.push_back({std::vector<std::string>(keys, text), place});
        }
        return values;
    }
    return {{one_for_each(item, keys, place), place}};
}

Axis parse_axis(const std::string& text) {
    const Place place{"--axis " + text.substr(0, most_shown)};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        throw InputError(place, "is not KEY=V,V,... (for example --axis array.rows=8,16,32..256)");
    }
    Axis axis;
    axis.place = place;
    axis.keys = split(text.substr(0, equals), ',');
    const std::string list = trimmed(text.substr(equals + 1));
    for (const std::string& item : list.empty() ? std::vector<std::string>{} : split(list, ',')) {
        if (item.empty()) {
            throw InputError(place, "has an empty value (is there a comma too much?)");
        }
        for (AxisValue& value : expand_values(item, axis.keys.size(), place)) {
            axis.values.push_back(std::move(value));
        }
    }
    check_axis(axis);
    return axis;
}

void check_axis(const Axis& axis) {
    for (const std::string& key : axis.keys) {
        if (key.empty()) {
            throw InputError(axis.place, "names no key (for example --axis array.rows=8,16,32..256)");
        }
    }
    if (axis.values.empty()) {
        throw InputError(axis.place, fmt::format("axis {} has no values (give at least one)", name_of(axis)));
    }
    if (axis.values.size() > most_axis_values) {
        throw InputError(axis.place, fmt::format("axis {} has {} values, at most {} are allowed", name_of(axis),
                                                 axis.values.size(), most_axis_values));
    }
    std::map<std::vector<std::string>, bool> known;
    for (const AxisValue& value : axis.values) {
        if (!known.emplace(value.texts, true).second) {
            throw InputError(value.place, fmt::format("axis {} has the value {} twice (leave one out)", name_of(axis),
                                                      text_of(value).substr(0, most_shown)));
        }
    }
}

std::string name_of(const Axis& axis) {
    std::string name;
    for (const std::string& key : axis.keys) {
        name += (name.empty() ? "" : ",") + key;
    }
    return name.substr(0, most_shown);
}

std::string text_of(const AxisValue& value) {
    std::string text;
    for (const std::string& part : value.texts) {
        text += (text.empty() ? "" : "x") + part;
    }
    return text;
}

} // namespace systole
