#include "sim/config/hbm_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <variant>

#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/config/config_files.h"
#include "sim/config/hbm_file_keys.h"
#include "sim/config/keys.h"
#include "sim/config/toml_reader.h"

namespace systole {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bases = 16;    // a chain that is longer goes round in a circle
constexpr std::size_t most_problems = 50; // a file that is no HBM file at all would give thousands

const ConfigFolder& folder() {
    static const ConfigFolder hbm{"hbm", "HBM configuration", "systole info hbm"};
    return hbm;
}

fs::path file_of_base(const std::string& base, const fs::path& file) {
    std::error_code error;
    for (const std::string& name : {base, base + ".toml"}) {
        const fs::path beside = file.parent_path() / name;
        if (name.ends_with(".toml") && fs::exists(beside, error)) {
            return beside;
        }
    }
    return find_config(folder(), base);
}

class Reader {
  public:
    explicit Reader(Diagnostics& found) : found_(found) {}

    HbmDraft read(const fs::path& path, const std::vector<std::string>& overrides);

  private:
    void read_file(const fs::path& path);
    void read_base(const Setting& setting, const fs::path& file);
    void apply_all(const std::vector<Setting>& settings);
    void finish();
    Place place_of(const std::string& key) const;

    Diagnostics& found_;
    HbmDraft draft_;
    std::vector<fs::path> chain_; // files from the one asked for to the one being read
    fs::path top_;
};

// Where a value was given; if a base did it, where that is named.
Place Reader::place_of(const std::string& key) const {
    const auto given = draft_.given.find(key);
    if (given == draft_.given.end()) {
        return {top_.string()};
    }
    const bool from_base = given->second.line > 0 && given->second.file != top_.string();
    return from_base ? draft_.given.at("base") : given->second;
}

void Reader::read_base(const Setting& setting, const fs::path& file) {
    const auto* base = std::get_if<std::string>(&setting.value);
    if (base == nullptr) {
        found_.add(setting.value_place, "base: expected a name in quotes, found " + describe(setting.value));
        return;
    }
    fs::path path;
    try {
        path = file_of_base(*base, file);
    } catch (const InputError& error) {
        found_.add(setting.value_place, std::string("base: ") + error.what());
        return;
    }
    std::error_code ignored;
    const bool again = std::any_of(chain_.begin(), chain_.end(),
                                   [&](const fs::path& other) { return fs::equivalent(other, path, ignored); });
    if (again || chain_.size() >= most_bases) {
        found_.add(setting.value_place, "base: '" + *base + "' leads back to this file (name one that does not)");
        return;
    }
    read_file(path);
}

void Reader::apply_all(const std::vector<Setting>& settings) {
    for (const Setting& setting : settings) {
        if (found_.size() >= most_problems) {
            found_.add(setting.key_place, "and more from here on (is this an HBM file?)");
            found_.throw_if_any();
        }
        apply(draft_, setting, found_);
    }
}

void Reader::read_file(const fs::path& path) {
    chain_.push_back(path);
    const std::vector<Setting> settings = read_toml(read_text_file(path, "an HBM file"), path.string(), found_);
    for (const Setting& setting : settings) {
        if (setting.key == "base") {
            read_base(setting, path);
        }
    }
    apply_all(settings);
    chain_.pop_back();
}

void Reader::finish() {
    DramConfig& config = draft_.config;
    const bool per_bank = config.refresh == RefreshMode::per_bank;
    for (const HbmFileKey& key : hbm_file_key_table()) {
        const std::string& name = key.info.key;
        const bool needed = key.info.default_value == required ||
                            (per_bank && (name == "timing.refi_per_bank" || name == "timing.rfc_per_bank"));
        if (needed && !draft_.given.contains(name)) {
            const std::string unit = key.info.unit.empty() ? "" : ", in " + key.info.unit;
            found_.add({top_.string()}, "missing key '" + name + "' (" + key.info.help + unit + ")");
        }
    }
    if (!draft_.given.contains("timing.ccd_r")) {
        config.timing.ccd_r = config.timing.ccd_s;
    }
}

HbmDraft Reader::read(const fs::path& path, const std::vector<std::string>& overrides) {
    top_ = path;
    draft_.config.organization.pseudo_channels = 1;
    read_file(path);
    const bool files_are_good = found_.empty();
    std::vector<Setting> settings = read_overrides(overrides, found_);
    std::erase_if(settings, [&](const Setting& setting) {
        if (setting.key == "base") {
            found_.add(setting.key_place, "base: only a file has one (name another configuration instead)");
        }
        return setting.key == "base";
    });
    apply_all(settings);
    if (files_are_good) {
        finish();
    }
    if (found_.empty()) {
        for (const std::string& problem : problems(draft_.config)) {
            found_.add(place_of(problem.substr(0, problem.find(':'))), problem);
        }
    }
    draft_.config.name = path.stem().string();
    draft_.config.file = path.string();
    return std::move(draft_);
}

// The first word of each line, without the brackets of a table.
bool has_line_starting_with(std::string_view text, std::string_view word) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        line.remove_prefix(std::min(line.find_first_not_of(" \t["), line.size()));
        const bool whole =
            line.size() > word.size() && std::string_view(" \t=.]").find(line[word.size()]) != std::string_view::npos;
        if (line.starts_with(word) && whole) {
            return true;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

} // namespace

std::shared_ptr<const DramConfig> load_hbm(const std::string& name_or_file, const std::vector<std::string>& overrides) {
    const fs::path path = find_config(folder(), name_or_file);
    Diagnostics found;
    HbmDraft draft = Reader(found).read(path, overrides);
    found.throw_if_any();
    return std::make_shared<const DramConfig>(std::move(draft.config));
}

std::string hbm_reference(const DramConfig& config) {
    std::error_code error;
    try {
        if (fs::equivalent(find_config(folder(), config.name), config.file, error)) {
            return config.name;
        }
    } catch (const InputError&) { // no such name: it was read from a file elsewhere
    }
    return config.file;
}

std::vector<std::string> hbm_names() { return config_names(folder()); }

const std::vector<KeyInfo>& hbm_file_keys() {
    static const std::vector<KeyInfo> infos = [] {
        std::vector<KeyInfo> list;
        for (const HbmFileKey& key : hbm_file_key_table()) {
            list.push_back(key.info);
        }
        return list;
    }();
    return infos;
}

std::vector<std::pair<std::string, std::string>> hbm_values(const DramConfig& config) {
    std::vector<std::pair<std::string, std::string>> values;
    for (const HbmFileKey& key : hbm_file_key_table()) {
        if (std::string value = key.print(config); !value.empty()) {
            values.emplace_back(key.info.key, std::move(value));
        }
    }
    return values;
}

bool looks_like_hbm_file(const std::string& text) {
    constexpr std::array words{"base", "mapping", "refresh", "organization", "timing", "queues"};
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return has_line_starting_with(text, word); });
}

} // namespace systole
