// Chip files: TOML -> validated Machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/table.h"
#include "sim/config/machine.h"

namespace systole {

// Folders that hold chips/, workloads/, ...: $SYSTOLE_CONFIG_DIR, then the one that came with this Systole: by the
// running program (share/systole/configs beside it or beside its folder), else where the library was installed.
std::vector<std::filesystem::path> config_roots();

// `name_or_file`: a path, or a chip under configs/chips/ without its ending, with its folder ("rtl/gemmini_mesh")
// or, if unique, without. `overrides`: "KEY=VALUE" as in --set, applied in order after the file.
// Throws InputError with all problems of the file and of the overrides at once.
Machine load_machine(const std::string& name_or_file, const std::vector<std::string>& overrides = {});

// Names of all chips found, sorted, as load_machine takes them.
std::vector<std::string> chip_names();

// Every key of a chip file: the one table that drives parsing, --set, `systole info keys` and the docs.
const std::vector<KeyInfo>& chip_keys();

// The machine's values as (key, text with unit), in the table's order; `load_machine` takes them back.
std::vector<std::pair<std::string, std::string>> chip_values(const Machine& machine);

} // namespace systole
