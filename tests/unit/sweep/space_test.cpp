#include <catch2/catch.hpp>

#include "sim/sweep/space.h"

using namespace systole;

namespace {

Space space_of(const std::vector<std::string>& axes, const std::vector<std::string>& filters = {}) {
    std::vector<Axis> parsed;
    for (const std::string& axis : axes) {
        parsed.push_back(parse_axis(axis));
    }
    std::vector<FilterText> texts;
    for (const std::string& filter : filters) {
        texts.push_back({filter, {}});
    }
    return {std::move(parsed), texts};
}

// "8 ws, 8 os": the values of all points.
std::string points_of(const Space& space) {
    std::string text;
    for (std::int64_t point = 0; point < space.size(); ++point) {
        std::string values;
        for (const auto& [key, value] : space.settings(point)) {
            values += (values.empty() ? "" : " ") + value;
        }
        text += (text.empty() ? "" : ", ") + values;
    }
    return text;
}

std::string error_of(const std::vector<std::string>& axes, const std::vector<std::string>& filters = {}) {
    try {
        space_of(axes, filters);
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

} // namespace

TEST_CASE("the last axis of a space changes fastest", "[sweep][space]") {
    const Space space = space_of({"array.rows=8,16", "dataflow=ws,os,is"});
    CHECK(space.size() == 6);
    CHECK(points_of(space) == "8 ws, 8 os, 8 is, 16 ws, 16 os, 16 is");
    CHECK(space.value_index(4, 0) == 1);
    CHECK(space.value_index(4, 1) == 1);
    CHECK(space.keys() == std::vector<std::string>{"array.rows", "dataflow"});
}

TEST_CASE("filters leave points out and keep the order of the others", "[sweep][filter]") {
    const std::vector<std::string> shapes{"array.rows=1..8", "array.cols=1..8"};
    CHECK(points_of(space_of(shapes, {"array.rows * array.cols == 8"})) == "1 8, 2 4, 4 2, 8 1");
    CHECK(points_of(space_of(shapes, {"array.rows*array.cols==8", "array.rows >= array.cols"})) == "4 2, 8 1");
    CHECK(points_of(space_of(shapes, {"array.rows > 2 and array.cols > 2 and array.rows != array.cols"})) ==
          "4 8, 8 4");
    CHECK(points_of(space_of(shapes, {"array.rows / 2 > array.cols", "array.cols < 2"})) == "4 1, 8 1");
    CHECK(space_of(shapes, {"array.rows * array.cols == 8"}).combinations() == 16);
}

TEST_CASE("filters compare words with the values of an axis", "[sweep][filter]") {
    const std::vector<std::string> axes{"dataflow=ws,os", "hbm.bandwidth=400 GB/s,800 GB/s", "m=1,2"};
    CHECK(points_of(space_of(axes, {"dataflow == ws", "hbm.bandwidth != 400 GB/s"})) == "ws 800 GB/s 1, ws 800 GB/s 2");
    CHECK(points_of(space_of(axes, {"'os' == dataflow and m == 2 and hbm.bandwidth == \"400 GB/s\""})) ==
          "os 400 GB/s 2");
    CHECK(error_of(axes, {"dataflow == wss"}) == "filter 'dataflow == wss': dataflow has no value 'wss' (write one of "
                                                 "its values)");
}

TEST_CASE("a wrong filter is refused with its cure", "[sweep][filter]") {
    const std::vector<std::string> axes{"array.rows=8,16", "dataflow=ws,os"};
    CHECK_THAT(error_of(axes, {"array.rows"}), Catch::Contains("compares nothing"));
    CHECK_THAT(error_of(axes, {""}), Catch::Contains("compares nothing"));
    CHECK_THAT(error_of(axes, {"array.cols < 8"}), Catch::Contains("unknown name 'array.cols' (known: array.rows, "));
    CHECK_THAT(error_of(axes, {"array.rows < "}), Catch::Contains("it ends where a number is expected"));
    CHECK_THAT(error_of(axes, {"array.rows / (array.rows - 8) > 0"}), Catch::Contains("division by zero"));
    CHECK_THAT(error_of(axes, {"dataflow > 3"}), Catch::Contains("can only be compared with == and !="));
    CHECK_THAT(error_of(axes, {"array.rows > 100"}), Catch::Contains("leave none of the 4 combinations"));
}

TEST_CASE("a space that is empty, repeats a key or is too large is refused", "[sweep][space]") {
    CHECK_THAT(error_of({}), Catch::Contains("a sweep needs an axis"));
    CHECK_THAT(error_of({"a=1,2", "b,a=3"}), Catch::Contains("a is in two axes, or twice in one"));
    CHECK_THAT(error_of({"a=1..4000:1", "b=1..4000:1"}), Catch::Contains("more than 10000000 combinations"));
    CHECK_THAT(error_of({"a=1..1001:1", "b=1..1000:1"}), Catch::Contains("more than 1000000 points"));
    CHECK(space_of({"a=1..1001:1", "b=1..1000:1"}, {"a != 1"}).size() == 1'000'000);
}

TEST_CASE("two spaces have the same text exactly if they have the same points", "[sweep][space]") {
    const std::string text = space_of({"a=1..4", "b,c=1x2"}, {"a > 1"}).text();
    CHECK(space_of({"a=1,2,4", "b,c=1x2"}, {" a > 1 "}).text() == text);
    CHECK(space_of({"a=1,2", "b,c=1x2"}, {"a > 1"}).text() != text);
    CHECK(space_of({"a=1..4", "b,c=1x2"}).text() != text);
    CHECK(space_of({"b,c=1x2", "a=1..4"}, {"a > 1"}).text() != text);
}
