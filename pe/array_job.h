// What a grid computes: one core's share of a GEMM, as the array sees it, with its values.
#pragma once

#include <cstdint>

#include "dataflow/mapping.h"

namespace systole {

// Elements (row, col) at data[row * row_stride + col * col_stride].
template <typename T>
struct MatrixView {
    T* data = nullptr;
    std::int64_t row_stride = 0;
    std::int64_t col_stride = 0;

    T& at(std::int64_t row, std::int64_t col) const { return data[row * row_stride + col * col_stride]; }
};

struct ArrayJob {
    Mapping mapping;
    CoreLimits limits;
    MatrixView<const std::int8_t> x, y; // of the oriented problem; data null: all zero (probe)
    MatrixView<std::int32_t> out;       // sums are added here: the accumulators
};

} // namespace systole
