#include "sim/config/unknown_key.h"

#include <variant>

#include "sim/base/table.h"

namespace systole {

namespace {

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

std::string suggestion(const std::string& key, const std::vector<std::string>& known) {
    std::string near = nearest(key, known);
    for (const std::string& name : known) {
        if (near.empty() && last_part(name) == last_part(key)) {
            near = name;
        }
    }
    return near;
}

} // namespace

void report_unknown_key(const Setting& setting, const std::vector<std::string>& known, const std::string& listing,
                        Diagnostics& found) {
    const std::string table = setting.key + ".";
    const auto* other = std::get_if<OtherValue>(&setting.value);
    for (const std::string& key : known) {
        if (key.starts_with(table)) {
            if (other != nullptr && other->is_empty_table) {
                return;
            }
            found.add(setting.key_place, "'" + setting.key + "' is a table, not a value (it holds keys such as " + key +
                                             ", see `" + listing + "`)");
            return;
        }
    }
    constexpr std::size_t longest = 80;
    const std::string shown = setting.key.size() > longest ? setting.key.substr(0, longest) + "..." : setting.key;
    const std::string near = suggestion(setting.key, known);
    found.add(setting.key_place, "unknown key '" + shown + "'" +
                                     (near.empty() ? " (see `" + listing + "`)" : " (did you mean '" + near + "'?)"));
}

} // namespace systole
