// Colours of causes, told apart with the common kinds of colour blindness (after Okabe and Ito,
// jfly.uni-koeln.de/color, and Tol, personal.sron.nl/~pault): families by hue, members by lightness. One table for
// plots and HTML.
#pragma once

#include <cstddef>
#include <string>

#include "sim/stats/cycle_stack.h"

namespace systole {

std::string color_of(Cause cause); // "#009e73"
std::string title_of(Cause cause); // for people: "HBM bandwidth"

// Of 0 to 1, from dark to light: readable in grey, and told apart with the common kinds of colour blindness (the five
// stops are of matplotlib's viridis, bids.github.io/colormap). Outside of 0 to 1 the nearer end.
std::string scale_color(double fraction);
inline constexpr std::size_t scale_stops = 5;
std::string scale_stop(std::size_t index);

// A text on this colour is white, else black.
bool is_dark(const std::string& color);

// Of curves, again from the first behind the last one.
std::string series_color(std::size_t index);

inline constexpr const char* analytic_color = "#0072b2";
inline constexpr const char* simulated_color = "#d55e00";

} // namespace systole
