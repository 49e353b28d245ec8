// The picture of a sweep, drawn by gnuplot: a heatmap of the metric over two axes, or of the value of a third one that
// wins there; speed-up curves; simulated against roofline utilization; the Pareto front of time and area.
#pragma once

#include <string>

#include "sim/report/plot_canvas.h"
#include "sim/report/sweep_data.h"

namespace systole {

// The gnuplot script: the same bytes for the same points. Throws InputError as require_drawable() does.
std::string sweep_script(const SweepData& data, const SweepView& view, PictureFormat format);

// The panels: each has a height, known before it is drawn, and draws itself from `top` down.
double heatmap_height(const SweepData& data, const SweepView& view);
void draw_heatmap(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& view);

double speed_up_height(const SweepData& data, const SweepView& view);
void draw_speed_up(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& view);

double utilizations_height(const SweepData& data, const SweepView& view);
void draw_utilizations(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& view);

double front_height(const SweepData& data); // 0: no point has an area
void draw_front(PlotCanvas& canvas, double top, const SweepData& data, const SweepView& view);

} // namespace systole
