// Operand values of a run and the product they must give, computed outside the simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "dataflow/problem.h"

namespace systole {

// Row-major: a[m,k], b[k,n], c[m,n]. c starts at zero and collects the array's sums.
struct GemmValues {
    std::vector<std::int8_t> a, b;
    std::vector<std::int32_t> c;
};

// Operands that the engines can carry: int8, accumulated in int32.
bool carries_values(const OperandFormats& formats);

// Uniform over the whole range of the format, from the seed alone.
GemmValues random_values(const GemmProblem& problem, std::uint64_t seed);

// a * b in int32 with wrap-around, compared with c. Returns the index of the first element that differs, or -1.
std::int64_t first_difference(const GemmProblem& problem, const GemmValues& values);

} // namespace systole
