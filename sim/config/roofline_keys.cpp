#include "sim/config/roofline_keys.h"

#include <algorithm>
#include <cctype>
#include <variant>

#include "sim/config/special_keys.h"

namespace systole {

namespace {

constexpr BytesPerSecond slowest = 1;

// What a level of the roofline is called already.
constexpr const char* taken_names[] = {"pe", "vmem", "hbm", "pcie", "link", "compute", "vector"};

bool is_level_name(const std::string& name) {
    const auto fits = [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_'; };
    return !name.empty() && std::all_of(name.begin(), name.end(), fits) &&
           std::find(std::begin(taken_names), std::end(taken_names), name) == std::end(taken_names);
}

void read_level(Draft& draft, const Setting& setting, Diagnostics& found) {
    const std::string name = setting.key.substr(setting.key.rfind('.') + 1);
    const auto bandwidth = read_quantity(setting, bandwidth_quantity, {slowest, unlimited - 1}, found);
    if (!is_level_name(name)) {
        complain(setting,
                 describe(name) + " cannot name a level (write small letters, digits and _, and none of pe, vmem, " +
                     "hbm, pcie, link, compute, vector)",
                 found);
    } else if (bandwidth) {
        draft.machine.nominal.levels[name] = *bandwidth;
    }
}

} // namespace

Key roofline_only_key() {
    Key key = truth_key("roofline_only", "the chip is a data sheet alone: for `systole roofline`, not to be simulated",
                        [](Machine& machine) -> bool& { return machine.roofline_only; });
    key.print = [](const Machine& machine, KeyValues& values) {
        if (machine.roofline_only) {
            values.emplace_back("roofline_only", "true");
        }
    };
    return key;
}

Key nominal_vector_flops_key() {
    const auto read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto* text = std::get_if<std::string>(&setting.value);
        const Parsed<FlopPerSecond> rate = parse_flops(text == nullptr ? "" : *text);
        if (text == nullptr || !rate.value || *rate.value <= 0) {
            complain(setting, "expected a rate above 0 such as \"7.168 TFLOP/s\", found " + describe(setting.value),
                     found);
        } else {
            draft.machine.nominal.vector_flops = *rate.value;
        }
    };
    const auto print = [](const Machine& machine, KeyValues& values) {
        if (machine.nominal.vector_flops > 0) {
            values.emplace_back("nominal.vector_flops", format_flops(machine.nominal.vector_flops));
        }
    };
    return {{"nominal.vector_flops", "FLOP/s", "not stated", "> 0",
             "peak rate of the chip's vector units; for `systole roofline` alone"},
            read,
            print};
}

Key nominal_level_key() {
    const auto print = [](const Machine& machine, KeyValues& values) {
        for (const auto& [name, bandwidth] : machine.nominal.levels) {
            values.emplace_back("nominal.level." + name, format_bandwidth(bandwidth));
        }
    };
    return {{"nominal.level.NAME", "bytes/s", "not stated", "> 0",
             "bandwidth of a further level, such as a cache l2; for `systole roofline` alone"},
            read_level,
            print};
}

Key nominal_vmem_bandwidth_key() {
    return nominal_bandwidth_key("nominal.vmem_bandwidth",
                                 "VMEM bandwidth of the chip as stated; for `systole roofline` alone",
                                 [](Machine& machine) -> BytesPerSecond& { return machine.nominal.vmem_bandwidth; });
}

Key link_bandwidth_key() {
    return nominal_bandwidth_key("link.bandwidth",
                                 "one link to a neighbouring chip, one direction; for `systole roofline` alone",
                                 [](Machine& machine) -> BytesPerSecond& { return machine.link.bandwidth; });
}

Key link_count_key() {
    Key key = integer_key("link.count", "links", {1, 1024}, "links of one chip to its neighbours",
                          [](Machine& machine) -> int& { return machine.link.count; });
    key.print = [](const Machine& machine, KeyValues& values) {
        if (machine.link.bandwidth > 0) {
            values.emplace_back("link.count", std::to_string(machine.link.count));
        }
    };
    key.info.default_value = "1";
    return key;
}

bool holds_for_roofline_only(const std::string& key) {
    return key == "description" || key == "source" || key == "roofline_only" || key.starts_with("nominal.") ||
           key.starts_with("link.");
}

Format usual_format(const NominalConfig& nominal) {
    for (const Format format : {Format::bf16, Format::fp16, Format::fp32, Format::int8}) {
        if (nominal.flops.contains(format)) {
            return format;
        }
    }
    return nominal.flops.empty() ? Format::int8 : nominal.flops.begin()->first;
}

} // namespace systole
