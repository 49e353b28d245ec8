// Panels of horizontal bars: the cycle stack of each operator, and the waterfall.
#include <algorithm>

#include <fmt/format.h>

#include "sim/report/numbers.h"
#include "sim/report/palette.h"
#include "sim/report/plot_panels.h"
#include "sim/stats/waterfall.h"

namespace systole {

namespace {

constexpr double font = 15;
constexpr double canvas_width_assumed = 1000;
constexpr double bar_row = 26;
constexpr double heading_height = 34;
constexpr double axis_height = 66;
constexpr double legend_row = 24;
constexpr std::size_t name_length = 24;

std::string bar(double from, double to, double row, const std::string& color) {
    constexpr double half = 0.36;
    return fmt::format("{0:.9g} {1:.9g} {0:.9g} {2:.9g} {3:.6g} {4:.6g} 0x{5}", from, row, to, row - half, row + half,
                       color.substr(1));
}

constexpr const char* bars_style = "using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder linecolor rgb "
                                   "variable";

double name_column(const std::vector<std::string>& names) {
    double widest = 0;
    for (const std::string& name : names) {
        widest = std::max(widest, text_width(clipped(name, name_length), font));
    }
    return panel_left + widest + 12;
}

// Rows from the top: row 0 is the uppermost.
PanelAxis rows_axis(std::size_t rows, const PixelBox& frame) {
    return {static_cast<double>(rows) - 0.4, -0.6, frame.bottom, frame.top, false};
}

void draw_names(PlotCanvas& canvas, const std::vector<std::string>& names, const PixelBox& frame,
                const PanelAxis& axis) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        canvas.text(frame.left - 8, axis.pixel(static_cast<double>(i)), clipped(names[i], name_length), Align::right);
    }
}

std::vector<Cause> causes_of(const RunResult& run) {
    std::vector<Cause> seen;
    for (const Cause cause : all_causes) {
        if (std::any_of(run.operators.begin(), run.operators.end(),
                        [&](const OperatorResult& one) { return one.stack[cause] > 0; })) {
            seen.push_back(cause);
        }
    }
    return seen;
}

struct LegendEntry {
    double x = 0;
    int row = 0;
    Cause cause = Cause::useful;
};

std::vector<LegendEntry> legend_of(const std::vector<Cause>& causes) {
    std::vector<LegendEntry> entries;
    double x = panel_left + 8;
    int row = 0;
    for (const Cause cause : causes) {
        const double width = 16 + text_width(title_of(cause), font) + 22;
        if (x + width > canvas_width_assumed - panel_margin) {
            x = panel_left + 8;
            ++row;
        }
        entries.push_back({x, row, cause});
        x += width;
    }
    return entries;
}

double legend_height(const std::vector<LegendEntry>& entries) {
    return entries.empty() ? 0 : (entries.back().row + 1) * legend_row;
}

double part_of(std::int64_t slots, const OperatorResult& one) {
    return one.pe_slots > 0 ? 100 * static_cast<double>(slots) / static_cast<double>(one.pe_slots) : 0;
}

} // namespace

double stack_height(const RunResult& run) {
    return heading_height + legend_height(legend_of(causes_of(run))) + axis_height +
           bar_row * static_cast<double>(run.operators.size());
}

void draw_stack(PlotCanvas& canvas, double top, const RunResult& run) {
    const std::vector<LegendEntry> legend = legend_of(causes_of(run));
    std::vector<std::string> names;
    for (const OperatorResult& one : run.operators) {
        names.push_back(one.name);
    }
    const double frame_top = top + heading_height + legend_height(legend);
    const PixelBox frame{name_column(names), frame_top, canvas.width() - panel_margin,
                         frame_top + bar_row * static_cast<double>(names.size())};
    const PanelAxis x{0, 100, frame.left, frame.right, false};
    const PanelAxis y = rows_axis(names.size(), frame);
    canvas.begin_panel(frame, x, y);
    canvas.heading(panel_left, top + 12, "Cycle stack: where the PE-slots of each operator went");
    for (const LegendEntry& entry : legend) {
        const double at = top + heading_height + (entry.row + 0.3) * legend_row;
        canvas.swatch(entry.x, at, color_of(entry.cause));
        canvas.text(entry.x + 12, at, title_of(entry.cause));
    }
    canvas.x_tics({{0, "0 %"}, {20, "20 %"}, {40, "40 %"}, {60, "60 %"}, {80, "80 %"}, {100, "100 %"}},
                  "part of the operator's PE-slots");
    draw_names(canvas, names, frame, y);
    std::vector<std::string> bars;
    for (std::size_t i = 0; i < run.operators.size(); ++i) {
        const OperatorResult& one = run.operators[i];
        std::int64_t slots = 0;
        for (const Cause cause : all_causes) {
            const double from = part_of(slots, one);
            slots += one.stack[cause];
            if (one.stack[cause] > 0) {
                bars.push_back(bar(from, part_of(slots, one), static_cast<double>(i), color_of(cause)));
            }
        }
    }
    canvas.series(bars_style, bars);
    canvas.end_panel();
}

