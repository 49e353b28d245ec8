// Speed-up over the values of one axis, and the points in two planes: utilization, time and area.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/numbers.h"
#include "sim/report/palette.h"
#include "sim/report/plot_panels.h"
#include "sim/report/plot_sweep.h"

namespace systole {

namespace {

constexpr double font = 15;
constexpr double frame_left = 96;
constexpr double heading_height = 34;
constexpr double legend_row = 24;
constexpr double unit_height = 28;
constexpr double frame_height = 300;
constexpr double axis_height = 66;
constexpr std::size_t label_length = 20;

// Where the names of the rows stand, one beside the other, in several lines if need be.
std::vector<std::pair<double, int>> legend_places(const SweepData& data, const SweepView& view) {
    std::vector<std::pair<double, int>> places;
    double x = panel_left + 8;
    int line = 0;
    for (std::size_t i = 0; view.y && i < data.axes[*view.y].values.size(); ++i) {
        const double wide = 36 + text_width(clipped(data.axes[*view.y].values[i], label_length), font);
        if (x + wide > 1000 - panel_margin) {
            x = panel_left + 8;
            ++line;
        }
        places.emplace_back(x, line);
        x += wide;
    }
    return places;
}

double legend_height(const SweepData& data, const SweepView& view) {
    const auto places = legend_places(data, view);
    return places.empty() ? 0 : (places.back().second + 1) * legend_row;
}

void draw_legend(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& view) {
    const auto places = legend_places(data, view);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double y = top + (places[i].second + 0.5) * legend_row;
        canvas.swatch(places[i].first, y, series_color(i));
        canvas.text(places[i].first + 14, y, clipped(data.axes[*view.y].values[i], label_length));
    }
}

PixelBox frame_below(const PlotCanvas& canvas, double top) {
    return {frame_left, top, canvas.width() - panel_margin, top + frame_height};
}

std::string points_style(const std::string& color, bool joined, double size = 0.8) {
    return fmt::format("using 1:2 with {} pointtype 7 pointsize {}*point_scale linewidth 2 linecolor rgb '{}'",
                       joined ? "linespoints" : "points", size, color);
}

std::size_t series_of(const SweepPoint& point, const SweepView& view) { return view.y ? point.at[*view.y] : 0; }

// Five or so round steps.
std::vector<Tic> linear_tics(double to, const std::string& unit) {
    const double rough = to / 5;
    const double decade = decade_below(rough);
    const double step = decade * (rough / decade > 5 ? 10 : rough / decade > 2 ? 5 : rough / decade > 1 ? 2 : 1);
    std::vector<Tic> tics;
    for (int i = 0; i * step <= to * (1 + 1e-9); ++i) {
        tics.push_back({i * step, scaled_number(i * step) + unit, false});
    }
    return tics;
}

struct SpeedUp {
    std::vector<std::optional<std::size_t>> best;
    std::vector<double> reference; // of each row, in seconds; 0: it has no point
    double most = 1;
};

// 1 is the first point of all; of each row where the rows do different work.
SpeedUp speed_up_of(const SweepData& data, const SweepView& view) {
    const std::size_t seconds = data.metric("seconds");
    const std::size_t columns = columns_of(data, view);
    const bool own_references = view.y && data.axes[*view.y].changes_work;
    SpeedUp speed{best_of_cells(data, view, seconds), std::vector<double>(rows_of(data, view)), 1};
    double first = 0;
    for (std::size_t i = 0; i < speed.best.size(); ++i) {
        if (!speed.best[i]) {
            continue;
        }
        const double own = data.points[*speed.best[i]].values[seconds];
        double& reference = speed.reference[i / columns];
        first = first > 0 ? first : own;
        reference = !own_references ? first : reference > 0 ? reference : own;
        speed.most = std::max(speed.most, reference / own);
    }
    return speed;
}

std::string reference_name(const SweepData& data, const SweepView& view, const SpeedUp& speed) {
    if (view.y && data.axes[*view.y].changes_work) {
        return "the first of each";
    }
    const auto first = std::find_if(speed.best.begin(), speed.best.end(), [](const auto& cell) { return cell; });
    const SweepPoint& point = data.points[**first];
    std::string name = data.axes[view.x].values[point.at[view.x]];
    if (view.y) {
        name += ", " + data.axes[*view.y].values[point.at[*view.y]];
    }
    return clipped(name, 40);
}

} // namespace

