// Makers of keys by the kind of their value. `field` names where in the machine the value lives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/config/keys.h"

namespace systole {

template <class T>
using Field = T& (*)(Machine&);

// A physical quantity: how its text is read and written.
struct Quantity {
    Parsed<std::int64_t> (*parse)(std::string_view);
    std::string (*format)(std::int64_t);
    std::string (*units)();
    std::string unit;         // of the integer, for KeyInfo
    std::string example_unit; // what a number without one probably means
    bool plain_integer_fits;  // 4096 stands for 4096 bytes, but 819 is no bandwidth
};

extern const Quantity frequency_quantity;
extern const Quantity bytes_quantity;
extern const Quantity bandwidth_quantity;
extern const Quantity bytes_per_cycle_quantity;
extern const Quantity time_quantity;

struct Range {
    std::int64_t low;
    std::int64_t high;
};

Key text_key(std::string key, std::string help, Field<std::string> field);
Key truth_key(std::string key, std::string help, Field<bool> field);
Key integer_key(std::string key, std::string unit, Range range, std::string help, Field<int> field);
Key integer_key(std::string key, std::string unit, Range range, std::string help, Field<std::int64_t> field);
// A whole number, or "unlimited".
Key count_key(std::string key, std::string unit, Range range, std::string help, Field<std::int64_t> field);
Key quantity_key(std::string key, const Quantity& quantity, Range range, std::string help, Field<std::int64_t> field);

// Complains about `setting`: "array.rows: <message>".
void complain(const Setting& setting, const std::string& message, Diagnostics& found);

// Readers shared with the keys that need more than a field. Nothing if they complained.
std::optional<std::int64_t> read_integer(const Setting& setting, Range range, Diagnostics& found);
std::optional<std::int64_t> read_quantity(const Setting& setting, const Quantity& quantity, Range range,
                                          Diagnostics& found);
std::optional<std::string> read_word(const Setting& setting, const std::vector<std::string>& words, Diagnostics& found);

std::string range_text(Range range);
std::string range_text(Range range, const Quantity& quantity);
std::string join(const std::vector<std::string>& words, const std::string& separator);

// The text that `print` gives for a fresh machine; "" if none.
std::string default_text(const Key& key);

template <class E>
using Choices = std::vector<std::pair<std::string, E>>;

template <class E>
Key choice_key(std::string key, Choices<E> choices, std::string help, Field<E> field) {
    std::vector<std::string> words;
    for (const auto& choice : choices) {
        words.push_back(choice.first);
    }
    Key result{{key, "", "", join(words, " | "), std::move(help)}, {}, {}};
    result.read = [choices, words, field](Draft& draft, const Setting& setting, Diagnostics& found) {
        const std::optional<std::string> word = read_word(setting, words, found);
        for (const auto& [name, value] : choices) {
            if (word == name) {
                field(draft.machine) = value;
            }
        }
    };
    result.print = [choices, field, key](const Machine& machine, KeyValues& values) {
        Machine copy = machine;
        for (const auto& [name, value] : choices) {
            if (field(copy) == value) {
                values.emplace_back(key, name);
            }
        }
    };
    result.info.default_value = default_text(result);
    return result;
}

} // namespace systole
