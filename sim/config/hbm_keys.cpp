#include "sim/config/hbm_keys.h"

#include <filesystem>
#include <utility>
#include <variant>

#include "sim/config/hbm_file.h"
#include "sim/config/key_types.h"

namespace systole {

namespace {

constexpr Picoseconds one_millisecond = 1'000'000'000;

// A file is looked for beside the chip file that names it; what is given with --set, where the user is.
std::string beside_chip_file(const std::string& name_or_file, const Setting& setting) {
    namespace fs = std::filesystem;
    if (setting.from_command_line || !name_or_file.ends_with(".toml")) {
        return name_or_file;
    }
    std::error_code error;
    const fs::path beside = fs::path(setting.value_place.file).parent_path() / name_or_file;
    return fs::exists(beside, error) ? beside.string() : name_or_file;
}

// What is wrong in the HBM file is told with its place there; that there is none, where it is named.
void add_problems(const Setting& setting, const InputError& error, Diagnostics& found) {
    for (const Diagnostic& diagnostic : error.diagnostics()) {
        if (diagnostic.place.line > 0) {
            found.add(diagnostic.place, diagnostic.message);
            continue;
        }
        const std::string file = to_string(diagnostic.place);
        complain(setting, (file.empty() ? "" : file + ": ") + diagnostic.message, found);
    }
}

Key config_key() {
    Key key{{"hbm.config", "", "none", "a name or a file; none: an ideal memory",
             "what the stacks of HBM are (`systole info hbm` lists them)"},
            {},
            {}};
    key.read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto* name = std::get_if<std::string>(&setting.value);
        if (name == nullptr) {
            complain(setting, "expected a name in quotes, found " + describe(setting.value), found);
            return;
        }
        draft.machine.hbm.dram.reset();
        if (*name == "none") {
            return;
        }
        try {
            draft.machine.hbm.dram = load_hbm(beside_chip_file(*name, setting));
        } catch (const InputError& error) {
            add_problems(setting, error, found);
        }
    };
    key.print = [](const Machine& machine, KeyValues& values) {
        if (machine.hbm.dram != nullptr) {
            values.emplace_back("hbm.config", hbm_reference(*machine.hbm.dram));
        }
    };
    return key;
}

// Of chips with stacks: others have nothing to say under that key.
Key only_with_stacks(Key key) {
    key.print = [print = key.print](const Machine& machine, KeyValues& values) {
        if (machine.hbm.dram != nullptr) {
            print(machine, values);
        }
    };
    return key;
}

} // namespace

std::vector<Key> hbm_keys() {
    using M = Machine;
    return {
        config_key(),
        only_with_stacks(integer_key("hbm.stacks", "stacks", {1, 64}, "stacks of hbm.config that the chip has",
                                     [](M& m) -> int& { return m.hbm.stacks; })),
        quantity_key("hbm.bandwidth", bandwidth_quantity, {1, unlimited},
                     "of the memory of the chip; with hbm.config: the data rate of its pins is scaled to it (default: "
                     "left as it is)",
                     [](M& m) -> BytesPerSecond& { return m.hbm.bandwidth; }),
        quantity_key("hbm.latency", time_quantity, {0, one_millisecond},
                     "from a request to its first byte; with hbm.config: on the way there and back alone",
                     [](M& m) -> Picoseconds& { return m.hbm.latency; }),
        only_with_stacks(choice_key<MemoryMode>(
            "memory.mode", {{"fast", MemoryMode::fast}, {"burst", MemoryMode::burst}},
            "hbm.config is simulated from event to event, or clock by clock: the same results, far slower",
            [](M& m) -> MemoryMode& { return m.hbm.mode; })),
    };
}

void finish_hbm(Draft& draft, Diagnostics& found) {
    HbmConfig& hbm = draft.machine.hbm;
    if (hbm.dram == nullptr) {
        if (draft.given.contains("hbm.stacks") && !draft.given.contains("hbm.config")) {
            found.add(draft.place_of("hbm.stacks"),
                      "hbm.stacks says nothing without hbm.config (name one of `systole info hbm`)");
        }
        return;
    }
    try {
        parse_mapping(*hbm.dram, hbm.stacks);
    } catch (const InputError& error) {
        found.add(draft.place_of("hbm.stacks"), "hbm.stacks: " + hbm.dram->name + ": " + error.what());
    }
    if (!draft.given.contains("hbm.bandwidth")) {
        hbm.bandwidth = hbm.stacks * hbm.dram->peak();
    } else if (hbm.bandwidth == unlimited) {
        found.add(draft.place_of("hbm.bandwidth"),
                  "hbm.bandwidth: stacks are not unlimited (leave it out for the " +
                      bandwidth_quantity.format(hbm.stacks * hbm.dram->peak()) +
                      " of their pins, or set hbm.config = \"none\" for an ideal memory)");
    }
}

} // namespace systole