double speed_up_height(const SweepData& data, const SweepView& view) {
    if (columns_of(data, view) < 2 || data.axes[view.x].changes_work) {
        return 0; // a curve has two points at least, and they do the same work
    }
    return heading_height + legend_height(data, view) + unit_height + frame_height + axis_height;
}

void draw_speed_up(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& view) {
    const SpeedUp speed = speed_up_of(data, view);
    const std::size_t columns = columns_of(data, view);
    const double legend_top = top + heading_height;
    const double unit_top = legend_top + legend_height(data, view);
    const PixelBox frame = frame_below(canvas, unit_top + unit_height);
    const PanelAxis x{-0.3, static_cast<double>(columns) - 0.7, frame.left, frame.right, false};
    canvas.begin_panel(frame, x, {0, 1.06 * speed.most, frame.bottom, frame.top, false});
    canvas.heading(panel_left, top + 14,
                   fmt::format("Speed-up over {} (time of {} = 1)", clipped(data.axes[view.x].name, 40),
                               reference_name(data, view, speed)));
    draw_legend(canvas, legend_top, data, view);
    canvas.text(panel_left, unit_top + 12, "times as fast");
    std::vector<Tic> tics;
    double taken = -1e9;
    for (std::size_t i = 0; i < columns; ++i) {
        const std::string label = clipped(data.axes[view.x].values[i], label_length);
        const double half = text_width(label, font) / 2 + 4;
        const bool room = x.pixel(static_cast<double>(i)) - half > taken;
        tics.push_back({static_cast<double>(i), room ? label : "", !room});
        taken = room ? x.pixel(static_cast<double>(i)) + half : taken;
    }
    canvas.x_tics(tics, clipped(data.axes[view.x].name, 60));
    canvas.y_tics(linear_tics(1.06 * speed.most, ""));
    for (std::size_t row = 0; row < rows_of(data, view); ++row) {
        std::vector<std::string> rows;
        for (std::size_t column = 0; column < columns; ++column) {
            if (const auto& cell = speed.best[row * columns + column]) {
                rows.push_back(
                    fmt::format("{} {:.6g}", column, speed.reference[row] / data.value(data.points[*cell], "seconds")));
            }
        }
        if (!rows.empty()) {
            canvas.series(points_style(series_color(row), true), rows);
        }
    }
    canvas.end_panel();
}

double utilizations_height(const SweepData& data, const SweepView& view) {
    return heading_height + legend_height(data, view) + unit_height + frame_height + axis_height;
}

void draw_utilizations(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& view) {
    const double unit_top = top + heading_height + legend_height(data, view);
    const PixelBox frame = frame_below(canvas, unit_top + unit_height);
    canvas.begin_panel(frame, {0, 104, frame.left, frame.right, false}, {0, 104, frame.bottom, frame.top, false});
    canvas.heading(panel_left, top + 14, "Array utilization: what the roofline allows, and what was simulated");
    draw_legend(canvas, top + heading_height, data, view);
    canvas.text(panel_left, unit_top + 12, "simulated");
    canvas.x_tics(linear_tics(100, " %"), "allowed by the roofline");
    canvas.y_tics(linear_tics(100, " %"));
    std::vector<std::vector<std::string>> series(rows_of(data, view));
    for (const SweepPoint& point : data.points) {
        series[series_of(point, view)].push_back(fmt::format("{:.6g} {:.6g}",
                                                             100 * data.value(point, "roofline_utilization"),
                                                             100 * data.value(point, "array_utilization")));
    }
    canvas.series(fmt::format("using 1:2 with lines dashtype 2 linecolor rgb '{}'", PlotCanvas::faint),
                  {"0 0", "104 104"});
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (!series[i].empty()) {
            canvas.series(points_style(series_color(i), false), series[i]);
        }
    }
    canvas.end_panel();
}

} // namespace systole
