// What of a matrix is kept, stored and found wanting, on matrices that can be read; then the laws on random ones.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "pe/sparsity.h"
#include "sim/base/splitmix.h"

using namespace systole;

namespace {

using Matrix = std::vector<std::int8_t>;

constexpr SparsePattern two_of_four{2, 4};
constexpr SparsePattern patterns[] = {{2, 4}, {1, 4}, {4, 8}, {1, 2}, {3, 4}, {1, 1}, {2, 16}};

template <typename T>
std::vector<T> random_matrix(std::int64_t k, std::int64_t n, std::uint64_t seed) {
    SplitMix random(seed);
    std::vector<T> b(k * n);
    for (T& value : b)
        value = static_cast<T>(static_cast<int>(random.below(7)) - 3); // zeros and equal magnitudes are common
    return b;
}

} // namespace

TEST_CASE("what is stored of a column: N of every group, the last one as well", "[pe][sparsity]") {
    CHECK(two_of_four.groups(8) == 2);
    CHECK(two_of_four.groups(9) == 3);
    CHECK(two_of_four.stored_depth(9) == 6);
    CHECK(two_of_four.index_bits() == 2);
    CHECK(SparsePattern{4, 8}.index_bits() == 3);
    CHECK(SparsePattern{1, 1}.stored_depth(9) == 9);
    CHECK(SparsePattern{1, 1}.index_bits() == 0);
    CHECK(SparsePattern{1, 1}.dense());
    CHECK_FALSE(two_of_four.dense());
}

TEST_CASE("the first bad group is that of the uppermost rows, of these the leftmost", "[pe][sparsity]") {
    // column    0  1  2
    const Matrix b{1, 1, 0, //
                   1, 0, 1, //
                   0, 1, 1, //
                   0, 0, 1, // column 2: three of four
                   1, 0, 0, //
                   1, 0, 0, //
                   1, 0, 0};
    const auto bad = first_bad_group(two_of_four, b, 7, 3);
    REQUIRE(bad);
    CHECK(bad->group == 0);
    CHECK(bad->col == 2);
    CHECK(bad->nonzeros == 3);
    CHECK(explain(*bad, two_of_four, 7) == "rows 0..3, column 2: 3 of 4 are nonzero, 2:4 allows 2");
    const auto lower = first_bad_group(two_of_four, Matrix(b.begin() + 12, b.end()), 3, 3);
    REQUIRE(lower); // a ragged group
    CHECK(explain(*lower, two_of_four, 3) == "rows 0..2, column 0: 3 of 3 are nonzero, 2:4 allows 2");
    CHECK_FALSE(first_bad_group({3, 4}, b, 7, 3));
}

TEST_CASE("pruning keeps the larger magnitudes, of equal ones the upper", "[pe][sparsity]") {
    Matrix b{3,  -1, 5, 1, //
             -5, 1,  5, 0, //
             4,  -1, 5, 0, //
             1,  1,  5, -128};
    prune_by_magnitude(two_of_four, b, 4, 4);
    CHECK(b == Matrix{0, -1, 5, 1, //
                      -5, 1, 5, 0, //
                      4, 0, 0, 0,  //
                      0, 0, 0, -128});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> floats{1, 3, nan, 2};
    prune_by_magnitude(two_of_four, floats, 4, 1);
    CHECK(floats[0] == 0);
    CHECK(floats[1] == 3);
    CHECK(std::isnan(floats[2]));
    CHECK(floats[3] == 0);
    // of an infinity and a NaN below it the NaN: a product must not lose what went wrong in its weights
    std::vector<float> broken{std::numeric_limits<float>::infinity(), nan};
    prune_by_magnitude({1, 2}, broken, 2, 1);
    CHECK(broken[0] == 0);
    CHECK(std::isnan(broken[1]));
}

