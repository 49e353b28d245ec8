// Where the operands of a core's share lie in memory, and which elements a unit stands for.
#pragma once

#include "dataflow/schedule.h"
#include "memory/dma_descriptor.h"

namespace systole {

// One matrix, row-major, of `cols` columns. (row0, col0): the core's share within it.
struct MatrixPlace {
    std::uint64_t base = 0;
    std::int64_t cols = 0;
    Format format = Format::int8;
    std::int64_t row0 = 0;
    std::int64_t col0 = 0;
    bool transposed = false; // the matrix holds the oriented operand's transpose
    const char* name = "";   // the user's: "A", "B", "C"

    // Of a sparse B: its indices lie by themselves, those of a unit side by side.
    bool sparse = false;
    std::uint64_t index_base = 0;
    Bytes index_first = 0; // those of the core's share among them

    // Position in the whole matrix: what two cores that ask for the same elements have in common.
    std::int64_t element(std::int64_t row, std::int64_t col) const {
        return (row0 + (transposed ? col : row)) * cols + col0 + (transposed ? row : col);
    }

    // The transfer of the elements from (row, col) of the oriented operand on.
    DmaDescriptor transfer(std::int64_t row, std::int64_t col, std::int64_t row_count, std::int64_t col_count,
                           Bytes burst) const {
        return DmaDescriptor({.base = base,
                              .first = element(row, col),
                              .rows = transposed ? col_count : row_count,
                              .cols = transposed ? row_count : col_count,
                              .pitch = cols,
                              .element_bits = bits(format)},
                             burst);
    }
    DmaDescriptor transfer(const UnitRef& unit, Bytes burst) const {
        return transfer(unit.row, unit.col, unit.rows, unit.cols, burst);
    }
    DmaDescriptor index_transfer(const UnitRef& unit, Bytes burst) const {
        if (unit.index_bytes == 0)
            return {};
        constexpr int byte = 8;
        return DmaDescriptor({.base = index_base,
                              .first = index_first + unit.index_offset,
                              .rows = 1,
                              .cols = unit.index_bytes,
                              .pitch = unit.index_bytes,
                              .element_bits = byte},
                             burst);
    }
};

struct OperandMap {
    MatrixPlace x, y, out; // of the oriented problem
};

} // namespace systole
