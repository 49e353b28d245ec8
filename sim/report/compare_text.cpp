// The comparison for people: each operator's levels, its waterfall, explanations; then the whole run and what a faster
// part would save.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/compare.h"
#include "sim/report/numbers.h"
#include "sim/report/text.h"
#include "sim/report/wrap.h"
#include "sim/stats/level_comparison.h"
#include "sim/stats/waterfall.h"

namespace systole {

namespace {

std::string label(const std::string& level) {
    return level == "pcie" ? "PCIe" : level == "vmem" ? "VMEM" : level == "hbm" ? "HBM" : level;
}

std::string percent(double fraction) { return fmt::format("{:.2f} %", 100 * fraction); }

// Bytes three ways, the time of the compulsory ones, and how much of the simulated time that is.
std::string levels_table(const OperatorResult& result) {
    const Roofline& roofline = result.roofline;
    const auto mark = [&](const std::string& level) { return roofline.bound == level ? " <- bound" : ""; };
    std::string text = fmt::format("  {:<8}{:>12}{:>12}{:>12}{:>13}{:>12}\n", "Level", "compulsory", "tiled",
                                   "simulated", "roofline", "of the run");
    const auto unit = [&](const char* name, double seconds) {
        const double share = result.seconds > 0 ? seconds / result.seconds : 0;
        text += fmt::format("  {:<8}{:>12}{:>12}{:>12}{:>13}{:>12}{}\n", name, "", "", "", scaled(seconds, "s"),
                            percent(share), mark(name));
    };
    unit("compute", roofline.t_math_s);
    if (roofline.t_vector_s > 0) {
        unit("vector", roofline.t_vector_s);
    }
    const auto host = roofline.levels.find("host");
    if (host != roofline.levels.end()) {
        unit("host", host->second.seconds);
    }
    for (const LevelComparison& level : compare_levels(result)) {
        text += fmt::format("  {:<8}{:>12}{:>12}{:>12}{:>13}{:>12}{}\n", label(level.level),
                            count_text(level.compulsory_bytes, 11), count_text(level.tiled_bytes, 11),
                            count_text(level.simulated_bytes, 11), scaled(level.roofline_seconds, "s"),
                            percent(level.busy_fraction), mark(level.level));
    }
    text += fmt::format("  lower bound {}, upper bound {}, simulated {}:\n", scaled(roofline.lower_bound_s, "s"),
                        scaled(roofline.upper_bound_s, "s"), scaled(result.seconds, "s"));
    text += fmt::format("  roofline efficiency {}, gap {}\n", percent(result.roofline_efficiency()),
                        percent(result.roofline_gap()));
    return text;
}

// Each bar begins where the one before ends.
std::string waterfall_table(const OperatorResult& result) {
    constexpr double width = 34;
    const double whole = static_cast<double>(std::max<Cycles>(1, result.cycles));
    std::string text = fmt::format("  {:<16}{:>14}{:>10}\n", "Waterfall", "cycles", "%");
    Cycles below = 0;
    for (const WaterfallBar& bar : waterfall(result)) {
        if (bar.cycles > 0) {
            const double begin = width * static_cast<double>(below) / whole;
            const double end = width * static_cast<double>(below + bar.cycles) / whole;
            const auto from = static_cast<std::size_t>(std::min(begin, width - 1));
            const auto to = std::max(from + 1, static_cast<std::size_t>(std::lround(end)));
            text += fmt::format("  {:<16}{:>14}{:>10.2f}  {}{}\n", bar.cause, bar.cycles,
                                100 * static_cast<double>(bar.cycles) / whole, std::string(from, ' '),
                                std::string(to - from, '#'));
        }
        below += bar.cycles;
    }
    return text + fmt::format("  {:<16}{:>14}{:>10.2f}  = {}\n", "simulated", result.cycles, 100.0,
                              scaled(result.seconds, "s"));
}

std::string explanations_text(const Machine& machine, const OperatorResult& result) {
    std::string text;
    for (const Explanation& one : explain(machine, result)) {
        text += wrap(fmt::format("  {:<16}", name(one.cause)), one.what + ". To shrink it: " + one.cure + ".") + "\n";
    }
    return text.empty() ? "" : "\n  Why, and what would help\n" + text;
}

std::string part(const Comparison& comparison, const OperatorResult& result) {
    std::string text = levels_table(result) + "\n" + waterfall_table(result);
    return comparison.explain ? text + explanations_text(comparison.machine, result) : text;
}

std::string sensitivity_text(const std::vector<SensitivityRow>& rows, const OperatorResult& total) {
    std::string text = fmt::format("Sensitivity, one change at a time, of the {} cycles of the run\n", total.cycles);
    text += fmt::format("  {:<26}{:>15}{:>15}{:>14}{:>8}\n", "key", "from", "to", "saves", "%");
    for (const SensitivityRow& row : rows) {
        text += fmt::format("  {:<26}{:>15}{:>15}", row.key, row.from, row.to);
        if (!row.not_possible.empty()) {
            text += "   not possible\n" + wrap("      ", row.not_possible) + "\n";
            continue;
        }
        const double percents =
            100 * static_cast<double>(row.saved) / static_cast<double>(std::max<Cycles>(1, total.cycles));
        const double rounded = std::round(100 * percents) / 100 + 0.0; // no "-0.00"
        text += fmt::format("{:>14}{:>8.2f}\n", count_text(row.saved, 13), rounded);
    }
    return text;
}

std::string operators_part(const Comparison& comparison) {
    const RunResult& run = comparison.run;
    std::string text;
    if (run.network) {
        text += "\n" + layers_text(run, comparison.rows);
    } else if (run.operators.size() > 1) {
        text += "\n" + operators_text(run);
    }
    if (run.network && comparison.rows != LayerRows::detail && run.operators.size() > few_operators) {
        return text;
    }
    for (const OperatorResult& one : run.operators) {
        const std::string head =
            run.network ? wrap("Layer     ", layer_title(one)) + "\n" : problem_text(comparison.machine, one);
        text += "\n" + head + part(comparison, one);
    }
    return text;
}

} // namespace

std::string compare_text(const Comparison& comparison) {
    const RunResult& run = comparison.run;
    std::string text = machine_text(comparison.machine, run) + operators_part(comparison);
    if (run.operators.size() != 1) {
        text += "\nThe whole run\n" + part(comparison, run.total);
    }
    if (comparison.sensitivity) {
        text += "\n" + sensitivity_text(*comparison.sensitivity, run.total);
    }
    return text;
}

} // namespace systole
