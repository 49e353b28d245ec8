// The roofline panel: log-log, every roof with its name along it, ridges named above the frame.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sim/report/numbers.h"
#include "sim/report/palette.h"
#include "sim/report/plot_panels.h"

namespace systole {

namespace {

constexpr double frame_left = 125;
constexpr double canvas_width_assumed = 1000; // heights are asked for before there is a canvas
constexpr double above = 66;                  // heading and legend
constexpr double below = 70;                  // tics and the axis' name
constexpr double right = 215;                 // of the frame: the names of the peaks
constexpr double ridge_row = 20;
constexpr double font = 15;
constexpr const char* label_color = "#a64700"; // the simulated points' colour, darker, as letters are thin

struct Ridge {
    double at = 0;
    std::string label;
    int row = 0;
};

struct Geometry {
    PanelAxis x;
    PanelAxis y;
    double frame_height = 0;
    std::vector<Ridge> ridges;
    int ridge_rows = 0;

    double height() const { return above + ridge_rows * ridge_row + frame_height + below; }
};

void widen(PanelAxis& axis, double value) {
    if (std::isfinite(value) && value > 0) {
        axis.from = std::min(axis.from, value);
        axis.to = std::max(axis.to, value);
    }
}

void set_ranges(Geometry& geometry, const RooflineFigure& figure) {
    constexpr double margin = 4; // the factor between the data and the frame
    PanelAxis& x = geometry.x;
    PanelAxis& y = geometry.y;
    x.logarithmic = y.logarithmic = true;
    x.from = y.from = std::numeric_limits<double>::max();
    x.to = y.to = 0;
    for (const PeakRoof& peak : figure.peaks) {
        widen(y, peak.flops);
        for (const BandwidthRoof& roof : figure.roofs) {
            widen(x, peak.flops / roof.bandwidth);
        }
    }
    for (const OperatorPoint& point : figure.points) {
        widen(x, point.intensity);
        widen(y, point.analytic);
        widen(y, point.lower());
    }
    x.from /= 1.5 * margin; // the names of the roofs lie there
    x.to *= margin;
    for (const BandwidthRoof& roof : figure.roofs) {
        widen(y, roof.bandwidth * x.from);
    }
    y.from /= 1.5;
    y.to *= 1.8;
}

Geometry geometry_of(const RooflineFigure& figure) {
    constexpr double per_decade = 62; // room for a line of text between a peak and its double
    Geometry geometry;
    set_ranges(geometry, figure);
    geometry.frame_height = std::max(380.0, per_decade * std::log10(geometry.y.to / geometry.y.from));
    geometry.x.first_pixel = frame_left;
    geometry.x.last_pixel = canvas_width_assumed - right;
    std::vector<std::pair<double, double>> spans;
    for (const BandwidthRoof& roof : figure.roofs) {
        Ridge ridge{figure.dense_peak() / roof.bandwidth, "", 0};
        ridge.label = fmt::format("{} ridge {}", roof.label, scaled_number(ridge.at));
        const double half = text_width(ridge.label, font) / 2 + 4;
        spans.emplace_back(geometry.x.pixel(ridge.at) - half, geometry.x.pixel(ridge.at) + half);
        geometry.ridges.push_back(ridge);
    }
    const std::vector<int> rows = rows_of(spans);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        geometry.ridges[i].row = rows[i];
        geometry.ridge_rows = std::max(geometry.ridge_rows, rows[i] + 1);
    }
    return geometry;
}

std::string row(double x, double y) { return fmt::format("{:.6g} {:.6g}", x, y); }

void draw_legend(PlotCanvas& canvas, double y, bool with_simulated) {
    double x = panel_left;
    const auto entry = [&](const char* mark, const char* color, const char* text) {
        canvas.text(x, y, mark, Align::left, color);
        canvas.text(x + 18, y, text);
        x += 18 + text_width(text, font) + 20;
    };
    entry("\u25cb", analytic_color, "analytic: the least time by the roofline");
    if (with_simulated) {
        entry("\u25cf", simulated_color, "simulated");
    }
}

void draw_peaks(PlotCanvas& canvas, const Geometry& geometry, const RooflineFigure& figure, LabelLayout& labels) {
    double fastest = 0;
    for (const BandwidthRoof& roof : figure.roofs) {
        fastest = std::max(fastest, roof.bandwidth);
    }
    for (const PeakRoof& peak : figure.peaks) {
        const double from = fastest > 0 ? std::max(geometry.x.from, peak.flops / fastest) : geometry.x.from;
        canvas.series(fmt::format("using 1:2 with lines linewidth 2 {} linecolor rgb '#333333'",
                                  peak.sparse ? "dashtype 2" : "dashtype 1"),
                      {row(from, peak.flops), row(geometry.x.to, peak.flops)});
        const double y = geometry.y.pixel(peak.flops);
        canvas.text(geometry.x.last_pixel + 8, y, scaled(peak.flops, "FLOP/s") + " " + clipped(peak.label, 12));
        labels.avoid_line(geometry.x.pixel(from), y, geometry.x.last_pixel, y);
    }
}

// Along the roof, from where it enters the frame. Above it; below where the roof above is too close for a name between
// them; further right where another roof's name is there.
void draw_roof_name(PlotCanvas& canvas, const Geometry& geometry, const BandwidthRoof& roof, bool below, double shift,
                    LabelLayout& labels) {
    const double from = std::max(geometry.x.from, geometry.y.from / roof.bandwidth);
    const double degrees = std::atan2(geometry.y.pixel(roof.bandwidth) - geometry.y.pixel(10 * roof.bandwidth),
                                      geometry.x.pixel(10) - geometry.x.pixel(1)) *
                           180 / 3.14159265358979323846;
    const double along = degrees * 3.14159265358979323846 / 180;
    const std::string label = roof.label + " " + scaled(roof.bandwidth, "B/s");
    const double off = (below ? -0.95 : 0.95) * font; // from the roof to the middle of its name
    const double start = 26 + shift;
    const double x = geometry.x.pixel(from) + start * std::cos(along) - off * std::sin(along);
    const double y = geometry.y.pixel(from * roof.bandwidth) - start * std::sin(along) - off * std::cos(along);
    canvas.text(x, y, label, Align::left, PlotCanvas::ink, degrees);
    labels.keep_clear_turned(x, y, text_width(label, font), degrees);
}

void draw_roofs(PlotCanvas& canvas, const Geometry& geometry, const RooflineFigure& figure, LabelLayout& labels) {
    double top = 0;
    for (const PeakRoof& peak : figure.peaks) {
        top = std::max(top, peak.flops);
    }
    double before = 0;
    double shift = 0;
    bool below = false;
    for (const BandwidthRoof& roof : figure.roofs) {
        const double from = std::max(geometry.x.from, geometry.y.from / roof.bandwidth);
        const double to = std::min(geometry.x.to, top / roof.bandwidth);
        canvas.series("using 1:2 with lines linewidth 2 linecolor rgb '#333333'",
                      {row(from, roof.bandwidth * from), row(to, roof.bandwidth * to)});
        labels.avoid_line(geometry.x.pixel(from), geometry.y.pixel(roof.bandwidth * from), geometry.x.pixel(to),
                          geometry.y.pixel(roof.bandwidth * to));
        const double apart = geometry.y.pixel(1) - geometry.y.pixel(before / roof.bandwidth);
        const bool close = before > 0 && apart < 2.2 * font;
        below = close && !below;
        shift = close && !below ? shift + text_width(roof.label + " 000.0 GB/s", font) + 10 : 0;
        draw_roof_name(canvas, geometry, roof, below, shift, labels);
        before = roof.bandwidth;
    }
}

void draw_ridges(PlotCanvas& canvas, const Geometry& geometry, const RooflineFigure& figure, double frame_top) {
    for (const Ridge& ridge : geometry.ridges) {
        const double x = geometry.x.pixel(ridge.at);
        const double y = frame_top - (ridge.row + 0.6) * ridge_row;
        canvas.line(x, y + 0.5 * font, x, geometry.y.pixel(figure.dense_peak()),
                    fmt::format("linewidth 1 dashtype 3 linecolor rgb '{}'", PlotCanvas::faint));
        canvas.text(x, y, ridge.label, Align::centre);
        canvas.series("using 1:2 with points pointtype 13 pointsize 1.2*point_scale linecolor rgb '#333333'",
                      {row(ridge.at, figure.dense_peak())});
    }
}

// Operators whose points cannot be told apart share a label.
std::vector<std::pair<OperatorPoint, std::string>> clusters(const Geometry& geometry, const RooflineFigure& figure) {
    constexpr double same = 5; // pixels
    constexpr std::size_t named = 3;
    constexpr std::size_t longest = 30; // of several names: a longer label would cross too much
    std::vector<std::vector<const OperatorPoint*>> groups;
    for (const OperatorPoint& point : figure.points) {
        const auto close = [&](const std::vector<const OperatorPoint*>& group) {
            const OperatorPoint& other = *group.front();
            return std::abs(geometry.x.pixel(point.intensity) - geometry.x.pixel(other.intensity)) < same &&
                   std::abs(geometry.y.pixel(point.lower()) - geometry.y.pixel(other.lower())) < same;
        };
        const auto known = std::find_if(groups.begin(), groups.end(), close);
        if (known == groups.end()) {
            groups.push_back({&point});
        } else {
            known->push_back(&point);
        }
    }
    std::vector<std::pair<OperatorPoint, std::string>> labelled;
    for (const auto& group : groups) {
        std::string label = clipped(group.front()->name, 18);
        std::size_t told = 1;
        for (; told < std::min(named, group.size()); ++told) {
            const std::string next = ", " + clipped(group[told]->name, 18);
            if (label.size() + next.size() > longest) {
                break;
            }
            label += next;
        }
        if (group.size() > told) {
            label += fmt::format(" and {} more", group.size() - told);
        }
        labelled.emplace_back(*group.front(), label);
    }
    return labelled;
}

void draw_points(PlotCanvas& canvas, const Geometry& geometry, const RooflineFigure& figure, LabelLayout& labels) {
    std::vector<std::string> analytic;
    std::vector<std::string> simulated;
    std::vector<std::string> gaps;
    for (const OperatorPoint& point : figure.points) {
        analytic.push_back(row(point.intensity, point.analytic));
        if (point.simulated) {
            simulated.push_back(row(point.intensity, *point.simulated));
            gaps.push_back(fmt::format("{:.6g} {:.6g} 0 {:.6g}", point.intensity, *point.simulated,
                                       point.analytic - *point.simulated));
        }
        for (const double value : {point.analytic, point.lower()}) {
            const double x = geometry.x.pixel(point.intensity);
            const double y = geometry.y.pixel(value);
            labels.keep_clear({x - 5, y - 5, x + 5, y + 5});
        }
    }
    const auto points = [](const char* type, double size, const char* color) {
        return fmt::format("using 1:2 with points pointtype {} pointsize {}*point_scale linewidth 2 linecolor rgb '{}'",
                           type, size, color);
    };
    if (!simulated.empty()) {
        canvas.series(
            fmt::format("using 1:2:3:4 with vectors nohead linewidth 1.5 linecolor rgb '{}'", simulated_color), gaps);
    }
    canvas.series(points("6", 1.2, analytic_color), analytic);
    if (!simulated.empty()) {
        canvas.series(points("7", 0.9, simulated_color), simulated);
    }
    for (const auto& [point, label] : clusters(geometry, figure)) {
        const double x = geometry.x.pixel(point.intensity);
        const double y = geometry.y.pixel(point.lower());
        if (const auto box = labels.place(x, y, label)) {
            const double middle = (box->top + box->bottom) / 2;
            if (std::abs(middle - y) > 1.5 * font) { // too far to be seen as its own
                canvas.line(x, y, (box->left + box->right) / 2, middle > y ? box->top : box->bottom,
                            fmt::format("back linewidth 0.7 linecolor rgb '{}'", simulated_color));
            }
            // Fonts are narrower or wider than text_width says: the side at the point stays where it is.
            const Align align = box->left > x ? Align::left : box->right < x ? Align::right : Align::centre;
            const double at = align == Align::left    ? box->left
                              : align == Align::right ? box->right
                                                      : (box->left + box->right) / 2;
            canvas.text(at, middle, label, align, label_color);
        }
    }
}

} // namespace

