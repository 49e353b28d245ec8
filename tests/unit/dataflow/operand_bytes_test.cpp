#include <catch2/catch.hpp>

#include "dataflow/operand_bytes.h"
#include "dataflow/pass_counter.h"

using namespace systole;

namespace {

constexpr SparsePattern two_of_four{2, 4};

OrientedGemm gemm(Dataflow dataflow, std::int64_t m, std::int64_t n, std::int64_t k) {
    GemmProblem problem{"g", m, n, k, {}, two_of_four};
    return orient(problem, dataflow);
}

} // namespace

TEST_CASE("MACs are done at min(N, size) positions of a group") {
    CHECK(used_depth(two_of_four, 8) == 4);
    CHECK(used_depth(two_of_four, 5) == 3);
    CHECK(used_depth(two_of_four, 6) == 4);
    CHECK(used_depth(two_of_four, 7) == 4);
    CHECK(used_depth(dense_pattern, 7) == 7);
}

TEST_CASE("B is stored as values and indices, the last group padded, A as it is") {
    const auto g = gemm(Dataflow::weight_stationary, 3, 5, 9); // 3 groups
    CHECK(y_bytes(g, 9, 5) == StoredBytes{2 * 3 * 5, (4 * 3 * 5 + 7) / 8});
    CHECK(x_bytes(g, 3, 9) == StoredBytes{27, 0});
    const auto i = gemm(Dataflow::input_stationary, 3, 5, 9); // x = B transposed
    CHECK(x_bytes(i, 5, 9) == StoredBytes{30, 8});
    CHECK(y_bytes(i, 9, 3) == StoredBytes{27, 0});
    CHECK(x_stored_depth(i, 9) == 6);
    CHECK(y_stored_depth(i, 9) == 9);
}

TEST_CASE("the indices of all units are those of B, none counted twice") {
    // K = 12, N = 7 by units of 8 of K and 3 columns: 3 * 7 * 4 bits = 10.5 bytes.
    Bytes sum = 0, end = 0;
    for (std::int64_t col = 0; col < 7; col += 3) {
        for (std::int64_t depth = 0; depth < 12; depth += 8) {
            const IndexPart part{col, std::min<std::int64_t>(3, 7 - col), depth, std::min<std::int64_t>(8, 12 - depth)};
            const auto range = index_range(two_of_four, 12, part);
            CHECK(range.offset == end);
            end = range.offset + range.bytes;
            sum += range.bytes;
        }
    }
    CHECK(sum == 11);
}

TEST_CASE("a PE sees the activations of the groups that its values belong to") {
    const auto at = [](SparsePattern pattern, int q, std::int64_t depth, std::int64_t step) {
        const auto range = activations_of(pattern, q, depth, step);
        return std::pair{range.begin, range.count};
    };
    using P = std::pair<std::int64_t, std::int64_t>;
    CHECK(at(two_of_four, 1, 8, 0) == P{0, 4});
    CHECK(at(two_of_four, 1, 8, 1) == P{0, 4});
    CHECK(at(two_of_four, 1, 8, 2) == P{4, 4});
    CHECK(at(two_of_four, 1, 5, 2) == P{4, 1}); // a ragged group of one
    CHECK(at(two_of_four, 1, 5, 3).second == 0);
    CHECK(at(two_of_four, 2, 8, 1) == P{4, 4});
    CHECK(at(two_of_four, 4, 8, 0) == P{0, 8});
    CHECK(at({1, 4}, 2, 16, 1) == P{8, 8});
    CHECK(at({4, 8}, 2, 16, 3) == P{8, 8});
    CHECK(at(dense_pattern, 2, 5, 2) == P{4, 1});
}
