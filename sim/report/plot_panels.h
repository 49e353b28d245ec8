// The panels of a picture: each has a height, known before it is drawn, and draws itself from `top` down.
#pragma once

#include "sim/report/figures.h"
#include "sim/report/plot_canvas.h"

namespace systole {

inline constexpr double panel_left = 20;   // of headings and legends
inline constexpr double panel_margin = 30; // right of the data

double roofline_height(const RooflineFigure& figure);
void draw_roofline(PlotCanvas& canvas, double top, const RooflineFigure& figure);

double knee_height();
void draw_knee(PlotCanvas& canvas, double top, const KneeFigure& figure);

// One bar for each operator, parts of its PE-slots by cause.
double stack_height(const RunResult& run);
void draw_stack(PlotCanvas& canvas, double top, const RunResult& run);

// From the time of the mathematics to the cycles of the run, cause by cause, of the whole run.
double waterfall_height(const RunResult& run);
void draw_waterfall(PlotCanvas& canvas, double top, const RunResult& run);

} // namespace systole
