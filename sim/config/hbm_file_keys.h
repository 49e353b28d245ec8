// The table of all keys of a file under configs/hbm/: how each is read, printed and explained.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "memory/dram_config.h"
#include "sim/base/error.h"
#include "sim/base/table.h"
#include "sim/config/setting.h"

namespace systole {

struct HbmFileKey {
    KeyInfo info;
    // Takes over a setting's value or adds why it cannot. None: the reader of the file does it (`base`).
    std::function<void(DramConfig&, const Setting&, Diagnostics&)> read;
    std::function<std::string(const DramConfig&)> print; // as `read` takes it; "" where nothing is stated
};

const std::vector<HbmFileKey>& hbm_file_key_table();

// A configuration while its files are being read.
struct HbmDraft {
    DramConfig config;
    std::map<std::string, Place> given; // key -> where its value was last given
};

// Gives one setting to the key it names, or reports that there is no such key.
void apply(HbmDraft& draft, const Setting& setting, Diagnostics& found);

} // namespace systole
