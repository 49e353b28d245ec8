// Utilization over M: where a product turns from memory bound to compute bound.
#include <cmath>

#include <fmt/format.h>

#include "sim/report/palette.h"
#include "sim/report/plot_panels.h"

namespace systole {

namespace {

constexpr double frame_left = 80;
constexpr double above = 60;
constexpr double frame_height = 320;
constexpr double below = 70;
constexpr double font = 15;

std::vector<Tic> batch_tics(const KneeFigure& figure, const PanelAxis& axis) {
    std::vector<Tic> tics;
    double last = -1e9;
    for (const KneePoint& point : figure.points) {
        const std::string label = fmt::format("{}", point.m);
        const double at = axis.pixel(static_cast<double>(point.m));
        const double half = text_width(label, font) / 2 + 3;
        const bool room = at - half > last;
        tics.push_back({static_cast<double>(point.m), room ? label : "", !room});
        last = room ? at + half : last;
    }
    return tics;
}

void draw_mark(PlotCanvas& canvas, const PixelBox& frame, double x, const char* color, const char* dash) {
    canvas.line(x, frame.bottom, x, frame.top, fmt::format("linewidth 2 {} linecolor rgb '{}'", dash, color));
}

} // namespace

double knee_height() { return above + frame_height + below; }

void draw_knee(PlotCanvas& canvas, double top, const KneeFigure& figure) {
    const PixelBox frame{frame_left, top + above, canvas.width() - panel_margin, top + above + frame_height};
    const PanelAxis x{static_cast<double>(figure.points.front().m) / 1.3,
                      static_cast<double>(figure.points.back().m) * 1.3, frame.left, frame.right, true};
    const PanelAxis y{0, 105, frame.bottom, frame.top, false};
    canvas.begin_panel(frame, x, y);
    canvas.heading(panel_left, top + 14,
                   fmt::format("The knee: {} [M,{}] x [{},{}], speed over the number of rows M", figure.format,
                               figure.k, figure.k, figure.n));
    canvas.text(panel_left, top + 42, "% of peak", Align::left);
    canvas.x_tics(batch_tics(figure, x), "M, rows of A (log scale)");
    canvas.y_tics({{0, "0"}, {20, "20"}, {40, "40"}, {60, "60"}, {80, "80"}, {100, "100"}});

    struct Entry {
        std::string text;
        const char* color;
        const char* dash;
        std::optional<double> at;
    };
    const std::string level = level_title(figure.level);
    const auto finite = [](double value) {
        return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
    };
    const auto batch = [](double value) { return std::isfinite(value) ? fmt::format("{:.1f}", value) : "none"; };
    const std::vector<Entry> entries{
        {"rule, " + level + " ridge: " + batch(figure.rule), PlotCanvas::faint, "dashtype 3", finite(figure.rule)},
        {"critical batch, exact: " + batch(figure.critical_batch), analytic_color, "dashtype 2",
         finite(figure.critical_batch)},
        {"simulated knee: " + (figure.simulated_knee ? batch(*figure.simulated_knee) : "none in this range"),
         simulated_color, "dashtype 1", figure.simulated_knee}};
    double entry_y = frame.bottom - 4.6 * canvas.line_height();
    const double entry_x = frame.right - 300;
    for (const Entry& entry : entries) {
        entry_y += canvas.line_height();
        canvas.line(entry_x, entry_y, entry_x + 36, entry_y,
                    fmt::format("linewidth 2 {} linecolor rgb '{}'", entry.dash, entry.color));
        canvas.text(entry_x + 44, entry_y, entry.text);
        if (entry.at && *entry.at > x.from && *entry.at < x.to) {
            draw_mark(canvas, frame, x.pixel(*entry.at), entry.color, entry.dash);
        }
    }
    std::vector<std::string> analytic;
    std::vector<std::string> simulated;
    for (const KneePoint& point : figure.points) {
        analytic.push_back(fmt::format("{} {:.6g}", point.m, 100 * point.analytic));
        simulated.push_back(fmt::format("{} {:.6g}", point.m, 100 * point.simulated));
    }
    canvas.series(
        fmt::format("using 1:2 with linespoints pointtype 6 pointsize point_scale linewidth 1.5 linecolor rgb '{}'",
                    analytic_color),
        analytic);
    canvas.series(
        fmt::format("using 1:2 with linespoints pointtype 7 pointsize 0.8*point_scale linewidth 1.5 linecolor rgb '{}'",
                    simulated_color),
        simulated);
    canvas.end_panel();
}

} // namespace systole
