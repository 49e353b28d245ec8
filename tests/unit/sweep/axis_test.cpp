#include <catch2/catch.hpp>

#include "sim/sweep/axis.h"

using namespace systole;

namespace {

using Texts = std::vector<std::vector<std::string>>;

Texts texts_of(const std::string& axis) {
    Texts texts;
    for (const AxisValue& value : parse_axis(axis).values) {
        texts.push_back(value.texts);
    }
    return texts;
}

Texts single(const std::vector<std::string>& words) {
    Texts texts;
    for (const std::string& word : words) {
        texts.push_back({word});
    }
    return texts;
}

std::string error_of(const std::string& axis) {
    try {
        parse_axis(axis);
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

struct Bad {
    const char* axis;
    const char* message;
};

} // namespace

TEST_CASE("the values of an axis are words, numbers and ranges in their order", "[sweep][axis]") {
    CHECK(texts_of("dataflow=ws,os,is") == single({"ws", "os", "is"}));
    CHECK(texts_of("array.rows=8,16,32..256") == single({"8", "16", "32", "64", "128", "256"}));
    CHECK(texts_of("vmem.capacity= 16 MiB , unlimited") == single({"16 MiB", "unlimited"}));
    CHECK(texts_of("chip=edge_16x16") == single({"edge_16x16"})); // the x of a word belongs to the word
    CHECK(parse_axis("array.rows=8").keys == std::vector<std::string>{"array.rows"});
}

TEST_CASE("a range doubles, multiplies or adds, with a unit or without", "[sweep][axis]") {
    CHECK(texts_of("a=1..8") == single({"1", "2", "4", "8"}));
    CHECK(texts_of("a=8..512*4") == single({"8", "32", "128", "512"}));
    CHECK(texts_of("a=1..9:2") == single({"1", "3", "5", "7", "9"}));
    CHECK(texts_of("a=1..10:2") == single({"1", "3", "5", "7", "9"})); // while not above the last value
    CHECK(texts_of("a=0..2:1") == single({"0", "1", "2"}));
    CHECK(texts_of("a=5..5") == single({"5"}));
    CHECK(texts_of("hbm.bandwidth=400..1600 GB/s") == single({"400 GB/s", "800 GB/s", "1600 GB/s"}));
    CHECK(texts_of("hbm.bandwidth=400 GB/s..600 GB/s:100") == single({"400 GB/s", "500 GB/s", "600 GB/s"}));
}

TEST_CASE("linked keys take one value for all or one for each", "[sweep][axis]") {
    CHECK(texts_of("a,b=8..32") == Texts{{"8", "8"}, {"16", "16"}, {"32", "32"}});
    CHECK(texts_of("a,b=8x512,16x16") == Texts{{"8", "512"}, {"16", "16"}});
    CHECK(texts_of("a,b=8x64..64x8") == Texts{{"8", "64"}, {"16", "32"}, {"32", "16"}, {"64", "8"}});
    CHECK(texts_of("a,b,c=1x2x4..4x2x1") == Texts{{"1", "2", "4"}, {"2", "2", "2"}, {"4", "2", "1"}});
    CHECK(texts_of("a,b=ws") == Texts{{"ws", "ws"}});
}

TEST_CASE("a wrong axis is refused with its cure", "[sweep][axis]") {
    const auto c = GENERATE(
        Bad{"array.rows", "is not KEY=V,V,..."}, Bad{"=8", "names no key"}, Bad{"a,=8", "names no key"},
        Bad{"array.rows=", "has no values (give at least one)"}, Bad{"a=8,,9", "has an empty value"},
        Bad{"a=8,4..16", "has the value 8 twice"}, Bad{"a=8..20", "does not arrive at 20 (end at 16"},
        Bad{"a=16..8", "goes down (write 8..16)"}, Bad{"a=0..8", "cannot multiply 0"},
        Bad{"a=8..", "is not FIRST..LAST"}, Bad{"a=1..9:0", "has no step behind ':'"},
        Bad{"a=1..9*1", "has no step behind '*'"}, Bad{"a=1 KiB..8 MiB", "has different units"},
        Bad{"a=1..99999999999999999999", "is not FIRST..LAST"}, Bad{"a=0..10000000:1", "more than 100000 values"},
        Bad{"a,b=8x8x8", "has 3 numbers for 2 linked keys"}, Bad{"a,b=8x8..32x24", "by doubling or halving"},
        Bad{"a,b=8x8..32x16", "different numbers of steps"}, Bad{"a,b=8x8..32", "needs 2 numbers at both ends"});
    CAPTURE(c.axis);
    CHECK_THAT(error_of(c.axis), Catch::Contains(c.message));
}
