#include <catch2/catch.hpp>

#include "sim/report/label_layout.h"

using namespace systole;

TEST_CASE("the width of a text counts characters, not bytes") {
    CHECK(text_width("abc", 10) == text_width("\u00e4\u2026\u20ac", 10));
    CHECK(text_width("abcd", 10) == Approx(2 * text_width("ab", 10)));
}

TEST_CASE("no two labels overlap, and none leaves the area") {
    const PixelBox area{0, 0, 400, 300};
    LabelLayout labels(area, 15);
    std::vector<PixelBox> placed;
    for (int i = 0; i < 60; ++i) { // more than there is room for near so few places
        const auto box = labels.place(200 + i % 3, 150 + i % 5, "operator");
        if (box) {
            CHECK(box->inside(area));
            for (const PixelBox& other : placed) {
                CHECK_FALSE(box->overlaps(other));
            }
            placed.push_back(*box);
        }
    }
    CHECK(placed.size() >= 6);
    CHECK(placed.size() < 60);
}

TEST_CASE("a label keeps away from what is kept clear and, where it can, from lines") {
    LabelLayout labels({0, 0, 400, 300}, 15);
    labels.avoid_line(0, 150, 400, 150); // through the point itself: a label beside it would be crossed
    const auto box = labels.place(200, 150, "qk");
    REQUIRE(box);
    CHECK((box->bottom < 150 || box->top > 150));

    LabelLayout full({0, 0, 400, 300}, 15);
    full.keep_clear({0, 0, 400, 300});
    CHECK_FALSE(full.place(200, 150, "qk"));
}

TEST_CASE("turned texts are kept clear along their way") {
    LabelLayout labels({0, 0, 400, 300}, 15);
    labels.keep_clear_turned(100, 200, 150, 45); // up and to the right: ends near 206, 94
    const auto box = labels.place(193, 107, "qk");
    REQUIRE(box);
    CHECK_FALSE(box->overlaps({195, 99, 205, 111}));
}

TEST_CASE("texts that would touch are put into rows") {
    CHECK(rows_of({{0, 10}, {20, 30}}) == std::vector<int>{0, 0});
    CHECK(rows_of({{0, 10}, {5, 15}, {8, 9}, {16, 20}}) == std::vector<int>{0, 1, 2, 0});
    CHECK(rows_of({}).empty());
}
