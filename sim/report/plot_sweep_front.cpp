// Time against area: all points, and the line through those that no other one beats in both.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/numbers.h"
#include "sim/report/palette.h"
#include "sim/report/plot_panels.h"
#include "sim/report/plot_sweep.h"

namespace systole {

namespace {

constexpr double frame_left = 96;
constexpr double heading_height = 34;
constexpr double unit_height = 28;
constexpr double frame_height = 320;
constexpr double axis_height = 66;

struct Spot {
    double area = 0;
    double seconds = 0;
    bool on_front = false;
};

std::vector<Spot> spots_of(const SweepData& data) {
    const std::size_t area = data.metric("area");
    const std::size_t seconds = data.metric("seconds");
    std::vector<Spot> spots;
    for (const SweepPoint& point : data.points) {
        if (point.values[area] > 0 && point.values[seconds] > 0) { // not those that are not known
            spots.push_back({point.values[area], point.values[seconds], point.on_front});
        }
    }
    return spots;
}

std::string row(double x, double y) { return fmt::format("{:.9g} {:.9g}", x, y); }

// From whole 1-2-5 steps: the nearest below, or above.
double round_step(double value, bool up) {
    const double decade = decade_below(value);
    double best = up ? 10 * decade : decade;
    for (const double step : {1.0, 2.0, 5.0}) {
        const bool fits = up ? step * decade >= value : step * decade <= value;
        if (fits) {
            best = up ? std::min(best, step * decade) : std::max(best, step * decade);
        }
    }
    return best;
}

PanelAxis axis_around(double least, double most, double first_pixel, double last_pixel) {
    return {round_step(least / 1.1, false), round_step(most * 1.1, true), first_pixel, last_pixel, true};
}

// Within one decade, where powers of ten alone would be one label or none, 2 and 5 have labels too.
std::vector<Tic> tics_of(const PanelAxis& axis, const std::string& unit) {
    std::vector<Tic> tics = decades(axis.from, axis.to, unit);
    if (axis.to / axis.from > 1000) {
        return tics;
    }
    for (Tic& tic : tics) {
        const double lead = tic.at / decade_below(tic.at);
        if (std::abs(lead - 2) < 1e-6 || std::abs(lead - 5) < 1e-6) {
            tic.label = unit.empty() ? scaled_number(tic.at) : scaled(tic.at, unit);
            tic.minor = false;
        }
    }
    return tics;
}

// The front as the boundary it is: from one point straight on to the area of the next, then down to it.
std::vector<std::string> stairs(std::vector<Spot> spots) {
    std::erase_if(spots, [](const Spot& spot) { return !spot.on_front; });
    std::sort(spots.begin(), spots.end(),
              [](const Spot& a, const Spot& b) { return a.area != b.area ? a.area < b.area : a.seconds > b.seconds; });
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < spots.size(); ++i) {
        if (i > 0) {
            rows.push_back(row(spots[i].area, spots[i - 1].seconds));
        }
        rows.push_back(row(spots[i].area, spots[i].seconds));
    }
    return rows;
}

} // namespace

double front_height(const SweepData& data) {
    return spots_of(data).empty() ? 0 : heading_height + unit_height + frame_height + axis_height;
}

void draw_front(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& /*view*/) {
    const std::vector<Spot> spots = spots_of(data);
    const auto [small, large] =
        std::minmax_element(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) { return a.area < b.area; });
    const auto [fast, slow] = std::minmax_element(spots.begin(), spots.end(),
                                                  [](const Spot& a, const Spot& b) { return a.seconds < b.seconds; });
    const double frame_top = top + heading_height + unit_height;
    const PixelBox frame{frame_left, frame_top, canvas.width() - panel_margin, frame_top + frame_height};
    const PanelAxis x = axis_around(small->area, large->area, frame.left, frame.right);
    const PanelAxis y = axis_around(fast->seconds, slow->seconds, frame.bottom, frame.top);
    canvas.begin_panel(frame, x, y);
    canvas.heading(panel_left, top + 14, "Pareto front: no other point has less time and less area");
    canvas.text(panel_left, top + heading_height + 12, "time (log scale)");
    canvas.x_tics(tics_of(x, ""), "area: PEs + SRAM bytes / 318 (log scale)");
    canvas.y_tics(tics_of(y, "s"));
    std::vector<std::string> all;
    std::vector<std::string> front;
    for (const Spot& spot : spots) {
        (spot.on_front ? front : all).push_back(row(spot.area, spot.seconds));
    }
    if (!all.empty()) {
        canvas.series("using 1:2 with points pointtype 7 pointsize 0.6*point_scale linecolor rgb '#999999'", all);
    }
    if (!front.empty()) {
        canvas.series(fmt::format("using 1:2 with lines linewidth 2 linecolor rgb '{}'", simulated_color),
                      stairs(spots));
        canvas.series(
            fmt::format("using 1:2 with points pointtype 7 pointsize point_scale linecolor rgb '{}'", simulated_color),
            front);
    }
    canvas.end_panel();
}

} // namespace systole
