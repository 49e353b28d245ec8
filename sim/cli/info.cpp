// `systole info`: what there is, and what its words and numbers mean.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/info_tables.h"
#include "sim/config/config_files.h"
#include "sim/config/hbm_file.h"
#include "sim/config/load.h"
#include "sim/report/json.h"

namespace systole {

namespace {

const std::vector<std::string> topics{"chips", "keys", "counters", "workloads", "sweeps", "hbm"};

// A chip by its name, with or without its folder, or a file.
bool may_be_chip(const std::string& topic) {
    const auto named = [&](const std::string& chip) {
        return chip == topic || chip.substr(chip.rfind('/') + 1) == topic;
    };
    const std::vector<std::string> chips = chip_names();
    std::error_code error;
    return topic.empty() || topic.ends_with(".toml") || std::filesystem::exists(topic, error) ||
           std::any_of(chips.begin(), chips.end(), named);
}

[[noreturn]] void reject_topic(const std::string& topic) {
    std::vector<std::string> names = topics;
    for (const std::vector<std::string>& more : {chip_names(), hbm_names()}) {
        names.insert(names.end(), more.begin(), more.end());
    }
    throw InputError(
        fmt::format("nothing is called '{}' ({}topics are chips, keys, counters, workloads, sweeps and hbm; "
                    "`systole info chips` lists the chips, `systole info hbm` the HBM stacks)",
                    topic.substr(0, 60), did_you_mean(topic, names)));
}

InfoPage page_of(const std::string& topic) {
    if (topic == "chips") {
        return chips_page();
    }
    if (topic == "keys") {
        return keys_page();
    }
    if (topic == "counters") {
        return counters_page();
    }
    if (topic == "formats") {
        return formats_page();
    }
    if (topic == "workloads") {
        return workloads_page();
    }
    if (topic == "sweeps") {
        return sweeps_page();
    }
    if (topic == "hbm") {
        return hbm_page();
    }
    if (names_hbm(topic)) {
        return hbm_config_page(topic);
    }
    if (!may_be_chip(topic)) {
        reject_topic(topic);
    }
    return chip_page(topic);
}

int run_info(const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json});
    if (options.positionals().size() != 1) {
        throw InputError("say about what: `systole info chips`, keys, counters, formats, workloads, sweeps, hbm or the "
                         "name of a chip");
    }
    const InfoPage page = page_of(options.positionals().front());
    write_result(format == OutputFormat::json ? json_text(page.json) : page.text, options, session);
    return exit_good;
}

} // namespace

Command info_command() {
    return {{"info",
             "Lists the chips, the keys of their files, the numbers of a result, the number formats, the workloads, "
             "the sweeps, the HBM stacks; or shows one chip or stack.",
             "TOPIC|NAME", with_common_options({}, "text|json"),
             "  systole info chips\n"
             "  systole info edge_16x16\n"
             "  systole info hbm2e_3200\n"
             "  systole info counters --format json\n"},
            run_info};
}

} // namespace systole
