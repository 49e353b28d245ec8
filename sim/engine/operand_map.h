// Where the operands of a core's share lie in memory, and which elements a unit stands for.
#pragma once

#include "dataflow/schedule.h"

namespace systole {

// One matrix, row-major, of `cols` columns. (row0, col0): the core's share within it.
struct MatrixPlace {
    std::uint64_t base = 0;
    std::int64_t cols = 0;
    Format format = Format::int8;
    std::int64_t row0 = 0;
    std::int64_t col0 = 0;
    bool transposed = false; // the matrix holds the oriented operand's transpose

    // Position in the whole matrix: what two cores that ask for the same elements have in common.
    std::int64_t element(std::int64_t row, std::int64_t col) const {
        return (row0 + (transposed ? col : row)) * cols + col0 + (transposed ? row : col);
    }

    std::uint64_t address(std::int64_t row, std::int64_t col) const {
        return base + static_cast<std::uint64_t>(stored_bytes(element(row, col), format));
    }
};

struct OperandMap {
    MatrixPlace x, y, out; // of the oriented problem
};

} // namespace systole
