// The matrices that a window sees of a feature map, one for each group, row-major [m, k]: A as the reference takes it.
// By the definition in dataflow/window.h, pixel by pixel; nothing of it is shared with the feeder.
#pragma once

#include <vector>

#include "dataflow/problem.h"

namespace systole {

// map: [batch, groups * channels, height, width] of a problem with a window.
template <typename T>
std::vector<T> im2col(const GemmProblem& problem, const std::vector<T>& map);

} // namespace systole