double roofline_height(const RooflineFigure& figure) { return geometry_of(figure).height(); }

void draw_roofline(PlotCanvas& canvas, double top, const RooflineFigure& figure) {
    Geometry geometry = geometry_of(figure);
    const double frame_top = top + above + geometry.ridge_rows * ridge_row;
    const PixelBox frame{frame_left, frame_top, canvas.width() - right, frame_top + geometry.frame_height};
    geometry.y.first_pixel = frame.bottom;
    geometry.y.last_pixel = frame.top;
    LabelLayout labels(frame, font);
    canvas.begin_panel(frame, geometry.x, geometry.y);
    canvas.heading(panel_left, top + 14, "Roofline");
    draw_legend(canvas, top + 42, !figure.points.empty() && figure.points.front().simulated);
    canvas.x_tics(decades(geometry.x.from, geometry.x.to, ""),
                  "FLOP per byte that the slowest memory level has to move (PCIe: in its busier direction)");
    canvas.y_tics(decades(geometry.y.from, geometry.y.to, "FLOP/s"));
    draw_roofs(canvas, geometry, figure, labels);
    draw_peaks(canvas, geometry, figure, labels);
    draw_ridges(canvas, geometry, figure, frame_top);
    draw_points(canvas, geometry, figure, labels);
    canvas.end_panel();
}

} // namespace systole
