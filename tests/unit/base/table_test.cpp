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

TEST_CASE("names that begin with a word are found by letters and digits, the shortest first", "[base][table]") {
    const std::vector<std::string> names{"hbm3_2pc_no_refresh", "hbm3_2pc", "hbm2_1pc", "edge_16x16", "hbm3_6400"};
    CHECK(beginning_with("edge16", names) == std::vector<std::string>{"edge_16x16"});
    CHECK(beginning_with("HBM-3", names) == std::vector<std::string>{"hbm3_2pc", "hbm3_6400", "hbm3_2pc_no_refresh"});
    CHECK(beginning_with("hb", names).empty()); // too short to say anything
    CHECK(beginning_with("__", names).empty());
    CHECK(beginning_with("16x16", names).empty()); // in the middle
}

TEST_CASE("alternatives are written as one says them", "[base][table]") {
    CHECK(alternatives({}).empty());
    CHECK(alternatives({"a"}) == "'a'");
    CHECK(alternatives({"a", "b"}) == "'a' or 'b'");
    CHECK(alternatives({"a", "b", "c"}) == "'a', 'b' or 'c'");
}
