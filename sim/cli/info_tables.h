// The pages of `systole info`, each as text and as JSON.
#pragma once

#include <string>

#include "sim/report/counters.h"

namespace systole {

struct InfoPage {
    std::string text;
    Json json;
};

InfoPage chips_page();     // throws InputError if a chip file is wrong
InfoPage keys_page();      // of chip files
InfoPage counters_page();  // of results
InfoPage formats_page();   // of operands and results: width, range, what their products are added in
InfoPage workloads_page(); // names, and the keys of workload files
InfoPage sweeps_page();    // names; throws InputError if a sweep file is wrong
InfoPage chip_page(const std::string& name_or_file);

InfoPage hbm_page(); // names of HBM configurations, and the keys of their files
InfoPage hbm_config_page(const std::string& name_or_file);
bool names_hbm(const std::string& name_or_file); // rather than a chip

} // namespace systole
