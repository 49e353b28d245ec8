// What a grid computes: one core's share of a GEMM, as the array sees it, with its values.
#pragma once

#include <cstdint>
#include <variant>

#include "dataflow/mapping.h"
#include "pe/word.h"

namespace systole {

// Elements (row, col) at data[row * row_stride + col * col_stride]; of several products the matrices are
// `instance_stride` elements apart. Where an address generator goes over a feature map, offsets take the place of the
// strides: data[row_offsets[row] + col_offsets[col]].
template <typename T>
struct MatrixView {
    T* data = nullptr;
    std::int64_t row_stride = 0;
    std::int64_t col_stride = 0;
    std::int64_t instance_stride = 0;
    const std::int64_t* row_offsets = nullptr; // both or none
    const std::int64_t* col_offsets = nullptr;

    MatrixView of(std::int64_t instance) const {
        auto view = *this;
        view.data = data ? data + instance * instance_stride : nullptr;
        return view;
    }

    T& at(std::int64_t row, std::int64_t col) const {
        return row_offsets ? data[row_offsets[row] + col_offsets[col]] : data[row * row_stride + col * col_stride];
    }

    // to[i * to_step] = at(row, col + i * step), of `count`.
    template <typename To>
    void copy_row(std::int64_t row, std::int64_t col, std::int64_t count, To* to, std::int64_t step = 1,
                  std::int64_t to_step = 1) const {
        if (row_offsets) {
            copy_by(data + row_offsets[row], col_offsets + col, step, count, to, to_step);
        } else {
            copy_strided(data + row * row_stride + col * col_stride, step * col_stride, count, to, to_step);
        }
    }
    // to[i] = at(row + i, col), of `count`.
    template <typename To>
    void copy_col(std::int64_t row, std::int64_t col, std::int64_t count, To* to) const {
        if (row_offsets) {
            copy_by(data + col_offsets[col], row_offsets + row, 1, count, to, 1);
        } else {
            copy_strided(data + row * row_stride + col * col_stride, row_stride, count, to, 1);
        }
    }

  private:
    template <typename To>
    static void copy_strided(const T* from, std::int64_t step, std::int64_t count, To* to, std::int64_t to_step) {
        for (std::int64_t i = 0; i < count; ++i)
            to[i * to_step] = from[i * step];
    }
    template <typename To>
    static void copy_by(const T* from, const std::int64_t* offsets, std::int64_t step, std::int64_t count, To* to,
                        std::int64_t to_step) {
        for (std::int64_t i = 0; i < count; ++i)
            to[i * to_step] = from[offsets[i * step]];
    }
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
