// A coloured cell for each pair of values of two axes.
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
constexpr double heading_height = 40;
constexpr double legend_height = 34;
constexpr double labels_height = 50;
constexpr std::size_t label_length = 24;

struct Look {
    std::string color;
    std::string text;
};

using Looks = std::vector<std::optional<Look>>; // for each cell

double cell_height(std::size_t rows) { return rows <= 12 ? 36 : std::max(8.0, 432.0 / static_cast<double>(rows)); }

PixelBox frame_of(const SweepData& data, const SweepView& view, double canvas_width, double top) {
    double widest = 40;
    if (view.y) {
        for (const std::string& value : data.axes[*view.y].values) {
            widest = std::max(widest, text_width(clipped(value, label_length), font));
        }
    }
    const double frame_top = top + heading_height + legend_height;
    const std::size_t rows = rows_of(data, view);
    return {panel_left + widest + 12, frame_top, canvas_width - panel_margin,
            frame_top + static_cast<double>(rows) * cell_height(rows)};
}

struct Extent {
    double least = INFINITY;
    double most = -INFINITY;
};

Extent extent_of(const SweepData& data, const std::vector<std::optional<std::size_t>>& best, std::size_t metric) {
    Extent extent;
    for (const auto& cell : best) {
        if (cell) {
            extent.least = std::min(extent.least, data.points[*cell].values[metric]);
            extent.most = std::max(extent.most, data.points[*cell].values[metric]);
        }
    }
    return extent;
}

Looks looks_of_values(const SweepData& data, const SweepView& view) {
    const auto best = best_of_cells(data, view, view.value);
    const Extent extent = extent_of(data, best, view.value);
    Looks looks(best.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
        if (best[i]) {
            const double value = data.points[*best[i]].values[view.value];
            const double span = extent.most - extent.least;
            looks[i] = Look{scale_color(span > 0 ? (value - extent.least) / span : 0.5),
                            metric_text(data.metrics[view.value], value)};
        }
    }
    return looks;
}

Looks looks_of_winners(const SweepData& data, const SweepView& view) {
    const auto winners = winners_of_cells(data, view);
    Looks looks(winners.size());
    for (std::size_t i = 0; i < winners.size(); ++i) {
        if (winners[i]) {
            looks[i] = Look{series_color(winners[i]->value), winner_text(data, view, *winners[i])};
        }
    }
    return looks;
}

std::string heading_of(const SweepData& data, const SweepView& view) {
    const std::string over =
        data.axes[view.x].name + (view.y ? fmt::format(" (across) and {} (down)", data.axes[*view.y].name) : "");
    const std::string& metric = data.metrics[view.value].name;
    return view.winner ? fmt::format("Best {} in {}, over {}", data.axes[*view.winner].name, metric, over)
                       : fmt::format("{} over {}", metric, over);
}

void draw_scale(PlotCanvas& canvas, double y, const SweepData& data, const SweepView& view) {
    constexpr int steps = 32;
    constexpr double step = 8;
    const Extent extent = extent_of(data, best_of_cells(data, view, view.value), view.value);
    if (!(extent.least < extent.most)) {
        return;
    }
    const std::string least = metric_text(data.metrics[view.value], extent.least);
    double x = panel_left;
    canvas.text(x, y, least);
    x += text_width(least, font) + 14;
    for (int i = 0; i < steps; ++i) {
        canvas.swatch(x + i * step, y, scale_color(static_cast<double>(i) / (steps - 1)));
    }
    canvas.text(x + steps * step + 4, y, metric_text(data.metrics[view.value], extent.most));
}

void draw_winners_legend(PlotCanvas& canvas, double y, const SweepData& data, const SweepView& view) {
    double x = panel_left + 8;
    for (std::size_t i = 0; i < data.axes[*view.winner].values.size(); ++i) {
        const std::string name = clipped(data.axes[*view.winner].values[i], label_length);
        const double after = x + 14 + text_width(name, font) + 20;
        if (after > canvas.width() - panel_margin - 330) {
            break;
        }
        canvas.swatch(x, y, series_color(i));
        canvas.text(x + 14, y, name);
        x = after;
    }
    canvas.text(canvas.width() - panel_margin, y, "+N %: so much worse is the second best", Align::right,
                PlotCanvas::faint);
}

void draw_labels(PlotCanvas& canvas, const PixelBox& frame, const SweepData& data, const SweepView& view) {
    const auto& across = data.axes[view.x].values;
    const double cell_width = (frame.right - frame.left) / static_cast<double>(across.size());
    double taken = -1e9;
    for (std::size_t i = 0; i < across.size(); ++i) {
        const std::string label = clipped(across[i], label_length);
        const double middle = frame.left + (static_cast<double>(i) + 0.5) * cell_width;
        const double half = text_width(label, font) / 2;
        if (middle - half > taken) {
            canvas.text(middle, frame.bottom + 14, label, Align::centre);
            taken = middle + half + 8;
        }
    }
    canvas.text((frame.left + frame.right) / 2, frame.bottom + 36, clipped(data.axes[view.x].name, 60), Align::centre);
    const std::size_t rows = rows_of(data, view);
    const double height = cell_height(rows);
    const std::size_t every = static_cast<std::size_t>(std::ceil(canvas.line_height() / height));
    for (std::size_t row = 0; view.y && row < rows; row += every) {
        canvas.text(frame.left - 8, frame.top + (static_cast<double>(row) + 0.5) * height,
                    clipped(data.axes[*view.y].values[row], label_length), Align::right);
    }
}

} // namespace

double heatmap_height(const SweepData& data, const SweepView& view) {
    const std::size_t rows = rows_of(data, view);
    return heading_height + legend_height + static_cast<double>(rows) * cell_height(rows) + labels_height;
}

void draw_heatmap(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& view) {
    const PixelBox frame = frame_of(data, view, canvas.width(), top);
    const std::size_t columns = columns_of(data, view);
    const double height = cell_height(rows_of(data, view));
    const double width = (frame.right - frame.left) / static_cast<double>(columns);
    const PanelAxis x{0, static_cast<double>(columns), frame.left, frame.right, false};
    const PanelAxis y{static_cast<double>(rows_of(data, view)), 0, frame.bottom, frame.top, false};
    canvas.begin_panel(frame, x, y);
    canvas.no_axes();
    canvas.heading(panel_left, top + 14, clipped(heading_of(data, view), 90));
    if (view.winner) {
        draw_winners_legend(canvas, top + heading_height + 8, data, view);
    } else {
        draw_scale(canvas, top + heading_height + 8, data, view);
    }
    draw_labels(canvas, frame, data, view);
    const Looks looks = view.winner ? looks_of_winners(data, view) : looks_of_values(data, view);
    std::vector<std::string> boxes;
    for (std::size_t i = 0; i < looks.size(); ++i) {
        if (!looks[i]) {
            continue;
        }
        const auto column = static_cast<double>(i % columns);
        const auto row = static_cast<double>(i / columns);
        boxes.push_back(fmt::format("{} {} {} {} {} {} 0x{}", column + 0.5, row + 0.5, column + 0.01, column + 0.99,
                                    row + 0.02, row + 0.98, looks[i]->color.substr(1)));
        if (height >= canvas.line_height() && text_width(looks[i]->text, font) + 4 <= width) {
            canvas.text(x.pixel(column + 0.5), y.pixel(row + 0.5), looks[i]->text, Align::centre,
                        is_dark(looks[i]->color) ? "#ffffff" : "#000000");
        }
    }
    canvas.series("using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder linecolor rgb variable", boxes);
    canvas.end_panel();
}

} // namespace systole
