#include "sim/cli/info_tables.h"

#include <fmt/format.h>

#include "sim/cli/info_entry.h"
#include "sim/config/load.h"
#include "sim/report/compare.h"

namespace systole {

InfoPage keys_page() { return keys_page_of(chip_keys()); }

InfoPage counters_page() {
    InfoPage page{"Of the run:\n", Json::array()};
    const auto add = [&page](const std::string& path, const Counter& counter) {
        const std::string unit = counter.unit.empty() ? "" : fmt::format(" [{}]", counter.unit);
        page.text += info_entry(path, counter.help + unit);
        page.json.push_back({{"path", path}, {"unit", counter.unit}, {"help", counter.help}});
    };
    for (const Counter& counter : run_counters()) {
        add(counter.path, counter);
    }
    page.text += "\nOf each operator, and of the total:\n";
    for (const Counter& counter : operator_counters()) {
        add(counter.path, counter);
    }
    page.text += "\nAdded by `systole compare`:\n";
    for (const Counter& counter : compare_counters()) {
        add(counter.path, counter);
    }
    return page;
}

} // namespace systole
