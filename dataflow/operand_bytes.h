// What the operands of an oriented GEMM take where they are stored: dense, or, for B in N:M sparsity, as N values of
// every group of M along the depth and an index for each of them. docs/model.md, "Structured sparsity".
//
// Extents are in elements of the dense problem; a depth begins at a group.
#pragma once

#include "dataflow/mapping.h"

namespace systole {

struct StoredBytes {
    Bytes values = 0;
    Bytes indices = 0; // of a dense operand 0

    Bytes total() const { return values + indices; }
    bool operator==(const StoredBytes&) const = default;
};

// Packed: a last partial byte counts whole, of values and of indices.
StoredBytes x_bytes(const OrientedGemm& gemm, std::int64_t rows, std::int64_t depth);
StoredBytes y_bytes(const OrientedGemm& gemm, std::int64_t depth, std::int64_t cols);
StoredBytes b_bytes(const GemmProblem& problem); // of one of its products
Bytes bytes_of_a(const GemmProblem& problem);    // as it lies in memory, of all products: matrices, or the feature map

// Where the indices of a part of the sparse operand lie among all of them, and how many bytes they take: `lines`
// columns of B from `line` on, `depth` of it from `begin` on. They are stored by blocks of columns, along the depth in
// each, so that those of a unit (dataflow/schedule.h) are side by side; units begin at whole bytes and share none, so
// that all of them together take no more than b_bytes() says. Of a dense operand 0 bytes.
struct IndexRange {
    Bytes offset = 0;
    Bytes bytes = 0;
};
struct IndexPart {
    std::int64_t line = 0, lines = 1;
    std::int64_t begin = 0, depth = 1;
};
IndexRange index_range(SparsePattern pattern, std::int64_t whole_depth, const IndexPart& part);

// Elements along the depth as they lie in memory: of the sparse operand the positions stored, else the depth.
std::int64_t x_stored_depth(const OrientedGemm& gemm, std::int64_t depth);
std::int64_t y_stored_depth(const OrientedGemm& gemm, std::int64_t depth);

} // namespace systole
