#include <vector>

#include "pe/skew_buffer.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::test;

namespace {

// What entered: [cycle][lane][position]; nothing (zeros) before cycle 0.
using History = std::vector<std::vector<std::vector<int>>>;

int at(const History& history, std::int64_t cycle, std::int64_t lane, std::int64_t position) {
    return cycle < 0 ? 0 : history[cycle][lane][position];
}

void enter(SkewBuffer<int>& buffer, std::int64_t cycle, const std::vector<std::vector<int>>& row) {
    int* to = buffer.row(cycle);
    for (const auto& lane : row) {
        for (const int value : lane)
            *to++ = value;
    }
}

} // namespace

TEST_CASE("position i of the edge reads what entered i cycles ago", "[pe][skew_buffer]") {
    SkewBuffer<int> buffer(3, 1);
    std::vector<int> edge(3);
    enter(buffer, 0, {{10, 11, 12}});
    buffer.read(0, 0, 1, edge.data(), 1);
    CHECK(edge == std::vector{10, 0, 0});
    enter(buffer, 1, {{20, 21, 22}});
    buffer.read(1, 0, 1, edge.data(), 1);
    CHECK(edge == std::vector{20, 11, 0});
    enter(buffer, 2, {{30, 31, 32}});
    buffer.read(2, 0, 1, edge.data(), 1);
    CHECK(edge == std::vector{30, 21, 12});
    buffer.read(2, 0, 0, edge.data(), 1); // without a skew: the row as a whole
    CHECK(edge == std::vector{30, 31, 32});
    buffer.clear();
    buffer.read(2, 0, 1, edge.data(), 1);
    CHECK(edge == std::vector{0, 0, 0});
}

TEST_CASE("any width, number of lanes and stride reads like a plain history", "[pe][skew_buffer]") {
    check_property("history", 200, [] {
        const auto width = *rc::gen::inRange<std::int64_t>(1, 12);
        const auto lanes = *rc::gen::inRange<std::int64_t>(1, 5);
        const auto stride = *rc::gen::inRange<std::int64_t>(1, 4);
        SkewBuffer<int> buffer(width, lanes);
        History history;
        int next = 1;
        for (std::int64_t cycle = 0; cycle < 4 * width + 3; ++cycle) { // several times around the ring
            std::vector<std::vector<int>> row(lanes, std::vector<int>(width));
            for (auto& lane : row) {
                for (int& value : lane)
                    value = next++;
            }
            enter(buffer, cycle, row);
            history.push_back(row);
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
                for (const std::int64_t skew : {0, 1}) {
                    std::vector<int> edge(width * stride, -1);
                    buffer.read(cycle, lane, skew, edge.data(), stride);
                    for (std::int64_t i = 0; i < width * stride; ++i) {
                        const auto position = i / stride;
                        RC_ASSERT(edge[i] == (i % stride ? -1 : at(history, cycle - position * skew, lane, position)));
                    }
                }
            }
        }
    });
}

TEST_CASE("a skewed edge that is written comes out as whole rows", "[pe][skew_buffer]") {
    check_property("write", 100, [] {
        const auto width = *rc::gen::inRange<std::int64_t>(1, 12);
        const auto skew = *rc::gen::element<std::int64_t>(0, 1);
        SkewBuffer<int> buffer(width, 1);
        for (std::int64_t cycle = 0; cycle < 4 * width + 3; ++cycle) {
            // Position i belongs to row `cycle - i * skew`; a value names its row and position.
            std::vector<int> edge(width);
            for (std::int64_t i = 0; i < width; ++i)
                edge[i] = static_cast<int>(100 * (cycle - i * skew) + i);
            buffer.write(cycle, skew, edge.data());
            const auto whole = cycle - (width - 1) * skew;
            if (whole < 0)
                continue;
            for (std::int64_t i = 0; i < width; ++i)
                RC_ASSERT(buffer.row(whole)[i] == 100 * whole + i);
        }
    });
}
