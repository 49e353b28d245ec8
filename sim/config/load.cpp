#include "sim/config/load.h"

#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/config/config_files.h"
#include "sim/config/draft.h"
#include "sim/config/keys.h"
#include "sim/config/toml_reader.h"

namespace systole {

namespace {

constexpr std::size_t most_problems_shown = 50; // a file that is not a chip file at all would give thousands

const ConfigFolder& chips() {
    static const ConfigFolder folder{"chips", "chip", "systole info chips"};
    return folder;
}

void apply_all(Draft& draft, const std::vector<Setting>& settings, Diagnostics& found) {
    for (const Setting& setting : settings) {
        if (found.size() >= most_problems_shown) {
            found.add(setting.key_place, "and more from here on (is this a chip file?)");
            found.throw_if_any();
        }
        apply(draft, setting, found);
    }
}

} // namespace

std::vector<std::string> chip_names() { return config_names(chips()); }

Machine load_machine(const std::string& name_or_file, const std::vector<std::string>& overrides) {
    const std::filesystem::path path = find_config(chips(), name_or_file);
    const std::string text = read_text_file(path, "a chip file");
    Diagnostics found;
    Draft draft;
    draft.machine.name = path.stem().string();
    draft.machine.file = path.string();
    const std::vector<Setting> from_file = read_toml(text, path.string(), found);
    const bool file_is_toml = found.empty();
    apply_all(draft, from_file, found);
    apply_all(draft, read_overrides(overrides, found), found);
    if (!file_is_toml) { // what is missing in it is not to be told from what could not be read
        found.throw_if_any();
    }
    Machine machine = finish(std::move(draft), found);
    found.throw_if_any();
    return machine;
}

} // namespace systole
