#include <catch2/catch.hpp>

#include "sim/base/table.h"

using namespace systole;

TEST_CASE("the nearest word is found up to a third of its letters", "[base][table]") {
    const std::vector<std::string> keys{"array.rows", "array.cols", "clock", "vmem.capacity"};
    CHECK(nearest("array.clos", keys) == "array.cols"); // neighbours swapped count once
    CHECK(nearest("ARRAY.ROWS", keys) == "array.rows");
    CHECK(nearest("vmem.capcity", keys) == "vmem.capacity");
    CHECK(nearest("clcok", keys) == "clock");
    CHECK(nearest("clxyz", keys).empty()); // 3 of 5 letters differ
    CHECK(nearest("", keys).empty());
    CHECK(nearest("clock", {}).empty());
    CHECK(nearest(std::string(1'000'000, 'x'), keys).empty());
}

TEST_CASE("of two words as near the one that begins alike is taken", "[base][table]") {
    CHECK(nearest("tpu_v5", {"tpu_v1", "tpu_v4", "tpu_v5e"}) == "tpu_v5e");
    CHECK(nearest("tpu_v5", {"tpu_v5e", "tpu_v4"}) == "tpu_v5e");
}
