#include "sim/config/special_keys.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "sim/config/key_types.h"

namespace systole {

namespace {

constexpr Range rate_range{1, 4};

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    names.reserve(all_formats.size());
    for (const Format format : all_formats) {
        names.emplace_back(name(format));
    }
    return names;
}

std::optional<Format> read_format(const Setting& setting, const std::string& word, Diagnostics& found) {
    const std::optional<Format> format = parse_format(word);
    if (!format) {
        const std::string near = nearest(word, format_names());
        complain(
            setting,
            describe(word) + " is not a number format" +
                (near.empty() ? " (known: " + join(format_names(), ", ") + ")" : " (did you mean '" + near + "'?)"),
            found);
    }
    return format;
}

// The last component of the key of a setting: "int8" of "array.macs_per_pe_cycle.int8".
std::optional<Format> format_in_key(const Setting& setting, Diagnostics& found) {
    return read_format(setting, setting.key.substr(setting.key.rfind('.') + 1), found);
}

// A list, or words between commas as they are written in --set.
std::vector<std::string> words_of(const Setting& setting) {
    if (const auto* list = std::get_if<std::vector<std::string>>(&setting.value)) {
        return *list;
    }
    std::vector<std::string> words;
    if (const auto* text = std::get_if<std::string>(&setting.value)) {
        std::string word;
        for (const char c : *text + ",") {
            if (c == ',') {
                words.push_back(std::move(word));
                word.clear();
            } else if (c != ' ') {
                word += c;
            }
        }
    }
    return words;
}

void read_formats(Draft& draft, const Setting& setting, Diagnostics& found) {
    std::vector<Format> formats;
    const std::size_t before = found.size();
    for (const std::string& word : words_of(setting)) {
        const std::optional<Format> format = read_format(setting, word, found);
        if (format && std::find(formats.begin(), formats.end(), *format) != formats.end()) {
            complain(setting, "'" + word + "' is listed twice", found);
        } else if (format && !is_operand(*format)) {
            complain(setting, "'" + word + "' is a format of results alone, no operand of a MAC", found);
        } else if (format) {
            formats.push_back(*format);
        }
    }
    if (formats.empty() && found.size() == before) {
        const bool is_list = std::holds_alternative<std::vector<std::string>>(setting.value);
        const std::string what = is_list ? "an empty one" : describe(setting.value);
        complain(setting, "expected a list of number formats such as [\"int8\"], found " + what, found);
    }
    draft.formats_are_wrong = found.size() != before;
    if (draft.formats_are_wrong) {
        return;
    }
    draft.formats = formats;
    if (setting.from_command_line) { // the file's rates of formats that are no longer there mean nothing
        std::erase_if(draft.macs_of, [&](const auto& rate) {
            return std::find(formats.begin(), formats.end(), rate.first) == formats.end();
        });
    }
}

void print_formats(const Machine& machine, KeyValues& values) {
    std::vector<std::string> words{std::string(name(machine.default_format))};
    for (const auto& [format, rate] : machine.macs_per_pe_cycle) {
        if (format != machine.default_format) {
            words.emplace_back(name(format));
        }
    }
    values.emplace_back("array.formats", join(words, ", "));
}

void print_rates(const Machine& machine, KeyValues& values) {
    const auto& rates = machine.macs_per_pe_cycle;
    const int first = rates.empty() ? 1 : rates.begin()->second;
    std::vector<std::string> words;
    bool all_equal = true;
    for (const auto& [format, rate] : rates) {
        words.push_back(std::string(name(format)) + " = " + std::to_string(rate));
        all_equal = all_equal && rate == first;
    }
    values.emplace_back("array.macs_per_pe_cycle", all_equal ? std::to_string(first) : "{ " + join(words, ", ") + " }");
}

} // namespace

Key formats_key() {
    return {{"array.formats", "", "int8", join(format_names(), " | "),
             "number formats of the operands the array takes; the first is the default"},
            read_formats,
            print_formats};
}

