// Pieces of the pages of `systole info`.
#pragma once

#include <string>
#include <vector>

#include "sim/base/table.h"
#include "sim/cli/info_tables.h"

namespace systole {

// "name    text", the text wrapped beside the name or, beside a long name, below it.
std::string info_entry(const std::string& name, const std::string& text);

// For a list without a name in it: where its files were looked for, and how to say where they are. Else nothing.
std::string missing_files_hint(const std::vector<std::string>& names, const std::string& folder);

// Each key with its meaning, unit, default and range.
InfoPage keys_page_of(const std::vector<KeyInfo>& keys);

} // namespace systole
