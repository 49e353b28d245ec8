// The picture of a run, drawn by gnuplot: the roofline with the analytic and the simulated point of each operator, the
// cycle stack, the waterfall; and, where the operators differ in M alone, utilization over M with the critical batch.
#pragma once

#include <filesystem>
#include <string>

#include "sim/config/machine.h"
#include "sim/report/figures.h"
#include "sim/report/plot_canvas.h"
#include "sim/stats/result.h"

namespace systole {

// By the ending of the file's name. Throws InputError for another than .svg and .png.
PictureFormat picture_format(const std::filesystem::path& path);

// Operators of which a picture can still be read; throws InputError for more.
inline constexpr std::size_t most_plotted = 200;
void require_plottable(std::size_t operators);

// The gnuplot script: the same bytes for the same run. Throws InputError as above.
std::string plot_script(const Machine& machine, const RunResult& run, PictureFormat format);

// The roofline alone, of the analytic model: without a run. `title` stands above it.
std::string roofline_script(const RooflineFigure& figure, const std::string& title, PictureFormat format);

// The picture itself. Throws EnvironmentError as run_gnuplot() does.
std::string plot_picture(const Machine& machine, const RunResult& run, PictureFormat format);

} // namespace systole
