#include "sim/report/plot_sweep.h"

#include <fmt/format.h>

#include "sim/report/plot_panels.h"

namespace systole {

namespace {

constexpr double width = 1000;
constexpr double font_size = 15;
constexpr double title_height = 62;
constexpr double panel_gap = 10;

std::string facts(const SweepData& data) {
    std::string text = fmt::format("{} of {} points", data.points.size(), data.total);
    text += data.failed > 0 ? fmt::format(", {} failed", data.failed) : "";
    std::string axes;
    for (const SweepAxis& axis : data.axes) {
        axes += fmt::format("{}{} ({})", axes.empty() ? "" : ", ", axis.name, axis.values.size());
    }
    return text + "; axes: " + axes;
}

} // namespace

std::string sweep_script(const SweepData& data, const SweepView& view, PictureFormat format) {
    require_drawable(data, view);
    using Height = double (*)(const SweepData&, const SweepView&);
    using Draw = void (*)(PlotCanvas&, double, const SweepData&, const SweepView&);
    struct Panel {
        Height height;
        Draw draw;
    };
    // A map of winners stands alone: the other panels do not know that axis.
    std::vector<Panel> panels{{heatmap_height, draw_heatmap}};
    if (!view.winner) {
        panels.push_back({speed_up_height, draw_speed_up});
        panels.push_back({utilizations_height, draw_utilizations});
        panels.push_back({[](const SweepData& of, const SweepView&) { return front_height(of); }, draw_front});
    }
    double height = title_height;
    for (const Panel& panel : panels) {
        const double own = panel.height(data, view);
        height += own > 0 ? own + panel_gap : 0;
    }
    PlotCanvas canvas(width, height, font_size);
    canvas.heading(panel_left, 22, clipped(data.title, 80));
    canvas.text(panel_left, 46, clipped(facts(data), 110), Align::left, PlotCanvas::faint);
    double top = title_height;
    for (const Panel& panel : panels) {
        const double own = panel.height(data, view);
        if (own > 0) {
            panel.draw(canvas, top, data, view);
            top += own + panel_gap;
        }
    }
    return canvas.script(format);
}

} // namespace systole
