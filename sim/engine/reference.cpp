#include "sim/engine/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/wide.h"
#include "sim/engine/im2col.h"

namespace systole {

namespace {

SumChain tiles_of(std::int64_t depth, std::int64_t tile) {
    SumChain tiles;
    for (std::int64_t begin = 0; begin < depth; begin += tile)
        tiles.push_back({begin, std::min(begin + tile, depth)});
    return tiles;
}

std::vector<SumChain> streamed_chains(const Mapping& mapping, std::int64_t pass_depth) {
    std::vector<SumChain> chains;
    for (const auto& tile : tiles_of(mapping.problem.depth, mapping.tile.depth)) {
        for (auto begin = tile.begin; begin < tile.end; begin += pass_depth)
            chains.push_back({{begin, std::min(begin + pass_depth, tile.end)}});
    }
    return chains;
}

SumBlock block_at(const CoreShare& share, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
    if (share.mapping.problem.dataflow == Dataflow::input_stationary) {
        std::swap(row, col);
        std::swap(rows, cols);
    }
    return {.m0 = share.m0 + row,
            .m = rows,
            .n0 = share.n0 + col,
            .n = cols,
            .instance0 = share.instance0,
            .instances = share.mapping.problem.count,
            .chains = {}};
}

void add_output_blocks(const CoreShare& share, const CoreLimits& limits, std::vector<SumBlock>& blocks) {
    const auto& mapping = share.mapping;
    const auto& problem = mapping.problem;
    const auto group = group_shape(mapping, limits);
    const auto tiles = tiles_of(problem.depth, mapping.tile.depth);
    for (const auto& rows : tiles_of(problem.rows, mapping.tile.rows)) {
        for (const auto& cols : tiles_of(problem.cols, mapping.tile.cols)) {
            auto block = block_at(share, rows.begin, rows.end - rows.begin, cols.begin, cols.end - cols.begin);
            const bool stays = rows.end - rows.begin <= group.rows && cols.end - cols.begin <= group.cols;
            if (stays) {
                block.chains = {tiles};
            } else {
                for (const auto& tile : tiles)
                    block.chains.push_back({tile});
            }
            blocks.push_back(std::move(block));
        }
    }
}

} // namespace

std::vector<SumBlock> sum_blocks(const std::vector<CoreShare>& shares, const CoreLimits& limits) {
    std::vector<SumBlock> blocks;
    for (const auto& share : shares) {
        const auto& problem = share.mapping.problem;
        if (problem.dataflow == Dataflow::output_stationary) {
            add_output_blocks(share, limits, blocks);
            continue;
        }
        auto block = block_at(share, 0, problem.rows, 0, problem.cols);
        block.chains = streamed_chains(share.mapping, group_shape(share.mapping, limits).depth);
        blocks.push_back(std::move(block));
    }
    return blocks;
}

namespace {

// Columns whose sums stay in registers while k runs.
constexpr std::int64_t width = 64;

SYSTOLE_WIDE
void add_range(SumRange range, int q, const float* a, const float* b, std::int64_t stride, float* sums) {
    float local[width];
    std::copy(sums, sums + width, local);
    for (auto k = range.begin; k < range.end; k += q) {
        float step[width];
        for (std::int64_t n = 0; n < width; ++n)
            step[n] = a[k] * b[k * stride + n];
        for (auto lane = k + 1; lane < std::min(k + q, range.end); ++lane) {
            for (std::int64_t n = 0; n < width; ++n)
                step[n] += a[lane] * b[lane * stride + n];
        }
        for (std::int64_t n = 0; n < width; ++n)
            local[n] += step[n];
    }
    std::copy(local, local + width, sums);
}

SYSTOLE_WIDE
void add_range(SumRange range, int, const std::int8_t* a, const std::int8_t* b, std::int64_t stride,
               std::uint32_t* sums) {
    std::uint32_t local[width];
    std::copy(sums, sums + width, local);
    for (auto k = range.begin; k < range.end; ++k) {
        for (std::int64_t n = 0; n < width; ++n) {
            const auto product = static_cast<std::int16_t>(a[k] * b[k * stride + n]); // of int8 values: always fits
            local[n] += static_cast<std::uint32_t>(std::int32_t{product});
        }
    }
    std::copy(local, local + width, sums);
}

bool same(std::uint32_t sum, Pattern found) { return sum == static_cast<std::uint32_t>(found); }

bool same(float sum, Pattern found) {
    return pattern_of(std::isnan(sum) ? std::numeric_limits<float>::quiet_NaN() : sum) == found;
}

// `width` columns of B from n0 on, zeros behind the last, so that the loops above have no ragged end.
template <typename T>
std::vector<T> columns(const T* b, const GemmProblem& problem, std::int64_t n0, std::int64_t count) {
    std::vector<T> panel(problem.k * width);
    for (std::int64_t k = 0; k < problem.k; ++k)
        std::copy_n(b + k * problem.n + n0, count, panel.begin() + k * width);
    return panel;
}

// A sparse B: the positions of a range of k. Those beyond what a ragged last group has stand for no k.
SumRange positions_of(SumRange range, SparsePattern pattern) {
    const auto first = range.begin / pattern.group * pattern.keep;
    return {first, first + used_depth(pattern, range.end - range.begin)};
}

// As add_range(), with elements of A that differ from column to column.
template <typename Sum, typename T>
void add_positions(SumRange range, int q, const T* a, const T* b, Sum* sums) {
    for (auto p = range.begin; p < range.end; p += q) {
        Sum step[width];
        for (auto lane = p; lane < std::min(p + q, range.end); ++lane) {
            for (std::int64_t n = 0; n < width; ++n) {
                const auto at = lane * width + n;
                const auto product = static_cast<Sum>(a[at] * b[at]);
                step[n] = lane == p ? product : static_cast<Sum>(step[n] + product);
            }
        }
        for (std::int64_t n = 0; n < width; ++n)
            sums[n] += step[n];
    }
}

template <typename Sum, typename T>
std::int64_t first_of_sparse_panel(const GemmProblem& problem, const std::vector<T>& a, const CompressedMatrix<T>& b,
                                   const std::vector<Pattern>& c, const SumBlock& block, std::int64_t n0, int q) {
    const auto count = std::min(width, block.n0 + block.n - n0);
    std::vector<T> values(b.depth() * width), picked(b.depth() * width);
    for (std::int64_t p = 0; p < b.depth(); ++p)
        std::copy_n(b.values.begin() + p * b.n + n0, count, values.begin() + p * width);
    for (auto m = block.m0; m < block.m0 + block.m; ++m) {
        for (std::int64_t p = 0; p < b.depth(); ++p) {
            for (std::int64_t n = 0; n < count; ++n) {
                const auto k = b.row_of(p, n0 + n);
                picked[p * width + n] = k < problem.k ? a[m * problem.k + k] : T{};
            }
        }
        Sum total[width] = {};
        for (const auto& chain : block.chains) {
            Sum sums[width] = {};
            for (const auto& range : chain)
                add_positions(positions_of(range, b.pattern), q, picked.data(), values.data(), sums);
            for (std::int64_t n = 0; n < width; ++n)
                total[n] += sums[n];
        }
        for (std::int64_t n = 0; n < count; ++n) {
            if (!same(total[n], c[m * problem.n + n0 + n]))
                return m * problem.n + n0 + n;
        }
    }
    return -1;
}

// One of the products.
template <typename T>
struct Product {
    const T* a;
    const T* b;
    const Pattern* c;
};

template <typename Sum, typename T>
std::int64_t first_of_panel(const GemmProblem& problem, const Product<T>& product, const SumBlock& block,
                            std::int64_t n0, int q) {
    const auto count = std::min(width, block.n0 + block.n - n0);
    const auto panel = columns(product.b, problem, n0, count);
    for (auto m = block.m0; m < block.m0 + block.m; ++m) {
        Sum total[width] = {};
        for (const auto& chain : block.chains) {
            Sum sums[width] = {};
            for (const auto& range : chain)
                add_range(range, q, product.a + m * problem.k, panel.data(), width, sums);
            for (std::int64_t n = 0; n < width; ++n)
                total[n] += sums[n];
        }
        for (std::int64_t n = 0; n < count; ++n) {
            if (!same(total[n], product.c[m * problem.n + n0 + n]))
                return m * problem.n + n0 + n;
        }
    }
    return -1;
}

} // namespace

namespace {

template <typename Sum, typename T>
std::int64_t first_of_all(const GemmProblem& problem, const OperandValues<T>& values, const std::vector<Pattern>& c,
                          const std::vector<SumBlock>& blocks, int q) {
    const bool dense = problem.sparsity.dense();
    const auto compressed = dense ? CompressedMatrix<T>{} : compress(problem.sparsity, values.b, problem.k, problem.n);
    const auto seen = problem.window ? im2col(problem, values.a) : std::vector<T>{};
    const auto& a = problem.window ? seen : values.a;
    std::int64_t first = -1;
    const auto look_at = [&](const SumBlock& block, std::int64_t instance, std::int64_t n0) {
        const Product<T> product{a.data() + instance * problem.m * problem.k,
                                 values.b.data() + instance * problem.k * problem.n,
                                 c.data() + instance * problem.m * problem.n};
        const auto found = dense ? first_of_panel<Sum>(problem, product, block, n0, q)
                                 : first_of_sparse_panel<Sum>(problem, a, compressed, c, block, n0, q);
        const auto at = instance * problem.m * problem.n + found;
        if (found >= 0 && (first < 0 || at < first))
            first = at;
    };
    for (const auto& block : blocks) {
        for (auto i = block.instance0; i < block.instance0 + block.instances; ++i) {
            for (auto n0 = block.n0; n0 < block.n0 + block.n; n0 += width)
                look_at(block, i, n0);
        }
    }
    return first;
}

} // namespace

std::int64_t first_difference(const GemmProblem& problem, const GemmValues& values, const std::vector<SumBlock>& blocks,
                              int q) {
    return values.operands.index() == 0
               ? first_of_all<std::uint32_t>(problem, std::get<0>(values.operands), values.c, blocks, q)
               : first_of_all<float>(problem, std::get<1>(values.operands), values.c, blocks, q);
}

} // namespace systole
