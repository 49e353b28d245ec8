#include <catch2/catch.hpp>

#include "sim/workload/sparsity_pattern.h"

using namespace systole;

TEST_CASE("N:M that the array can run, and dense") {
    CHECK(parse_sparsity_pattern("2:4").value == SparsePattern{2, 4});
    CHECK(parse_sparsity_pattern("1:4").value == SparsePattern{1, 4});
    CHECK(parse_sparsity_pattern("4:8").value == SparsePattern{4, 8});
    for (const auto* text : {"dense", "Dense", "1:1", "4:4", "17:17"})
        CHECK(parse_sparsity_pattern(text).value == dense_pattern);
    CHECK(name(SparsePattern{2, 4}) == "2:4");
    CHECK(name(dense_pattern) == "dense");
}

TEST_CASE("anything else is refused with what there is") {
    for (const auto* text : {"", "2", "2:", ":4", "4:2", "0:4", "2:4:8", "-2:4", "2:x", "both", "2 :4"})
        CHECK_THAT(parse_sparsity_pattern(text).error, Catch::Contains("like 2:4"));
    for (const auto* text : {"3:4", "3:8", "2:16", "8:16"})
        CHECK_THAT(parse_sparsity_pattern(text).error, Catch::Contains("N must divide M"));
}
