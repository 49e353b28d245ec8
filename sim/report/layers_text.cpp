// How the table of a network's operators is printed.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "sim/report/layers.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

constexpr std::size_t both_columns = 36; // name and what it is
constexpr std::string_view columns = "kind MxNxK";

// Five letters at most. Nothing for what is no loss.
constexpr std::array<const char*, all_causes.size()> short_causes{"",    "pad",  "load", "fill", "vmem", "space",
                                                                  "hbm", "late", "pcie", "vec",  "ctrl"};

std::string clipped(const std::string& text, std::size_t width) {
    return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

// The end of a name tells more than its beginning, which many have in common.
std::string clipped_name(const std::string& whole, std::size_t width) {
    const auto name = printable(whole);
    return name.size() <= width ? name : "~" + name.substr(name.size() - width + 1);
}

std::string shape_of(const OperatorResult& one) {
    if (one.m == 0)
        return "";
    return fmt::format(" {}x{}x{}{}", one.m, one.n, one.k, one.count > 1 ? fmt::format(" x{}", one.count) : "");
}

// The kind, shortened to what its shape leaves of `width`.
std::string what_of(const OperatorResult& one, std::size_t width) {
    const auto shape = shape_of(one);
    const std::size_t room = std::max<std::size_t>(4, width - std::min(width, shape.size()));
    return clipped(clipped(one.kind, room) + shape, width);
}

std::string bound_of(const OperatorResult& one) {
    const auto& bound = one.roofline.bound;
    return bound == "compute" ? "math" : bound == "vector" ? "vec" : bound;
}

// The cause with the most slots beside useful ones.
std::string lost_to(const OperatorResult& one) {
    std::string_view most;
    std::int64_t slots = 0;
    for (const Cause cause : all_causes) {
        if (cause != Cause::useful && one.stack[cause] > slots) {
            slots = one.stack[cause];
            most = short_causes[static_cast<std::size_t>(cause)];
        }
    }
    return std::string(most);
}

// Three digits that count: "999", "12.3k", "1.23M".
std::string short_count(Bytes bytes) {
    constexpr std::array symbols{"", "k", "M", "G", "T", "P", "E"};
    auto value = static_cast<double>(bytes);
    std::size_t step = 0;
    for (; value >= 999.5; value /= 1000)
        ++step;
    const int decimals = step == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}{}", value, decimals, symbols[step]);
}

struct Widths {
    std::size_t name = 0;
    std::size_t what = 0;
};

Widths widths_of(const std::vector<OperatorResult>& rows) {
    Widths most{6, columns.size()};
    for (const auto& one : rows) {
        most.name = std::max(most.name, one.name.size());
        most.what = std::max(most.what, one.kind.size() + shape_of(one).size());
    }
    most.what = std::min(most.what, std::max<std::size_t>(21, both_columns - std::min(both_columns, most.name)));
    most.name = both_columns - most.what;
    return most;
}

std::string row_of(const OperatorResult& one, const Widths& widths, Cycles all) {
    const double time = 100 * static_cast<double>(one.cycles) / static_cast<double>(std::max<Cycles>(1, all));
    auto row = fmt::format(
        "{:<{}} {:<{}}{:>9}{:>6.1f}{:>5.0f}{:>6.0f}{:>6} {:<5}{}", clipped_name(one.name, widths.name), widths.name,
        what_of(one, widths.what), widths.what, count_text(one.cycles, 8), time, 100 * one.array_utilization(),
        100 * one.roofline_efficiency(), short_count(one.traffic.hbm.total()), bound_of(one), lost_to(one));
    row.erase(row.find_last_not_of(' ') + 1);
    return row + "\n";
}

std::string legend() {
    std::string text = "lost: the largest part of what was not useful; ";
    for (const Cause cause : {Cause::padding, Cause::stationary_load, Cause::fill_drain, Cause::vmem_capacity,
                              Cause::hbm_bandwidth, Cause::hbm_latency, Cause::vector, Cause::control})
        text += fmt::format("{}{} = {}", cause == Cause::padding ? "" : ", ",
                            short_causes[static_cast<std::size_t>(cause)], name(cause));
    return wrap("  ", text + ". arr: part of the array's slots with a MAC; roof: roofline efficiency; HBM: bytes.");
}

} // namespace

std::string layer_title(const OperatorResult& one) {
    auto title = fmt::format("{}, {}", clipped_name(one.name, 60), one.kind);
    if (one.m > 0)
        title += fmt::format(", {} x {} x {} (M x N x K)", one.m, one.n, one.k);
    if (one.m > 0 && one.count > 1)
        title += fmt::format(", {} times", one.count);
    return title;
}

std::string layers_text(const RunResult& run, LayerRows wanted) {
    const bool fold = wanted == LayerRows::folded && run.operators.size() > unfolded_operators;
    const auto rows = fold ? folded_layers(run.operators) : run.operators;
    const auto widths = widths_of(rows);
    auto text = fmt::format("{:<{}} {:<{}}{:>9}{:>6}{:>5}{:>6}{:>6} {:<5}{}\n", "Layers", widths.name, columns,
                            widths.what, "cycles", "time%", "arr%", "roof%", "HBM", "by", "lost");
    for (const auto& one : rows)
        text += row_of(one, widths, run.total.cycles);
    text += (rows.empty() ? "  none: all operators are views, which cost nothing" : legend()) + "\n";
    if (rows.size() < run.operators.size()) {
        text += wrap("  ", fmt::format("{} operators; repetitions of a block share a row (--layers all: a row for "
                                       "each). Operators that cost nothing (reshape, slice, concat) have none.",
                                       run.operators.size())) +
                "\n";
    }
    for (const auto& skipped : run.skipped)
        text += wrap("  left out: ", skipped) + "\n";
    return text;
}

} // namespace systole
