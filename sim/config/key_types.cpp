#include "sim/config/key_types.h"

#include <optional>
#include <variant>

namespace systole {

const Quantity frequency_quantity{parse_frequency, format_frequency, frequency_units, "Hz", "MHz", false};
const Quantity bytes_quantity{parse_bytes, format_bytes, bytes_units, "bytes", "KiB", true};
const Quantity bandwidth_quantity{parse_bandwidth, format_bandwidth, bandwidth_units, "bytes/s", "GB/s", false};
const Quantity bytes_per_cycle_quantity{
    parse_bytes_per_cycle, format_bytes_per_cycle, bytes_per_cycle_units, "bytes/cycle", "B/cycle", true};
const Quantity time_quantity{parse_time, format_time, time_units, "ps", "ns", false};

namespace {

template <class T>
Key integer_key_of(std::string key, std::string unit, Range range, std::string help, Field<T> field) {
    Key result{{key, std::move(unit), "", range_text(range), std::move(help)}, {}, {}};
    result.read = [range, field](Draft& draft, const Setting& setting, Diagnostics& found) {
        if (const auto value = read_integer(setting, range, found)) {
            field(draft.machine) = static_cast<T>(*value);
        }
    };
    result.print = [key, field](const Machine& machine, KeyValues& values) {
        Machine copy = machine;
        values.emplace_back(key, std::to_string(field(copy)));
    };
    result.info.default_value = default_text(result);
    return result;
}

bool within(std::int64_t value, Range range) { return value >= range.low && value <= range.high; }

} // namespace

void complain(const Setting& setting, const std::string& message, Diagnostics& found) {
    found.add(setting.value_place, setting.key + ": " + message);
}

std::string join(const std::vector<std::string>& words, const std::string& separator) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : separator) + word;
    }
    return text;
}

std::string range_text(Range range) { return std::to_string(range.low) + ".." + std::to_string(range.high); }

std::string range_text(Range range, const Quantity& quantity) {
    return quantity.format(range.low) + ".." + quantity.format(range.high);
}

std::string default_text(const Key& key) {
    KeyValues values;
    key.print(Machine{}, values);
    return values.empty() ? "" : values.front().second;
}

std::optional<std::int64_t> read_integer(const Setting& setting, Range range, Diagnostics& found) {
    const auto* value = std::get_if<std::int64_t>(&setting.value);
    if (value == nullptr) {
        complain(setting, "expected a whole number (" + range_text(range) + "), found " + describe(setting.value),
                 found);
        return std::nullopt;
    }
    if (!within(*value, range)) {
        complain(setting, std::to_string(*value) + " is out of range (" + range_text(range) + ")", found);
        return std::nullopt;
    }
    return *value;
}

std::optional<std::int64_t> read_quantity(const Setting& setting, const Quantity& quantity, Range range,
                                          Diagnostics& found) {
    Parsed<std::int64_t> parsed;
    if (const auto* text = std::get_if<std::string>(&setting.value)) {
        parsed = quantity.parse(*text);
    } else if (const auto* number = std::get_if<std::int64_t>(&setting.value); number && quantity.plain_integer_fits) {
        parsed.value = *number;
    } else if (number || std::holds_alternative<double>(setting.value)) {
        const std::string shown = describe(setting.value);
        parsed.error = shown + " has no unit (use " + quantity.units() + ", for example \"" + shown + " " +
                       quantity.example_unit + "\")";
    } else {
        parsed.error = "expected a quantity in " + quantity.units() + ", found " + describe(setting.value);
    }
    if (!parsed.value) {
        complain(setting, parsed.error, found);
    } else if (!within(*parsed.value, range)) {
        complain(setting, describe(setting.value) + " is out of range (" + range_text(range, quantity) + ")", found);
        parsed.value.reset();
    }
    return parsed.value;
}

