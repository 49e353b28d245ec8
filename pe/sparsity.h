// N:M structured sparsity of a matrix B[k,n], in values: of every group of M along K at most N are nonzero, and N are
// stored with their places. What that costs in tiles, cycles and bytes is dataflow's.
//
// Groups start at row 0 of B; the last one may be ragged: k need not be a multiple of M. Matrices are row-major and
// dense, T is std::int8_t (int4 and int8) or float (all others); of floats, -0 is a zero and NaN is none.
//
// Sources: NVIDIA, "Accelerating sparse deep neural networks" (Mishra et al., 2021, arXiv:2104.08378) for 2:4, its
// storage and pruning by magnitude.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct SparsePattern {
    int keep = 2;  // N, 1 <= N <= M
    int group = 4; // M, at most 16

    bool dense() const { return keep == group; }
    int index_bits() const; // of the place in its group: 2 for 2:4
    std::int64_t groups(std::int64_t k) const;
    std::int64_t stored_depth(std::int64_t k) const; // positions stored of a column: N for each group, the last as well

    bool operator==(const SparsePattern&) const = default;
};

// Activations that a PE sees at most: of all groups that its MACs of one cycle belong to.
inline constexpr int most_activations = 8;

// The first group with more than N nonzeros: of the uppermost row of groups, the leftmost column.
struct BadGroup {
    std::int64_t group = 0; // rows group * M ... of B
    std::int64_t col = 0;
    int nonzeros = 0;
};

template <typename T>
std::optional<BadGroup> first_bad_group(SparsePattern pattern, const std::vector<T>& b, std::int64_t k, std::int64_t n);

// "rows 4..7, column 2: 3 of 4 are nonzero, 2:4 allows 2".
std::string explain(const BadGroup& bad, SparsePattern pattern, std::int64_t k);

// Zeroes in each group all but the N of largest magnitude; of equal ones those with lower row stay. A NaN is larger
// than everything.
template <typename T>
void prune_by_magnitude(SparsePattern pattern, std::vector<T>& b, std::int64_t k, std::int64_t n);

// Zeroes in each group all but N places that are drawn from `seed`, every choice as likely as any other.
template <typename T>
void prune_at_random(SparsePattern pattern, std::vector<T>& b, std::int64_t k, std::int64_t n, std::uint64_t seed);

// B as it is stored: position p of column c is at [p * n + c] of both lists; group g has the positions g * N ...
// g * N + N - 1, in ascending order of their places. Each group names N different places: those of its nonzeros and,
// where these are fewer, the lowest others, whose value is 0. So of a ragged last group with fewer than N rows the
// last positions are places beyond K: their value is 0, and what they would multiply is to be read as 0.
template <typename T>
struct CompressedMatrix {
    SparsePattern pattern;
    std::int64_t k = 0, n = 0; // of B
    std::vector<T> values;
    std::vector<std::uint8_t> index; // place in the group: 0 ... M - 1

    std::int64_t depth() const { return pattern.stored_depth(k); }
    // The row of B, thus the column of A, that a position stands for; may be k or more (see above).
    std::int64_t row_of(std::int64_t position, std::int64_t col) const {
        return position / pattern.keep * pattern.group + index[position * n + col];
    }
};

// B must have no bad group (see first_bad_group()).
template <typename T>
CompressedMatrix<T> compress(SparsePattern pattern, const std::vector<T>& b, std::int64_t k, std::int64_t n);
template <typename T>
std::vector<T> decompress(const CompressedMatrix<T>& compressed);

} // namespace systole
