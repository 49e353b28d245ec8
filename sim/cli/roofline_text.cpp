// `systole roofline` for people: 80 columns.
#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "sim/cli/roofline_answer.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

constexpr std::size_t column = 10;

std::string headed(const std::string& head, const std::string& text) {
    return wrap(fmt::format("{:<{}}", head, column), text) + "\n";
}

std::string bytes_cell(double bytes) {
    return bytes < 1e12 && bytes == std::floor(bytes) ? fmt::format("{:.0f}", bytes) : scaled(bytes, "B");
}

std::string ratio_cell(double value) {
    if (!std::isfinite(value) || value <= 0) {
        return "-";
    }
    return value < 1e4 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

std::string time_cell(double seconds) { return seconds > 0 ? scaled(seconds, "s") : "0 s"; }

std::string level_row(const analytic::LevelResult& level, bool binds) {
    return fmt::format("  {:<8}{:>13}{:>13}{:>13}{:>9}{:>9}{:>11}{}\n", level_label(level.name),
                       std::isfinite(level.bandwidth) ? bandwidth_text(level.bandwidth) : "unlimited",
                       bytes_cell(level.compulsory_bytes), level.tiled_bytes ? bytes_cell(*level.tiled_bytes) : "-",
                       ratio_cell(level.intensity), ratio_cell(level.ridge), time_cell(level.seconds),
                       binds ? " <" : "");
}

std::string math_row(const char* label, double rate, double seconds, bool binds) {
    return fmt::format("  {:<8}{:>13}{:>13}{:>13}{:>9}{:>9}{:>11}{}\n", label, scaled(rate, "FLOP/s"), "", "", "", "",
                       time_cell(seconds), binds ? " <" : "");
}

std::string table(const analytic::Result& result) {
    std::string text = fmt::format("{:<10}{:>13}{:>13}{:>13}{:>9}{:>9}{:>11}\n", "Roofline", "rate", "bytes",
                                   "tiled bytes", "FLOP/B", "ridge", "time");
    text += math_row("compute", result.peak, result.math_s, result.bound == "compute");
    if (result.vector_s > 0) {
        text += math_row("vector", result.vector_peak, result.vector_s, result.bound == "vector");
    }
    for (const analytic::LevelResult& level : result.levels) {
        text += level_row(level, result.bound == level.name);
    }
    text +=
        fmt::format("  lower bound {} ({}), upper bound {}\n", time_cell(result.lower_bound_s),
                    result.bound == "compute" ? "compute" : level_label(result.bound), time_cell(result.upper_bound_s));
    return text + fmt::format("  attainable {}, {} of the peak\n", scaled(result.attainable, "FLOP/s"),
                              percent_text(result.utilization));
}

std::string shape_text(const RooflineOperator& one) {
    const analytic::Work& work = one.result.work;
    std::string text = work.name + ":";
    for (const auto& [key, value] : work.shape) {
        text += fmt::format(" {} {:.0f},", key, value);
    }
    return text + fmt::format(" {}{}; {}, compulsory {}", one.dtype,
                              one.sparsity == "dense" ? "" : ", B " + one.sparsity, scaled(one.result.flops(), "FLOP"),
                              scaled(work.bytes(), "B"));
}

// Of a long name its end tells operators apart: "~[31].query_product".
std::string name_cell(const std::string& name) {
    constexpr std::size_t width = 19;
    return name.size() <= width ? name : "~" + name.substr(name.size() - width + 1);
}

std::string list(const RooflineAnswer& answer) {
    std::string text = fmt::format("{:<21}{:>14}{:>13}{:>9}{:>14}  {}\n", "Operators", "work", "bytes", "FLOP/B",
                                   "lower bound", "bound");
    for (const RooflineOperator& one : answer.operators) {
        const analytic::Work& work = one.result.work;
        text += fmt::format("  {:<19}{:>14}{:>13}{:>9}{:>14}  {}\n", name_cell(work.name),
                            scaled(one.result.flops(), "FLOP"), bytes_cell(work.bytes()),
                            ratio_cell(one.result.flops() / work.bytes()), time_cell(one.result.lower_bound_s),
                            one.result.bound);
    }
    return text;
}

std::string number_text(const RooflineNumber& quantity) {
    if (!std::isfinite(quantity.value)) {
        return "none";
    }
    if (quantity.unit == "FLOP/s" || quantity.unit == "B/s" || quantity.unit == "s" || quantity.unit == "B" ||
        quantity.unit == "FLOP" || quantity.unit == "MAC") {
        return scaled(quantity.value, quantity.unit);
    }
    if (quantity.unit == "parameters") {
        return scaled(quantity.value, "");
    }
    const std::string number = fmt::format("{:.6g}", quantity.value);
    return quantity.unit.empty() ? number : number + " " + quantity.unit;
}

} // namespace

std::string level_label(const std::string& name) {
    if (name == "pcie") {
        return "PCIe";
    }
    if (name == "link" || name == "vector" || name == "compute") {
        return name;
    }
    std::string label = name;
    std::transform(label.begin(), label.end(), label.begin(), [](unsigned char c) { return std::toupper(c); });
    return label;
}

std::string roofline_text(const RooflineAnswer& answer) {
    std::string text;
    if (!answer.chip.empty()) {
        text += headed("Chip", answer.chip + ": " + answer.chip_text) + "\n";
    }
    if (answer.operators.size() == 1) {
        text += headed("Operator", shape_text(answer.operators.front())) + "\n";
        text += table(answer.operators.front().result);
    } else if (!answer.operators.empty()) {
        std::vector<analytic::Result> parts;
        for (const RooflineOperator& one : answer.operators) {
            parts.push_back(one.result);
        }
        text += list(answer) + "\n" + table(analytic::total(parts));
    }
    if (!answer.quantities.empty()) {
        text += answer.operators.empty() ? "Results\n" : "\nResults\n";
        for (const RooflineNumber& quantity : answer.quantities) {
            text += fmt::format("  {:<52}{:>24}\n", quantity.label, number_text(quantity));
        }
    }
    for (const std::string& skipped : answer.skipped) {
        text += "\n" + wrap("Left out: ", skipped) + "\n";
    }
    return text;
}

} // namespace systole
