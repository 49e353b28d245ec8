#include "pe/sparsity.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/quantities.h"
#include "sim/base/splitmix.h"

namespace systole {

namespace {

constexpr int most_group = 16;

// Rows of one group; fewer than M in a ragged last one.
int group_rows(SparsePattern pattern, std::int64_t group, std::int64_t k) {
    return static_cast<int>(std::min<std::int64_t>(pattern.group, k - group * pattern.group));
}

template <typename T>
bool larger(T one, T other) { // what pruning keeps first; a NaN is larger than infinity too
    const double a = std::fabs(static_cast<double>(one)), b = std::fabs(static_cast<double>(other));
    return std::isnan(a) ? !std::isnan(b) : a > b;
}

} // namespace

int SparsePattern::index_bits() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(group - 1))); }

std::int64_t SparsePattern::groups(std::int64_t k) const { return ceil_div(k, group); }

std::int64_t SparsePattern::stored_depth(std::int64_t k) const { return groups(k) * keep; }

template <typename T>
std::optional<BadGroup> first_bad_group(SparsePattern pattern, const std::vector<T>& b, std::int64_t k,
                                        std::int64_t n) {
    std::vector<int> nonzeros(n);
    for (std::int64_t group = 0; group < pattern.groups(k); ++group) {
        std::fill(nonzeros.begin(), nonzeros.end(), 0);
        for (int i = 0; i < group_rows(pattern, group, k); ++i) {
            const T* row = b.data() + (group * pattern.group + i) * n;
            for (std::int64_t col = 0; col < n; ++col)
                nonzeros[col] += row[col] != T{} ? 1 : 0;
        }
        const auto bad =
            std::find_if(nonzeros.begin(), nonzeros.end(), [&](int count) { return count > pattern.keep; });
        if (bad != nonzeros.end())
            return BadGroup{group, bad - nonzeros.begin(), *bad};
    }
    return std::nullopt;
}

std::string explain(const BadGroup& bad, SparsePattern pattern, std::int64_t k) {
    const auto first = bad.group * pattern.group;
    const auto rows = group_rows(pattern, bad.group, k);
    return "rows " + std::to_string(first) + ".." + std::to_string(first + rows - 1) + ", column " +
           std::to_string(bad.col) + ": " + std::to_string(bad.nonzeros) + " of " + std::to_string(rows) +
           " are nonzero, " + std::to_string(pattern.keep) + ":" + std::to_string(pattern.group) + " allows " +
           std::to_string(pattern.keep);
}

template <typename T>
void prune_by_magnitude(SparsePattern pattern, std::vector<T>& b, std::int64_t k, std::int64_t n) {
    int places[most_group];
    for (std::int64_t group = 0; group < pattern.groups(k); ++group) {
        const int rows = group_rows(pattern, group, k);
        for (std::int64_t col = 0; col < n; ++col) {
            T* first = b.data() + group * pattern.group * n + col;
            for (int i = 0; i < rows; ++i)
                places[i] = i;
            std::stable_sort(places, places + rows, [&](int x, int y) { return larger(first[x * n], first[y * n]); });
            for (int i = pattern.keep; i < rows; ++i)
                first[places[i] * n] = T{};
        }
    }
}

template <typename T>
void prune_at_random(SparsePattern pattern, std::vector<T>& b, std::int64_t k, std::int64_t n, std::uint64_t seed) {
    SplitMix random(seed);
    for (std::int64_t group = 0; group < pattern.groups(k); ++group) {
        const int rows = group_rows(pattern, group, k);
        for (std::int64_t col = 0; col < n; ++col) {
            T* first = b.data() + group * pattern.group * n + col;
            int left = std::min(pattern.keep, rows); // to keep, of the rows from i on
            for (int i = 0; i < rows; ++i) {
                if (random.below(static_cast<std::uint64_t>(rows - i)) < static_cast<std::uint64_t>(left)) {
                    --left;
                } else {
                    first[i * n] = T{};
                }
            }
        }
    }
}

template <typename T>
CompressedMatrix<T> compress(SparsePattern pattern, const std::vector<T>& b, std::int64_t k, std::int64_t n) {
    CompressedMatrix<T> out{.pattern = pattern, .k = k, .n = n, .values = {}, .index = {}};
    out.values.resize(out.depth() * n);
    out.index.resize(out.depth() * n);
    for (std::int64_t group = 0; group < pattern.groups(k); ++group) {
        const int rows = group_rows(pattern, group, k);
        for (std::int64_t col = 0; col < n; ++col) {
            const T* first = b.data() + group * pattern.group * n + col;
            const auto value = [&](int i) { return i < rows ? first[i * n] : T{}; };
            int zeros = pattern.keep; // to be named besides the nonzeros
            for (int i = 0; i < pattern.group; ++i)
                zeros -= value(i) != T{} ? 1 : 0;
            std::int64_t at = group * pattern.keep * n + col;
            for (int i = 0; i < pattern.group; ++i) {
                if (value(i) == T{} && zeros-- <= 0)
                    continue;
                out.values[at] = value(i);
                out.index[at] = static_cast<std::uint8_t>(i);
                at += n;
            }
        }
    }
    return out;
}

template <typename T>
std::vector<T> decompress(const CompressedMatrix<T>& compressed) {
    std::vector<T> b(compressed.k * compressed.n);
    for (std::int64_t position = 0; position < compressed.depth(); ++position) {
        for (std::int64_t col = 0; col < compressed.n; ++col) {
            const auto row = compressed.row_of(position, col);
            if (row < compressed.k)
                b[row * compressed.n + col] = compressed.values[position * compressed.n + col];
        }
    }
    return b;
}

template std::optional<BadGroup> first_bad_group(SparsePattern, const std::vector<std::int8_t>&, std::int64_t,
                                                 std::int64_t);
template std::optional<BadGroup> first_bad_group(SparsePattern, const std::vector<float>&, std::int64_t, std::int64_t);
template void prune_by_magnitude(SparsePattern, std::vector<std::int8_t>&, std::int64_t, std::int64_t);
template void prune_by_magnitude(SparsePattern, std::vector<float>&, std::int64_t, std::int64_t);
template void prune_at_random(SparsePattern, std::vector<std::int8_t>&, std::int64_t, std::int64_t, std::uint64_t);
template void prune_at_random(SparsePattern, std::vector<float>&, std::int64_t, std::int64_t, std::uint64_t);
template CompressedMatrix<std::int8_t> compress(SparsePattern, const std::vector<std::int8_t>&, std::int64_t,
                                                std::int64_t);
template CompressedMatrix<float> compress(SparsePattern, const std::vector<float>&, std::int64_t, std::int64_t);
template std::vector<std::int8_t> decompress(const CompressedMatrix<std::int8_t>&);
template std::vector<float> decompress(const CompressedMatrix<float>&);

} // namespace systole