TEST_CASE("stored positions are the nonzeros and the lowest zeros, in ascending order", "[pe][sparsity]") {
    const Matrix b{0, 0, 7, //
                   0, 9, 0, //
                   5, 0, 0, //
                   6, 0, 0, //
                   8, 0, 0};
    const auto stored = compress(two_of_four, b, 5, 3);
    CHECK(stored.depth() == 4);
    CHECK(stored.values == Matrix{5, 0, 7, //
                                  6, 9, 0, //
                                  8, 0, 0, //
                                  0, 0, 0});
    CHECK(stored.index == std::vector<std::uint8_t>{2, 0, 0, //
                                                    3, 1, 1, //
                                                    0, 0, 0, //
                                                    1, 1, 1});
    CHECK(stored.row_of(1, 0) == 3);
    CHECK(stored.row_of(3, 2) == 5); // beyond K: a padding position
    CHECK(decompress(stored) == b);
}

TEMPLATE_TEST_CASE("a pruned matrix has no bad group and survives compression", "[pe][sparsity]", std::int8_t, float) {
    for (const SparsePattern pattern : patterns) {
        for (const std::int64_t k : {1, 3, 4, 7, 16, 33}) {
            const std::int64_t n = 5;
            const auto dense = random_matrix<TestType>(k, n, static_cast<std::uint64_t>(k));
            auto pruned = dense, drawn = dense;
            prune_by_magnitude(pattern, pruned, k, n);
            prune_at_random(pattern, drawn, k, n, 1);
            for (const auto& b : {pruned, drawn}) {
                INFO(pattern.keep << ":" << pattern.group << ", K = " << k);
                CHECK_FALSE(first_bad_group(pattern, b, k, n));
                const auto stored = compress(pattern, b, k, n);
                CHECK(decompress(stored) == b);
                for (std::int64_t i = 0; i < stored.depth() * n; ++i) {
                    const bool later = i / n % pattern.keep > 0; // not the first of its group
                    if (stored.index[i] >= pattern.group || (later && stored.index[i] <= stored.index[i - n]))
                        FAIL_CHECK("place " << int{stored.index[i]} << " at " << i);
                }
                for (std::int64_t i = 0; i < k * n; ++i) {
                    if (b[i] != 0 && b[i] != dense[i])
                        FAIL_CHECK("element " << i << " is neither kept nor zero");
                }
            }
        }
    }
}

TEST_CASE("pruning by magnitude loses no more than any other choice", "[pe][sparsity]") {
    auto b = random_matrix<std::int8_t>(64, 8, 9);
    const auto dense = b;
    prune_by_magnitude(two_of_four, b, 64, 8);
    for (std::int64_t group = 0; group < 16; ++group) {
        for (std::int64_t col = 0; col < 8; ++col) {
            std::vector<int> sizes;
            int kept = 0;
            for (std::int64_t row = group * 4; row < group * 4 + 4; ++row) {
                sizes.push_back(std::abs(dense[row * 8 + col]));
                kept += std::abs(b[row * 8 + col]);
            }
            std::sort(sizes.begin(), sizes.end());
            CHECK(kept == sizes[2] + sizes[3]);
        }
    }
}

TEST_CASE("random positions are all as likely as each other", "[pe][sparsity]") {
    constexpr std::int64_t groups = 60'000;
    Matrix b(groups * 4, 1);
    prune_at_random(two_of_four, b, groups * 4, 1, 7);
    std::map<int, int> found;
    for (std::int64_t group = 0; group < groups; ++group) {
        int mask = 0;
        for (int i = 0; i < 4; ++i)
            mask |= b[group * 4 + i] != 0 ? 1 << i : 0;
        ++found[mask];
    }
    CHECK(found.size() == 6); // 4 over 2
    for (const auto& [mask, count] : found) {
        INFO(mask);
        CHECK(std::abs(count - 10'000) < 500); // 10,000 +- 5.5 sigma, sigma = sqrt(60,000 * 1/6 * 5/6) = 91
    }
}
