// TOML text -> flat list of settings with their places.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/setting.h"

namespace systole {

// Tables are taken apart: [array] rows = 4 becomes "array.rows"; a table without content stays as an OtherValue.
// In the order of the file; what a file of the same name and text gave is remembered. A syntax error (a duplicate key
// is one) goes to `found` and ends the list.
std::vector<Setting> read_toml(const std::string& text, const std::string& file, Diagnostics& found);

// "KEY=VALUE" of --set. The value is written as in a file, but strings may do without quotes.
std::vector<Setting> read_overrides(const std::vector<std::string>& overrides, Diagnostics& found);

} // namespace systole
