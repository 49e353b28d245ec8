#include "dataflow/operand_bytes.h"

namespace systole {

namespace {

StoredBytes bytes_of(std::int64_t elements, Format format, int index_bits) {
    constexpr std::int64_t byte = 8;
    return {stored_bytes(elements, format), index_bits == 0 ? 0 : ceil_div(elements * index_bits, byte)};
}

int index_bits(SparsePattern pattern) { return pattern.dense() ? 0 : pattern.index_bits(); }

std::int64_t stored(SparsePattern pattern, std::int64_t depth) {
    return pattern.dense() ? depth : pattern.stored_depth(depth);
}

} // namespace

std::int64_t x_stored_depth(const OrientedGemm& gemm, std::int64_t depth) { return stored(gemm.x_pattern(), depth); }

std::int64_t y_stored_depth(const OrientedGemm& gemm, std::int64_t depth) { return stored(gemm.y_pattern(), depth); }

StoredBytes x_bytes(const OrientedGemm& gemm, std::int64_t rows, std::int64_t depth) {
    if (gemm.sparsity.dense())
        return {stored_bytes(rows * depth, gemm.x), 0};
    return bytes_of(rows * x_stored_depth(gemm, depth), gemm.x, index_bits(gemm.x_pattern()));
}

StoredBytes y_bytes(const OrientedGemm& gemm, std::int64_t depth, std::int64_t cols) {
    if (gemm.sparsity.dense())
        return {stored_bytes(depth * cols, gemm.y), 0};
    return bytes_of(y_stored_depth(gemm, depth) * cols, gemm.y, index_bits(gemm.y_pattern()));
}

StoredBytes b_bytes(const GemmProblem& problem) {
    return bytes_of(stored(problem.sparsity, problem.k) * problem.n, problem.formats.b, index_bits(problem.sparsity));
}

Bytes bytes_of_a(const GemmProblem& problem) {
    return problem.window ? stored_bytes(problem.count * problem.window->pixels(), problem.formats.a)
                          : problem.count * stored_bytes(problem.m * problem.k, problem.formats.a);
}

IndexRange index_range(SparsePattern pattern, std::int64_t whole_depth, const IndexPart& part) {
    if (pattern.dense())
        return {};
    constexpr std::int64_t byte = 8;
    const auto before = part.line * stored(pattern, whole_depth) + stored(pattern, part.begin) * part.lines;
    const auto behind = before + stored(pattern, part.depth) * part.lines;
    const auto first = ceil_div(before * index_bits(pattern), byte);
    return {first, ceil_div(behind * index_bits(pattern), byte) - first};
}

} // namespace systole
