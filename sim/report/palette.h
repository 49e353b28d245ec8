// Colours of causes, told apart with the common kinds of colour blindness (after Okabe and Ito,
// jfly.uni-koeln.de/color, and Tol, personal.sron.nl/~pault): families by hue, members by lightness. One table for
// plots and HTML.
#pragma once

#include <string>

#include "sim/stats/cycle_stack.h"

namespace systole {

std::string color_of(Cause cause); // "#009e73"
std::string title_of(Cause cause); // for people: "HBM bandwidth"

inline constexpr const char* analytic_color = "#0072b2";
inline constexpr const char* simulated_color = "#d55e00";

} // namespace systole
