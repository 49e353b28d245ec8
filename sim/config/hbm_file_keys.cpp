#include "sim/config/hbm_file_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "sim/config/key_types.h"
#include "sim/config/unknown_key.h"

namespace systole {

namespace {

using C = DramConfig;

template <class T>
using DramField = T& (*)(DramConfig&);

constexpr Range clocks_range{1, 1'000'000};
constexpr Range entries_range{1, 1024};

template <class T>
T value_of(DramField<T> field, const DramConfig& config) {
    DramConfig copy = config;
    return field(copy);
}

HbmFileKey text(std::string key, std::string help, DramField<std::string> field) {
    HbmFileKey result{{std::move(key), "", "", "text", std::move(help)}, {}, {}};
    result.read = [field](DramConfig& config, const Setting& setting, Diagnostics& found) {
        if (const auto* value = std::get_if<std::string>(&setting.value)) {
            field(config) = *value;
        } else {
            complain(setting, "expected text in quotes, found " + describe(setting.value), found);
        }
    };
    result.print = [field](const DramConfig& config) { return value_of(field, config); };
    return result;
}

template <class T>
HbmFileKey integer(std::string key, std::string unit, Range range, std::string help, DramField<T> field) {
    HbmFileKey result{{std::move(key), std::move(unit), "", range_text(range), std::move(help)}, {}, {}};
    result.read = [range, field](DramConfig& config, const Setting& setting, Diagnostics& found) {
        if (const auto value = read_integer(setting, range, found)) {
            field(config) = static_cast<T>(*value);
        }
    };
    result.print = [field](const DramConfig& config) { return std::to_string(value_of(field, config)); };
    result.info.default_value = result.print(DramConfig{});
    return result;
}

HbmFileKey quantity(std::string key, const Quantity& kind, Range range, std::string help,
                    DramField<std::int64_t> field) {
    HbmFileKey result{{std::move(key), kind.unit, "", range_text(range, kind), std::move(help)}, {}, {}};
    result.read = [kind, range, field](DramConfig& config, const Setting& setting, Diagnostics& found) {
        if (const auto value = read_quantity(setting, kind, range, found)) {
            field(config) = *value;
        }
    };
    result.print = [kind, field](const DramConfig& config) { return kind.format(value_of(field, config)); };
    return result;
}

HbmFileKey refresh_key() {
    static const std::vector<std::string> words{"none", "all_bank", "per_bank"}; // in the order of RefreshMode
    HbmFileKey result{{"refresh", "", "all_bank", join(words, " | "),
                       "all_bank: the pseudo-channel rests; per_bank: one bank at a time, the others go on"},
                      {},
                      {}};
    result.read = [](DramConfig& config, const Setting& setting, Diagnostics& found) {
        if (const auto word = read_word(setting, words, found)) {
            config.refresh = static_cast<RefreshMode>(std::find(words.begin(), words.end(), *word) - words.begin());
        }
    };
    result.print = [](const DramConfig& config) { return words[static_cast<std::size_t>(config.refresh)]; };
    return result;
}

HbmFileKey truth(std::string key, std::string help, bool& (*field)(DramConfig&)) {
    HbmFileKey result{{std::move(key), "", "false", "true | false", std::move(help)}, {}, {}};
    result.read = [field](DramConfig& config, const Setting& setting, Diagnostics& found) {
        if (const auto* value = std::get_if<bool>(&setting.value)) {
            field(config) = *value;
        } else {
            complain(setting, "expected true or false, found " + describe(setting.value), found);
        }
    };
    result.print = [field](const DramConfig& config) {
        DramConfig copy = config;
        return field(copy) ? "true" : "false";
    };
    return result;
}

std::vector<HbmFileKey> whole_stack_keys() {
    return {
        text("description", "the stack in one line", [](C& c) -> std::string& { return c.description; }),
        text("source", "where the numbers come from", [](C& c) -> std::string& { return c.source; }),
        {{"base", "", "", "a name or a file", "another configuration, whose values hold where this file gives none"},
         {},
         [](const DramConfig&) { return std::string(); }},
        quantity("clock", frequency_quantity, {1'000'000, 10'000'000'000}, "command clock; all times below count it",
                 [](C& c) -> Hertz& { return c.clock; }),
        text("mapping", "address bits above one access, lowest first: ch, pc, si, bg, ba, co with their bits, then ro",
             [](C& c) -> std::string& { return c.mapping; }),
        truth("rotate", "pseudo-channels are rotated by the address above them, so that no pitch camps on a few",
              [](C& c) -> bool& { return c.rotate; }),
        refresh_key(),
    };
}

std::vector<HbmFileKey> organization_keys() {
    return {
        integer<int>("organization.channels", "", {1, 64}, "channels of one stack",
                     [](C& c) -> int& { return c.organization.channels; }),
        integer<int>("organization.pseudo_channels", "", {1, 4}, "pseudo-channels of a channel",
                     [](C& c) -> int& { return c.organization.pseudo_channels; }),
        integer<int>("organization.stack_ids", "", {1, 4}, "stack ids (ranks of dies) of a pseudo-channel",
                     [](C& c) -> int& { return c.organization.stack_ids; }),
        integer<int>("organization.bank_groups", "", {1, 16}, "bank groups of a stack id",
                     [](C& c) -> int& { return c.organization.bank_groups; }),
        integer<int>("organization.banks", "", {1, 16}, "banks of a bank group",
                     [](C& c) -> int& { return c.organization.banks; }),
        quantity("organization.row_bytes", bytes_quantity, {64, 65536}, "row of a bank of one pseudo-channel",
                 [](C& c) -> Bytes& { return c.organization.row_bytes; }),
        quantity("organization.access_bytes", bytes_quantity, {8, 1024}, "moved by one column command",
                 [](C& c) -> Bytes& { return c.organization.access_bytes; }),
        integer<Clocks>("organization.burst", "clocks", {1, 64}, "that these bytes take on the bus",
                        [](C& c) -> Clocks& { return c.organization.burst; }),
    };
}

HbmFileKey clocks(std::string name, std::string help, DramField<Clocks> field) {
    return integer<Clocks>("timing." + std::move(name), "clocks", clocks_range, std::move(help), field);
}

std::vector<HbmFileKey> timing_keys() {
    return {
        clocks("cl", "read command to its first data", [](C& c) -> Clocks& { return c.timing.cl; }),
        clocks("cwl", "write command to its first data", [](C& c) -> Clocks& { return c.timing.cwl; }),
        clocks("rcd_read", "ACT to a read of the bank", [](C& c) -> Clocks& { return c.timing.rcd_read; }),
        clocks("rcd_write", "ACT to a write of the bank", [](C& c) -> Clocks& { return c.timing.rcd_write; }),
        clocks("rp", "PRE to ACT of the bank", [](C& c) -> Clocks& { return c.timing.rp; }),
        clocks("ras", "ACT to PRE of the bank", [](C& c) -> Clocks& { return c.timing.ras; }),
        clocks("rc", "ACT to ACT of the bank", [](C& c) -> Clocks& { return c.timing.rc; }),
        clocks("ccd_s", "column to column command, other bank group", [](C& c) -> Clocks& { return c.timing.ccd_s; }),
        clocks("ccd_l", "column to column command, same bank group", [](C& c) -> Clocks& { return c.timing.ccd_l; }),
        clocks("ccd_r", "column to column command, other stack id", [](C& c) -> Clocks& { return c.timing.ccd_r; }),
        clocks("rrd_s", "ACT to ACT, other bank group", [](C& c) -> Clocks& { return c.timing.rrd_s; }),
        clocks("rrd_l", "ACT to ACT, same bank group", [](C& c) -> Clocks& { return c.timing.rrd_l; }),
        clocks("faw", "any window of this length holds four ACTs at most",
               [](C& c) -> Clocks& { return c.timing.faw; }),
        clocks("wtr_s", "end of write data to a read, other bank group",
               [](C& c) -> Clocks& { return c.timing.wtr_s; }),
        clocks("wtr_l", "end of write data to a read, same bank group", [](C& c) -> Clocks& { return c.timing.wtr_l; }),
        clocks("rtw", "read command to write command", [](C& c) -> Clocks& { return c.timing.rtw; }),
        clocks("wr", "end of write data to PRE", [](C& c) -> Clocks& { return c.timing.wr; }),
        clocks("rtp", "read command to PRE", [](C& c) -> Clocks& { return c.timing.rtp; }),
        clocks("refi", "all-bank refresh: interval", [](C& c) -> Clocks& { return c.timing.refi; }),
        clocks("rfc", "all-bank refresh: how long it takes", [](C& c) -> Clocks& { return c.timing.rfc; }),
        clocks("refi_per_bank", "per-bank refresh: interval between two banks",
               [](C& c) -> Clocks& { return c.timing.refi_per_bank; }),
        clocks("rfc_per_bank", "per-bank refresh: how long one takes",
               [](C& c) -> Clocks& { return c.timing.rfc_per_bank; }),
    };
}

std::vector<HbmFileKey> queue_keys() {
    return {
        integer<int>("queues.read", "accesses", entries_range, "reads of a pseudo-channel that the scheduler holds",
                     [](C& c) -> int& { return c.queues.read; }),
        integer<int>("queues.write", "accesses", entries_range, "writes that it holds",
                     [](C& c) -> int& { return c.queues.write; }),
        integer<int>("queues.write_high", "accesses", entries_range, "more writes than this: they are drained",
                     [](C& c) -> int& { return c.queues.write_high; }),
        integer<int>("queues.write_low", "accesses", {0, 1024}, "fewer writes than this are left: back to reads",
                     [](C& c) -> int& { return c.queues.write_low; }),
        integer<int>("queues.entry", "accesses", {1, 64},
                     "to neighbouring columns that come into the queue together and fill one entry",
                     [](C& c) -> int& { return c.queues.entry; }),
        integer<int>("queues.bank_window", "accesses", entries_range,
                     "the oldest of a bank, per direction, that the scheduler looks at",
                     [](C& c) -> int& { return c.queues.bank_window; }),
        truth("queues.prepare_both", "rows for the other direction are opened and closed while the bus serves this one",
              [](C& c) -> bool& { return c.queues.prepare_both; }),
        integer<int>("queues.port", "accesses", {1, 65536},
                     "that wait in front of the queues before the DMA is stopped",
                     [](C& c) -> int& { return c.queues.port; }),
        integer<Clocks>("queues.latency", "clocks", {0, 10'000}, "of the controller, before an access can be served",
                        [](C& c) -> Clocks& { return c.queues.latency; }),
    };
}

// Keys that a file without a base may leave out have a default that fits any DRAM; what a data sheet states has none.
bool must_be_given(const std::string& key) {
    static const std::vector<std::string> optional{"timing.ccd_r", "timing.refi_per_bank", "timing.rfc_per_bank",
                                                   "organization.pseudo_channels", "organization.stack_ids"};
    const bool data_sheet =
        key == "clock" || key == "mapping" || key.starts_with("organization.") || key.starts_with("timing.");
    return data_sheet && std::find(optional.begin(), optional.end(), key) == optional.end();
}

void set_default(HbmFileKey& key) {
    const std::string& name = key.info.key;
    if (must_be_given(name)) {
        key.info.default_value = required;
    } else if (name == "timing.ccd_r") {
        key.info.default_value = "that of ccd_s";
    } else if (name == "timing.refi_per_bank" || name == "timing.rfc_per_bank") {
        key.info.default_value = "none, and needed where refresh = per_bank";
    } else if (name == "organization.pseudo_channels") {
        key.info.default_value = "1";
    }
}

std::vector<HbmFileKey> make_file_keys() {
    std::vector<HbmFileKey> all;
    for (std::vector<HbmFileKey> group : {whole_stack_keys(), organization_keys(), timing_keys(), queue_keys()}) {
        std::move(group.begin(), group.end(), std::back_inserter(all));
    }
    for (HbmFileKey& key : all) {
        set_default(key);
    }
    return all;
}

} // namespace

const std::vector<HbmFileKey>& hbm_file_key_table() {
    static const std::vector<HbmFileKey> all = make_file_keys();
    return all;
}

void apply(HbmDraft& draft, const Setting& setting, Diagnostics& found) {
    const auto& table = hbm_file_key_table();
    const auto key = std::find_if(table.begin(), table.end(),
                                  [&](const HbmFileKey& candidate) { return candidate.info.key == setting.key; });
    if (key == table.end()) {
        std::vector<std::string> known;
        for (const HbmFileKey& candidate : table) {
            known.push_back(candidate.info.key);
        }
        report_unknown_key(setting, known, "systole info hbm", found);
        return;
    }
    draft.given[setting.key] = setting.value_place;
    if (key->read) {
        key->read(draft.config, setting, found);
    }
}

} // namespace systole
