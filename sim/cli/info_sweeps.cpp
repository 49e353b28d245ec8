// `systole info sweeps`.
#include <fmt/format.h>

#include "sim/cli/info_entry.h"
#include "sim/report/json.h"
#include "sim/sweep/sweep_file.h"

namespace systole {

InfoPage sweeps_page() {
    InfoPage page{"Run one with `systole sweep NAME --out DB`; --dry-run says how long it takes.\n\n",
                  Json{{"sweeps", Json::array()}}};
    page.text += missing_files_hint(sweep_names(), "sweeps");
    for (const std::string& name : sweep_names()) {
        const SweepFile sweep = load_sweep_file(name);
        const std::int64_t points = Space(sweep.axes, sweep.filters).size();
        page.text += info_entry(name, fmt::format("{} ({} points)", sweep.description, points));
        page.json["sweeps"].push_back({{"name", name}, {"description", sweep.description}, {"points", points}});
    }
    return page;
}

} // namespace systole
