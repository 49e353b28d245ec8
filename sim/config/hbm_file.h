// Files under configs/hbm/: TOML -> validated DramConfig.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "memory/dram_config.h"
#include "sim/base/table.h"

namespace systole {

// `name_or_file`: a path, or a configuration under configs/hbm/ without its ending. `overrides`: "KEY=VALUE", applied
// in order after the file. A file's `base` is looked for beside the file first. Throws InputError with all problems of
// the files and of the overrides at once.
std::shared_ptr<const DramConfig> load_hbm(const std::string& name_or_file,
                                           const std::vector<std::string>& overrides = {});

// What load_hbm() takes to find the file of `config` again: its name, or the file if that is not the one of the name.
std::string hbm_reference(const DramConfig& config);

// Names of all configurations found, sorted.
std::vector<std::string> hbm_names();

// Every key of such a file.
const std::vector<KeyInfo>& hbm_file_keys();

// The values as (key, text with unit), in the table's order; load_hbm() takes them back.
std::vector<std::pair<std::string, std::string>> hbm_values(const DramConfig& config);

// Whether the text of a file is that of an HBM configuration: its keys are in no other kind of file.
bool looks_like_hbm_file(const std::string& text);

} // namespace systole
