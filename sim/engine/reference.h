// The product that a run must give, computed outside the simulator, to the bit: in floats the order of the additions is
// a part of the result, so it is written down here, from the mapping alone.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/machine_run.h"
#include "sim/engine/values.h"

namespace systole {

// The k of one row of PEs after the other, q at a time from `begin` on.
struct SumRange {
    std::int64_t begin = 0, end = 0;
};

// What a PE column (WS, IS) or a PE (OS) adds up before it is added to the accumulator; ranges in their order.
using SumChain = std::vector<SumRange>;

// Elements [m0, m0 + m) x [n0, n0 + n) of the C of some products, whose sums are put together alike:
//   c = 0; for each chain: { s = 0; for each step of q k: s += (a*b of the first lane + of the second + ...); c += s }
struct SumBlock {
    std::int64_t m0 = 0, m = 0, n0 = 0, n = 0;
    std::int64_t instance0 = 0, instances = 1; // of these products
    std::vector<SumChain> chains;
};

// Of a sparse B a step is q of its stored positions in the range of k instead.
//
// Blocks cover C, without overlap.
//   WS, IS: a chain for each pass along K: R * q of K within a tile
//   OS:     a chain for each tile along K; or one for all of K, a range for each tile, where the arrays cover the
//   output
//           tile at once, so that its sums stay in the PEs
std::vector<SumBlock> sum_blocks(const std::vector<CoreShare>& shares, const CoreLimits& limits);

// Compares with values.c. Returns the index of the first element that differs, or -1. NaNs must be unified.
std::int64_t first_difference(const GemmProblem& problem, const GemmValues& values, const std::vector<SumBlock>& blocks,
                              int q);

} // namespace systole
