// A transfer of the DMA, 2-D: a rectangle of a row-major matrix in memory, and the requests that move it. Plain C++;
// nothing is allocated.
//
// Rows are rows * row bytes, a pitch apart. A request has at most `burst` bytes: as many whole rows as fit, or, where a
// row alone is longer, a part of one row. Rows that follow each other without a gap (as wide as the matrix, or a single
// one) are one contiguous piece. Elements may be half bytes: see half_byte_rows() in the source file.
#pragma once

#include <array>

#include "memory/memory_port.h"

namespace systole {

struct DmaRectangle {
    std::uint64_t base = 0;  // byte address of the matrix
    std::int64_t first = 0;  // element of the matrix, counted row by row
    std::int64_t rows = 1;   // >= 1
    std::int64_t cols = 1;   // elements of a row, >= 1
    std::int64_t pitch = 1;  // elements from the start of a row to that of the next, >= cols
    int element_bits = 8;    // a multiple of 4
    bool half_moved = false; // the first half byte is moved with what came before: the bytes are rounded down, not up
};

class DmaDescriptor {
  public:
    DmaDescriptor() = default; // of nothing
    DmaDescriptor(const DmaRectangle& rectangle, Bytes burst);

    bool done() const { return left_ == 0; }
    Bytes left() const {
        return left_;
    }                              // bytes of the requests to come; at first ceil(rows * cols * bits / 8), or floor
    std::int64_t requests() const; // how many are to come
    // Address and bytes of the next request, for the caller to complete; not done().
    MemoryRequest next();

  private:
    struct Rows { // those still to come
        std::uint64_t address = 0;
        std::int64_t count = 0;
        Bytes bytes = 0; // of each
        Bytes pitch = 0;
        std::int64_t together = 1; // in one request
    };

    void add(std::uint64_t address, std::int64_t count, Bytes bytes, Bytes pitch);
    void half_byte_rows(const DmaRectangle& rectangle);
    Rows& front() { return rows_[0].count > 0 ? rows_[0] : rows_[1]; }

    std::array<Rows, 2> rows_; // one after the other
    Bytes burst_ = 0;
    Bytes offset_ = 0; // of the front row: bytes already asked for
    Bytes left_ = 0;
};

} // namespace systole
