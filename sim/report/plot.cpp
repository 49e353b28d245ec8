#include "sim/report/plot.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/report/gnuplot.h"
#include "sim/report/layers.h"
#include "sim/report/numbers.h"
#include "sim/report/plot_panels.h"

namespace systole {

namespace {

constexpr double width = 1000; // a README shows it at 800 or so, its letters then 12 high
constexpr double font_size = 15;
constexpr double title_height = 62;
constexpr double panel_gap = 10;
constexpr std::size_t drawn_rows = 40; // of a network's cycle stack

void draw_title(PlotCanvas& canvas, const RunResult& run) {
    const std::string what =
        run.operators.size() == 1 ? run.operators.front().name : fmt::format("{} operators", run.operators.size());
    canvas.heading(panel_left, 22, fmt::format("{} on {}", clipped(what, 40), clipped(run.chip, 30)));
    canvas.text(panel_left, 46,
                fmt::format("{} cycles = {}, {} of the roofline's speed", run.total.cycles,
                            scaled(run.total.seconds, "s"), percent_text(run.total.roofline_efficiency())),
                Align::left, PlotCanvas::faint);
}

} // namespace

PictureFormat picture_format(const std::filesystem::path& path) {
    if (path.extension() == ".svg") {
        return PictureFormat::svg;
    }
    if (path.extension() == ".png") {
        return PictureFormat::png;
    }
    throw InputError(
        fmt::format("{}: the name of a picture must end in .svg or .png, which says what is drawn", path.string()));
}

void require_plottable(std::size_t operators) {
    if (operators > most_plotted) {
        throw InputError(fmt::format("{} operators are too many for one picture (at most {}; --html takes more)",
                                     operators, most_plotted));
    }
}

std::string plot_script(const Machine& machine, const RunResult& run, PictureFormat format) {
    if (!run.network) {
        require_plottable(run.operators.size());
    }
    RunResult rows = run; // of the cycle stack; every operator has a point under the roofline
    rows.operators = run.network ? drawn_layers(run.operators, drawn_rows) : run.operators;
    const RooflineFigure roofline = roofline_figure(machine, run);
    const std::optional<KneeFigure> knee = knee_figure(machine, run);
    double height =
        title_height + roofline_height(roofline) + panel_gap + stack_height(rows) + panel_gap + waterfall_height(run);
    height += knee ? knee_height() + panel_gap : 0;
    PlotCanvas canvas(width, height, font_size);
    draw_title(canvas, run);
    double top = title_height;
    draw_roofline(canvas, top, roofline);
    top += roofline_height(roofline) + panel_gap;
    if (knee) {
        draw_knee(canvas, top, *knee);
        top += knee_height() + panel_gap;
    }
    draw_stack(canvas, top, rows);
    top += stack_height(rows) + panel_gap;
    draw_waterfall(canvas, top, run);
    return canvas.script(format);
}

std::string roofline_script(const RooflineFigure& figure, const std::string& title, PictureFormat format) {
    require_plottable(figure.points.size());
    constexpr double line = 40;
    PlotCanvas canvas(width, line + roofline_height(figure), font_size);
    canvas.heading(panel_left, line / 2, clipped(title, 80));
    draw_roofline(canvas, line, figure);
    return canvas.script(format);
}

std::string plot_picture(const Machine& machine, const RunResult& run, PictureFormat format) {
    return run_gnuplot(plot_script(machine, run, format));
}

} // namespace systole
