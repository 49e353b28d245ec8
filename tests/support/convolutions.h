// Convolutions once more, from their definition alone: what the engines and the counts of bytes are held against.
#pragma once

#include <vector>

#include "sim/engine/values.h"

namespace systole::test {

// Of one output: the sum, and the sum of the products' magnitudes.
struct ExactSum {
    double sum = 0, magnitude = 0;
};

// C[g][(b, y, x)][f] of a problem with a window, by loops over pixels and taps.
std::vector<ExactSum> direct_convolution(const GemmProblem& problem, const GemmValues& values);

// Pixels of one group's channels that some output reads, marked one by one. `whole_rows`: with all pixels from the
// first to the last column that is read in any row, in each row that is read.
std::int64_t touched_by_hand(const ConvolutionWindow& window, bool whole_rows);

// A convolution of `filters` per group; outputs, m and k follow from the window's other sizes.
GemmProblem convolution(ConvolutionWindow window, std::int64_t filters, std::int64_t groups = 1);

} // namespace systole::test
