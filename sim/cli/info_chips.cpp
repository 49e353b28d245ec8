// `systole info chips` and `systole info CHIP`: what a chip can do at most, by format and level.
#include <cmath>

#include <fmt/format.h>

#include "sim/cli/info_entry.h"
#include "sim/cli/info_tables.h"
#include "sim/cli/roofline_answer.h"
#include "sim/config/load.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"
#include "sim/roofline/chip_roofs.h"

namespace systole {

namespace {

using analytic::Level;
using analytic::Rates;
using analytic::Roofs;

Roofs roofs_of(const Machine& machine, Format format, Rates rates) {
    return analytic::chip_roofs(machine, {format, format, format}, rates);
}

std::string bandwidth_cell(const Level& level) {
    return std::isfinite(level.bandwidth) ? bandwidth_text(level.bandwidth) : "unlimited";
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string ridge_text(double ridge) {
    return ridge < 1e4 ? fmt::format("{:.4g}", ridge) : fmt::format("{:.0f}", ridge);
}

constexpr const char* legend = "\nPeaks in FLOP/s; ridges in FLOP per byte, above which a level does not limit.\n";

// Peak of each format, and bandwidth and ridges of each level, nearest to the math first.
std::string rates_text(const Machine& machine, Rates rates) {
    const std::vector<Format> formats = analytic::formats_of(machine, rates);
    std::string head = fmt::format("  {:<6}{:>12}", "", "bandwidth");
    std::string peaks = fmt::format("  {:<6}{:>12}", "peak", "");
    for (const Format format : formats) {
        head += fmt::format("{:>10}", name(format));
        peaks += fmt::format("{:>10}", scaled(roofs_of(machine, format, rates).peak, ""));
    }
    std::string text = head + "\n" + peaks + "\n";
    for (const Level& level : roofs_of(machine, formats.front(), rates).levels) {
        text += fmt::format("  {:<6}{:>12}", level_label(level.name), bandwidth_cell(level));
        for (const Format format : formats) {
            const bool limited = std::isfinite(level.bandwidth);
            const double ridge = roofs_of(machine, format, rates).peak / level.bandwidth;
            text += fmt::format("{:>10}", limited ? ridge_text(ridge) : "-");
        }
        text += "\n";
    }
    return text;
}

void add_rates(const Machine& machine, Rates rates, Json& json) {
    for (const Format format : analytic::formats_of(machine, rates)) {
        const Roofs roofs = roofs_of(machine, format, rates);
        const std::string format_name(name(format));
        json["peak_flops"][format_name] = roofs.peak;
        for (const Level& level : roofs.levels) {
            json["bandwidth"][level.name] = finite(level.bandwidth);
            const bool limited = std::isfinite(level.bandwidth);
            json["ridge"][format_name][level.name] = limited ? Json(roofs.peak / level.bandwidth) : Json(nullptr);
        }
    }
}

// "512 GFLOP/s in int8, ..."
std::string peaks_text(const Machine& machine, Rates rates) {
    std::string text;
    for (const Format format : analytic::formats_of(machine, rates)) {
        text += (text.empty() ? "" : ", ") +
                fmt::format("{} in {}", scaled(roofs_of(machine, format, rates).peak, "FLOP/s"), name(format));
    }
    return text;
}

// What the data sheet states beside the machine.
bool has_data_sheet(const Machine& machine) { return !machine.nominal.flops.empty(); }

} // namespace

InfoPage chips_page() {
    InfoPage page{"Peaks, bandwidths and ridges of each chip: by its data sheet where it has one.\n", Json::array()};
    page.text += missing_files_hint(chip_names(), "chips");
    for (const std::string& chip : chip_names()) {
        const Machine machine = load_machine(chip);
        page.text += "\n" + wrap(chip + ": ", machine.description) + "\n";
        if (machine.roofline_only) {
            page.text += "  (for `systole roofline` alone)\n";
        }
        page.text += rates_text(machine, Rates::nominal);
        Json one{{"name", chip},
                 {"description", machine.description},
                 {"file", machine.file},
                 {"roofline_only", machine.roofline_only}};
        add_rates(machine, Rates::nominal, one);
        page.json.push_back(one);
    }
    page.text += legend;
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
        page.text += wrap(fmt::format("  {:<32}", key), value) + "\n";
        page.json["values"][key] = value;
    }
    if (!machine.roofline_only) {
        page.text += "\n" + wrap("The simulated machine: ", peaks_text(machine, Rates::machine)) + "\n" +
                     rates_text(machine, Rates::machine);
        add_rates(machine, Rates::machine, page.json);
    }
    if (has_data_sheet(machine)) {
        page.text += "\n" + wrap("The data sheet: ", peaks_text(machine, Rates::nominal)) + "\n" +
                     rates_text(machine, Rates::nominal);
        add_rates(machine, Rates::nominal, page.json["nominal"]);
    }
    page.text += legend;
    return page;
}

} // namespace systole