namespace {

struct WaterfallRow {
    std::string title;
    std::string color;
    Cycles from = 0;
    Cycles to = 0;
};

std::vector<WaterfallRow> waterfall_rows(const OperatorResult& whole) {
    std::vector<WaterfallRow> rows;
    const std::vector<WaterfallBar> bars = waterfall(whole);
    Cycles upto = 0;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const Cause cause = all_causes.at(i); // one bar for each, in this order
        const Cycles from = upto;
        upto += bars[i].cycles;
        if (bars[i].cycles > 0 || cause == Cause::useful) {
            rows.push_back({cause == Cause::useful ? "T_math" : title_of(cause), color_of(cause), from, upto});
        }
    }
    rows.push_back({"simulated", "#555555", 0, whole.cycles});
    return rows;
}

// Steps of 1, 2 or 5 times a power of ten: five or so of them.
std::vector<Tic> cycle_tics(Cycles cycles) {
    constexpr double wanted = 6;
    const double rough = std::max(1.0, static_cast<double>(cycles) / wanted);
    const double decade = decade_below(rough);
    const double factor = rough / decade > 5 ? 10 : rough / decade > 2 ? 5 : rough / decade > 1 ? 2 : 1;
    std::vector<Tic> tics;
    for (double at = 0; at <= static_cast<double>(cycles); at += factor * decade) {
        tics.push_back({at, scaled_number(at), false});
    }
    return tics;
}

} // namespace

double waterfall_height(const RunResult& run) {
    return heading_height + axis_height + bar_row * static_cast<double>(waterfall_rows(run.total).size());
}

void draw_waterfall(PlotCanvas& canvas, double top, const RunResult& run) {
    const std::vector<WaterfallRow> rows = waterfall_rows(run.total);
    std::vector<std::string> names;
    for (const WaterfallRow& one : rows) {
        names.push_back(one.title);
    }
    constexpr double numbers = 200; // right of the bars: cycles and percent
    const double frame_top = top + heading_height;
    const PixelBox frame{name_column(names), frame_top, canvas.width() - panel_margin - numbers,
                         frame_top + bar_row * static_cast<double>(rows.size())};
    const PanelAxis x{0, static_cast<double>(std::max<Cycles>(1, run.total.cycles)), frame.left, frame.right, false};
    const PanelAxis y = rows_axis(rows.size(), frame);
    canvas.begin_panel(frame, x, y);
    canvas.heading(panel_left, top + 12,
                   run.operators.size() == 1 ? "Waterfall: from the time of the math to the simulated time"
                                             : "Waterfall of the whole run: from the time of the math to the "
                                               "simulated time");
    canvas.x_tics(cycle_tics(run.total.cycles), "cycles");
    draw_names(canvas, names, frame, y);
    std::vector<std::string> bars;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const WaterfallRow& one = rows[i];
        const auto at = static_cast<double>(i);
        bars.push_back(bar(static_cast<double>(one.from), static_cast<double>(one.to), at, one.color));
        const double percent =
            run.total.cycles > 0 ? static_cast<double>(one.to - one.from) / static_cast<double>(run.total.cycles) : 0;
        canvas.text(frame.right + 105, y.pixel(at), count_text(one.to - one.from, 12), Align::right);
        canvas.text(canvas.width() - panel_margin, y.pixel(at), percent_text(percent), Align::right);
    }
    canvas.series(bars_style, bars);
    canvas.end_panel();
}

} // namespace systole