Key common_rate_key() {
    const auto read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        if (const auto* table = std::get_if<OtherValue>(&setting.value)) {
            complain(setting, "expected a number or { FORMAT = number }, found " + table->what, found);
        } else if (const auto rate = read_integer(setting, rate_range, found)) {
            draft.macs_of_all = static_cast<int>(*rate);
            draft.macs_of.clear();
        }
    };
    return {{"array.macs_per_pe_cycle", "MACs", "1", range_text(rate_range),
             "multiply-adds of one PE in one cycle, for all formats or as { bf16 = 1, int8 = 2 }"},
            read,
            print_rates};
}

Key rate_of_format_key() {
    const auto read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        const std::optional<Format> format = format_in_key(setting, found);
        const auto rate = read_integer(setting, rate_range, found);
        if (format && rate) {
            draft.macs_of[*format] = {static_cast<int>(*rate), setting.value_place};
        }
    };
    return {{"array.macs_per_pe_cycle.FORMAT", "MACs", "1", range_text(rate_range),
             "multiply-adds of one PE in one cycle, for one format"},
            read,
            [](const Machine&, KeyValues&) {}};
}

Key swap_period_key() {
    const auto read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        if (std::holds_alternative<std::int64_t>(setting.value) || std::holds_alternative<std::string>(setting.value)) {
            draft.swap_period = setting;
        } else {
            complain(setting,
                     "expected a whole number or an expression such as \"2*rows+3\", found " + describe(setting.value),
                     found);
        }
    };
    const auto print = [](const Machine& machine, KeyValues& values) {
        values.emplace_back("array.swap_period", std::to_string(machine.array.swap_period));
    };
    return {{"array.swap_period", "cycles", "0", "0..1000000, or an expression of rows and cols",
             "swap = \"drained\": shortest interval between two switches of the stationary tile"},
            read,
            print};
}

Key nominal_flops_key() {
    const auto read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        const std::optional<Format> format = format_in_key(setting, found);
        const auto* text = std::get_if<std::string>(&setting.value);
        if (text == nullptr) {
            complain(setting, "expected a rate such as \"197 TFLOP/s\", found " + describe(setting.value), found);
            return;
        }
        const Parsed<FlopPerSecond> rate = parse_flops(*text);
        if (!rate.value || *rate.value <= 0) {
            complain(setting, rate.value ? describe(setting.value) + " must be above 0" : rate.error, found);
        } else if (format) {
            draft.machine.nominal.flops[*format] = *rate.value;
        }
    };
    const auto print = [](const Machine& machine, KeyValues& values) {
        for (const auto& [format, rate] : machine.nominal.flops) {
            values.emplace_back("nominal.flops." + std::string(name(format)), format_flops(rate));
        }
    };
    return {{"nominal.flops.FORMAT", "FLOP/s", "not stated", "> 0",
             "peak rate of the data sheet for one format; for `systole roofline` alone"},
            read,
            print};
}

Key nominal_bandwidth_key(const std::string& key, std::string help, Field<BytesPerSecond> field) {
    const Range range{1, unlimited - 1};
    Key result = quantity_key(key, bandwidth_quantity, range, std::move(help), field);
    result.print = [key, field](const Machine& machine, KeyValues& values) {
        Machine copy = machine;
        if (field(copy) > 0) {
            values.emplace_back(key, format_bandwidth(field(copy)));
        }
    };
    result.info.range = "> 0";
    result.info.default_value = "not stated";
    return result;
}

Key nominal_hbm_bandwidth_key() {
    return nominal_bandwidth_key("nominal.hbm_bandwidth",
                                 "HBM bandwidth of the data sheet; for `systole roofline` alone",
                                 [](Machine& machine) -> BytesPerSecond& { return machine.nominal.hbm_bandwidth; });
}

Key nominal_pcie_bandwidth_key() {
    return nominal_bandwidth_key("nominal.pcie_bandwidth",
                                 "PCIe bandwidth of the data sheet; for `systole roofline` alone",
                                 [](Machine& machine) -> BytesPerSecond& { return machine.nominal.pcie_bandwidth; });
}

} // namespace systole
