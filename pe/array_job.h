// What a grid computes: one core's share of a GEMM, as the array sees it, with its values.
#pragma once

#include <cstdint>
#include <variant>

#include "dataflow/mapping.h"
#include "pe/word.h"

namespace systole {

// Elements (row, col) at data[row * row_stride + col * col_stride]; of several products the matrices are
// `instance_stride` elements apart.
template <typename T>
struct MatrixView {
    T* data = nullptr;
    std::int64_t row_stride = 0;
    std::int64_t col_stride = 0;
    std::int64_t instance_stride = 0;

    MatrixView of(std::int64_t instance) const {
        return {data ? data + instance * instance_stride : nullptr, row_stride, col_stride, instance_stride};
    }

    T& at(std::int64_t row, std::int64_t col) const { return data[row * row_stride + col * col_stride]; }
};

template <typename T>
struct OperandViews {
    MatrixView<const T> x, y; // of the oriented problem; data null: all zero (probe)
};

struct ArrayJob {
    Mapping mapping;
    CoreLimits limits;
    // int8: int4 and int8 values with int32 sums; float: all others, with fp32 sums.
    std::variant<OperandViews<std::int8_t>, OperandViews<float>> operands;
    // Of a sparse B, whose view above is of its stored positions: the places in their groups; data null: all zero.
    MatrixView<const std::uint8_t> index;
    MatrixView<Pattern> out; // sums are added here: the accumulators

    Accumulation accumulation() const { return operands.index() == 0 ? Accumulation::int32 : Accumulation::fp32; }
    PeMath math() const;
    // Lanes of a word of x and of y (pe/word.h).
    int x_lanes() const;
    int y_lanes() const;
};

} // namespace systole