std::optional<std::string> read_word(const Setting& setting, const std::vector<std::string>& words,
                                     Diagnostics& found) {
    const auto* text = std::get_if<std::string>(&setting.value);
    for (const std::string& word : words) {
        if (text != nullptr && *text == word) {
            return word;
        }
    }
    const std::string near = text == nullptr ? "" : nearest(*text, words);
    complain(setting,
             describe(setting.value) + " is not one of " + join(words, ", ") +
                 (near.empty() ? "" : " (did you mean '" + near + "'?)"),
             found);
    return std::nullopt;
}

Key text_key(std::string key, std::string help, Field<std::string> field) {
    Key result{{key, "", "", "text", std::move(help)}, {}, {}};
    result.read = [field](Draft& draft, const Setting& setting, Diagnostics& found) {
        if (const auto* text = std::get_if<std::string>(&setting.value)) {
            field(draft.machine) = *text;
        } else {
            complain(setting, "expected text in quotes, found " + describe(setting.value), found);
        }
    };
    result.print = [key, field](const Machine& machine, KeyValues& values) {
        Machine copy = machine;
        if (!field(copy).empty()) {
            values.emplace_back(key, field(copy));
        }
    };
    return result;
}

Key truth_key(std::string key, std::string help, Field<bool> field) {
    Key result{{key, "", "", "true | false", std::move(help)}, {}, {}};
    result.read = [field](Draft& draft, const Setting& setting, Diagnostics& found) {
        if (const auto* truth = std::get_if<bool>(&setting.value)) {
            field(draft.machine) = *truth;
        } else {
            complain(setting, "expected true or false, found " + describe(setting.value), found);
        }
    };
    result.print = [key, field](const Machine& machine, KeyValues& values) {
        Machine copy = machine;
        values.emplace_back(key, field(copy) ? "true" : "false");
    };
    result.info.default_value = default_text(result);
    return result;
}

Key integer_key(std::string key, std::string unit, Range range, std::string help, Field<int> field) {
    return integer_key_of<int>(std::move(key), std::move(unit), range, std::move(help), field);
}

Key integer_key(std::string key, std::string unit, Range range, std::string help, Field<std::int64_t> field) {
    return integer_key_of<std::int64_t>(std::move(key), std::move(unit), range, std::move(help), field);
}

Key count_key(std::string key, std::string unit, Range range, std::string help, Field<std::int64_t> field) {
    const std::string numbers_and_word = range_text(range) + ", or \"unlimited\"";
    Key result{{key, std::move(unit), "", numbers_and_word, std::move(help)}, {}, {}};
    result.read = [range, field, numbers_and_word](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto* text = std::get_if<std::string>(&setting.value);
        if (text != nullptr && *text == "unlimited") {
            field(draft.machine) = unlimited;
        } else if (text != nullptr) {
            complain(setting, "expected a whole number (" + numbers_and_word + "), found " + describe(setting.value),
                     found);
        } else if (const auto value = read_integer(setting, range, found)) {
            field(draft.machine) = *value;
        }
    };
    result.print = [key, field](const Machine& machine, KeyValues& values) {
        Machine copy = machine;
        const std::int64_t value = field(copy);
        values.emplace_back(key, value == unlimited ? "unlimited" : std::to_string(value));
    };
    result.info.default_value = default_text(result);
    return result;
}

Key quantity_key(std::string key, const Quantity& quantity, Range range, std::string help, Field<std::int64_t> field) {
    Key result{{key, quantity.unit, "", range_text(range, quantity), std::move(help)}, {}, {}};
    result.read = [quantity, range, field](Draft& draft, const Setting& setting, Diagnostics& found) {
        if (const auto value = read_quantity(setting, quantity, range, found)) {
            field(draft.machine) = *value;
        }
    };
    result.print = [key, quantity, field](const Machine& machine, KeyValues& values) {
        Machine copy = machine;
        values.emplace_back(key, quantity.format(field(copy)));
    };
    result.info.default_value = default_text(result);
    return result;
}

} // namespace systole
