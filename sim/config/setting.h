// One "key = value" as somebody wrote it, in a file or with --set, before its meaning is known.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/error.h"

namespace systole {

struct OtherValue {
    std::string what; // "a date or time", "a list with other things than strings"
    bool is_empty_table = false;
};

using SettingValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::string>, OtherValue>;

struct Setting {
    std::string key; // dotted
    Place key_place;
    Place value_place;
    bool from_command_line = false;
    SettingValue value;
};

// For messages: "the number 3", "'abc'", "a list".
std::string describe(const SettingValue& value);

} // namespace systole
