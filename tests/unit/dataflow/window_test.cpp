#include <algorithm>
#include <set>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "dataflow/window.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::test;

namespace {

std::set<std::int64_t> pixels_by_hand(const WindowSide& side, const Interval& outputs) {
    std::set<std::int64_t> pixels;
    for (auto o = outputs.begin; o < outputs.end; ++o) {
        for (std::int64_t tap = 0; tap < side.kernel; ++tap) {
            const auto at = o * side.stride + tap * side.dilation - side.padding;
            if (at >= 0 && at < side.pixels)
                pixels.insert(at);
        }
    }
    return pixels;
}

// In the order of the bands.
std::vector<std::int64_t> listed(const WindowSide& side, const Interval& outputs, const Interval& before) {
    std::vector<std::int64_t> pixels;
    for (auto bands = next_bands(side, outputs, before, 0); bands.size > 0;
         bands = next_bands(side, outputs, before, bands.end())) {
        for (std::int64_t band = 0; band < bands.count; ++band) {
            for (std::int64_t i = 0; i < bands.size; ++i)
                pixels.push_back(bands.begin + band * bands.pitch + i);
        }
    }
    return pixels;
}

WindowSide any_side() {
    const auto draw = [](std::int64_t from, std::int64_t to) { return *rc::gen::inRange<std::int64_t>(from, to + 1); };
    return {draw(1, 30), draw(1, 12), draw(1, 5), draw(1, 6), draw(1, 4), draw(0, 7)};
}

} // namespace

TEST_CASE("bands list the pixels that outputs read and none before them has read", "[window]") {
    check_property("bands", 2000, [] {
        const auto side = any_side();
        const auto begin = *rc::gen::inRange<std::int64_t>(0, side.outputs);
        const auto end = *rc::gen::inRange<std::int64_t>(begin + 1, side.outputs + 1);
        const auto before_begin = *rc::gen::inRange<std::int64_t>(0, begin + 1);
        const auto before_end = std::min(end, begin + *rc::gen::inRange<std::int64_t>(0, 2));
        const Interval outputs{begin, end};
        const Interval before{before_begin, before_end};
        auto expected = pixels_by_hand(side, outputs);
        for (const auto pixel : pixels_by_hand(side, before))
            expected.erase(pixel);
        const auto pixels = listed(side, outputs, before);
        RC_ASSERT(pixels == std::vector(expected.begin(), expected.end()));
        RC_ASSERT(touched_pixels(side, outputs, before) == static_cast<std::int64_t>(expected.size()));
    });
}

TEST_CASE("the touched span reaches from the first to the last pixel that is read", "[window]") {
    check_property("span", 1000, [] {
        const auto side = any_side();
        const auto pixels = pixels_by_hand(side, {0, side.outputs});
        const auto span = touched_span(side);
        RC_ASSERT(touched_pixels(side) == static_cast<std::int64_t>(pixels.size()));
        RC_ASSERT(span.empty() == pixels.empty());
        if (pixels.empty())
            return;
        RC_ASSERT(span.begin == *pixels.begin());
        RC_ASSERT(span.end == *pixels.rbegin() + 1);
    });
}

TEST_CASE("a stride above the kernel leaves pixels out, as alike bands", "[window]") {
    // 10 pixels, kernel 2, stride 4, no padding: outputs 0, 1, 2 read pixels 0-1, 4-5 and 8-9.
    const WindowSide side{10, 3, 2, 4, 1, 0};
    const auto bands = next_bands(side, {0, 3}, {}, 0);
    CHECK(bands.begin == 0);
    CHECK(bands.size == 2);
    CHECK(bands.count == 3);
    CHECK(bands.pitch == 4);
    CHECK(touched_pixels(side) == 6);
}
