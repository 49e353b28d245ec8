#include <catch2/catch.hpp>

#include "sim/base/error.h"

using namespace systole;

TEST_CASE("a place is written as compilers write it", "[base][error]") {
    CHECK(to_string(Place{"chip.toml", 7, 1}) == "chip.toml:7:1");
    CHECK(to_string(Place{"chip.toml", 7, 0}) == "chip.toml:7");
    CHECK(to_string(Place{"chip.toml"}) == "chip.toml");
    CHECK(to_string(Place{}).empty());
}

TEST_CASE("an input error says every problem on a line of its own", "[base][error]") {
    const InputError error({{{"a.toml", 1, 2}, "first"}, {{}, "second"}});
    CHECK(std::string(error.what()) == "a.toml:1:2: first\nsecond");
    CHECK(error.diagnostics().size() == 2);
    CHECK(std::string(InputError("alone").what()) == "alone");
    CHECK(std::string(InputError({"a.toml"}, "empty").what()) == "a.toml: empty");
}

TEST_CASE("collected problems are thrown in the order of the lines of each file", "[base][error]") {
    Diagnostics found;
    CHECK_NOTHROW(found.throw_if_any());
    found.add({"b.toml", 5, 1}, "late");
    found.add({"--set x=1"}, "override");
    found.add({"b.toml", 2, 9}, "early");
    found.add({"b.toml"}, "whole");
    CHECK(found.size() == 4);
    CHECK_THROWS_WITH(found.throw_if_any(), "b.toml: whole\nb.toml:2:9: early\nb.toml:5:1: late\n--set x=1: override");
}
