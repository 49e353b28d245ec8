// `systole info hbm` and `systole info NAME` of an HBM configuration.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "sim/base/text_file.h"
#include "sim/cli/info_entry.h"
#include "sim/config/hbm_file.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

int count_pseudo_channels(const DramConfig& config) {
    return config.organization.channels * config.organization.pseudo_channels;
}

std::string organization_text(const DramConfig& config) {
    const DramOrganization& o = config.organization;
    return fmt::format("{} channel{} x {} pseudo-channel{} x {} banks", o.channels, o.channels == 1 ? "" : "s",
                       o.pseudo_channels, o.pseudo_channels == 1 ? "" : "s", o.banks_per_pseudo_channel());
}

Json config_json(const DramConfig& config) {
    return {{"name", config.name},
            {"description", config.description},
            {"source", config.source},
            {"file", config.file},
            {"peak_bytes_per_s", config.peak()},
            {"channels", config.organization.channels},
            {"pseudo_channels", count_pseudo_channels(config)},
            {"banks", count_pseudo_channels(config) * config.organization.banks_per_pseudo_channel()}};
}

} // namespace

InfoPage hbm_page() {
    InfoPage page{"", Json{{"configurations", Json::array()}, {"keys", Json::array()}}};
    page.text += missing_files_hint(hbm_names(), "hbm");
    for (const std::string& name : hbm_names()) {
        const auto config = load_hbm(name);
        page.text += info_entry(name, fmt::format("{}, {}: {}", bandwidth_text(static_cast<double>(config->peak())),
                                                  organization_text(*config), config->description));
        page.json["configurations"].push_back(config_json(*config));
    }
    const InfoPage keys = keys_page_of(hbm_file_keys());
    page.text += "\nKeys of such a file (hbm.config of a chip file names one):\n" + keys.text;
    page.json["keys"] = keys.json;
    return page;
}

InfoPage hbm_config_page(const std::string& name_or_file) {
    const auto config = load_hbm(name_or_file);
    InfoPage page{wrap("", config->name + ": " + config->description) + "\n\n", config_json(*config)};
    page.json["values"] = Json::object();
    for (const auto& [key, value] : hbm_values(*config)) {
        page.text += wrap(fmt::format("  {:<31}", key), value) + "\n";
        page.json["values"][key] = value;
    }
    page.text +=
        fmt::format("\n  {:<31}{}\n  {:<31}{}\n", "peak of the pins",
                    bandwidth_text(static_cast<double>(config->peak())), "organisation", organization_text(*config));
    return page;
}

bool names_hbm(const std::string& name_or_file) {
    const std::vector<std::string> names = hbm_names();
    if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
        return true;
    }
    std::error_code error;
    return name_or_file.ends_with(".toml") && std::filesystem::is_regular_file(name_or_file, error) &&
           looks_like_hbm_file(read_text_file(name_or_file, "a chip file or an HBM file"));
}

} // namespace systole
