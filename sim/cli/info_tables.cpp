#include "sim/cli/info_tables.h"

#include <fmt/format.h>

#include "sim/base/table.h"
#include "sim/config/load.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"
#include "sim/workload/workload.h"
#include "sim/workload/workload_reader.h"

namespace systole {

namespace {

// "name    text", the text wrapped beside the name or, beside a long name, below it.
std::string entry(const std::string& name, const std::string& text) {
    constexpr std::size_t column = 26;
    if (name.size() + 2 < column) {
        return wrap(fmt::format("{:<{}}", name, column), text) + "\n";
    }
    return name + "\n" + wrap(std::string(column, ' '), text) + "\n";
}

std::string key_text(const KeyInfo& key) {
    std::string text = key.help;
    if (!key.unit.empty()) {
        text += fmt::format(" [{}]", key.unit);
    }
    text += key.default_value == "required" ? "; required" : fmt::format("; default {}", key.default_value);
    return key.range.empty() ? text : text + fmt::format("; {}", key.range);
}

InfoPage keys_page_of(const std::vector<KeyInfo>& keys) {
    InfoPage page{"", Json::array()};
    for (const KeyInfo& key : keys) {
        page.text += entry(key.key, key_text(key));
        page.json.push_back({{"key", key.key},
                             {"unit", key.unit},
                             {"default", key.default_value},
                             {"range", key.range},
                             {"help", key.help}});
    }
    return page;
}

double bandwidth(std::int64_t bytes_per_second) {
    return bytes_per_second == unlimited ? 0.0 : static_cast<double>(bytes_per_second);
}

double vmem_bandwidth(const Machine& machine) {
    return machine.vmem.bandwidth == unlimited
               ? 0.0
               : static_cast<double>(machine.vmem.bandwidth) * static_cast<double>(machine.clock) * machine.cores;
}

// Bandwidths of the whole chip, and the FLOP/byte above which each format is no longer bound by them.
void add_rates(const Machine& machine, InfoPage& page) {
    const std::pair<const char*, double> levels[] = {{"vmem", vmem_bandwidth(machine)},
                                                     {"hbm", bandwidth(machine.hbm.bandwidth)},
                                                     {"pcie", bandwidth(machine.pcie.bandwidth)}};
    page.text += "\nBandwidth of the chip\n";
    for (const auto& [level, bytes_per_second] : levels) {
        page.text += fmt::format("  {:<24}{:>14}\n", level, bandwidth_text(bytes_per_second));
        page.json["bandwidth"][level] = bytes_per_second > 0 ? Json(bytes_per_second) : Json(nullptr);
    }
    page.text +=
        fmt::format("\n{:<16}{:>16}{:>16}{:>16}{:>16}\n", "Format", "peak", "ridge of VMEM", "of HBM", "of PCIe");
    for (const auto& [format, q] : machine.macs_per_pe_cycle) {
        const double peak = peak_flops(machine, q);
        const std::string format_name(name(format));
        page.text += fmt::format("  {:<14}{:>16}", format_name, scaled(peak, "FLOP/s"));
        page.json["peak_flops"][format_name] = peak;
        for (const auto& [level, bytes_per_second] : levels) {
            const bool limited = bytes_per_second > 0;
            page.text += fmt::format("{:>16}", limited ? fmt::format("{:.4g}", peak / bytes_per_second) : "-");
            page.json["ridge"][format_name][level] = limited ? Json(peak / bytes_per_second) : Json(nullptr);
        }
        page.text += "\n";
    }
    page.text += "  (ridge: FLOP per byte above which the level does not limit the array)\n";
}

} // namespace

InfoPage chips_page() {
    InfoPage page{"", Json::array()};
    for (const std::string& chip : chip_names()) {
        const Machine machine = load_machine(chip);
        page.text += entry(chip, machine.description);
        page.json.push_back({{"name", chip}, {"description", machine.description}, {"file", machine.file}});
    }
    return page;
}

InfoPage keys_page() { return keys_page_of(chip_keys()); }

InfoPage counters_page() {
    InfoPage page{"Of the run:\n", Json::array()};
    const auto add = [&page](const std::string& path, const Counter& counter) {
        const std::string unit = counter.unit.empty() ? "" : fmt::format(" [{}]", counter.unit);
        page.text += entry(path, counter.help + unit);
        page.json.push_back({{"path", path}, {"unit", counter.unit}, {"help", counter.help}});
    };
    for (const Counter& counter : run_counters()) {
        add(counter.path, counter);
    }
    page.text += "\nOf each operator, and of the total:\n";
    for (const Counter& counter : operator_counters()) {
        add(counter.path, counter);
    }
    return page;
}

InfoPage workloads_page() {
    InfoPage page{"", Json{{"workloads", Json::array()}, {"keys", Json::array()}}};
    for (const std::string& name : workload_names()) {
        const Workload workload = load_workload(name, {});
        page.text += entry(name, workload.description);
        page.json["workloads"].push_back({{"name", name},
                                          {"description", workload.description},
                                          {"source", workload.source},
                                          {"operators", workload.operators.size()}});
    }
    const InfoPage keys = keys_page_of(workload_keys());
    page.text += "\nKeys of a workload file (operators are written as [[operator]]):\n" + keys.text;
    page.json["keys"] = keys.json;
    return page;
}

InfoPage chip_page(const std::string& name_or_file) {
    const Machine machine = load_machine(name_or_file);
    InfoPage page;
    page.text = wrap("", machine.name + ": " + machine.description) + "\n\n";
    page.json["name"] = machine.name;
    page.json["description"] = machine.description;
    page.json["values"] = Json::object();
    for (const auto& [key, value] : chip_values(machine)) {
        page.text += wrap(fmt::format("  {:<28}", key), value) + "\n";
        page.json["values"][key] = value;
    }
    add_rates(machine, page);
    return page;
}

} // namespace systole
