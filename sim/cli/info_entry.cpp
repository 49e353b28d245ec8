#include "sim/cli/info_entry.h"

#include <fmt/format.h>

#include "sim/config/load.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

std::string key_text(const KeyInfo& key) {
    std::string text = key.help;
    if (!key.unit.empty()) {
        text += fmt::format(" [{}]", key.unit);
    }
    if (!key.default_value.empty()) {
        text += key.default_value == "required" ? "; required" : "; default " + key.default_value;
    }
    return key.range.empty() ? text : text + fmt::format("; {}", key.range);
}

} // namespace

std::string info_entry(const std::string& name, const std::string& text) {
    constexpr std::size_t column = 26;
    if (name.size() + 2 < column) {
        return wrap(fmt::format("{:<{}}", name, column), text) + "\n";
    }
    return name + "\n" + wrap(std::string(column, ' '), text) + "\n";
}

std::string missing_files_hint(const std::vector<std::string>& names, const std::string& folder) {
    if (!names.empty()) {
        return "";
    }
    std::string places;
    for (const std::filesystem::path& root : config_roots()) {
        places += (places.empty() ? "" : ", ") + (root / folder).string();
    }
    return wrap("", fmt::format("None were found: {}. Set SYSTOLE_CONFIG_DIR to the folder that holds {}/, or name a "
                                "file.",
                                places.empty() ? "there is no folder of Systole's files beside the program"
                                               : "no file ends in .toml in " + places,
                                folder)) +
           "\n";
}

InfoPage keys_page_of(const std::vector<KeyInfo>& keys) {
    InfoPage page{"", Json::array()};
    for (const KeyInfo& key : keys) {
        page.text += info_entry(key.key, key_text(key));
        page.json.push_back({{"key", key.key},
                             {"unit", key.unit},
                             {"default", key.default_value},
                             {"range", key.range},
                             {"help", key.help}});
    }
    return page;
}

} // namespace systole
