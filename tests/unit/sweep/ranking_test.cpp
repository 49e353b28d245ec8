#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/sweep/ranking.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::test;

namespace {

std::vector<Cell> cells(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

using Numbers = std::vector<std::size_t>;

} // namespace

TEST_CASE("points are ranked by the name of a metric or by what people call it", "[sweep][ranking]") {
    CHECK(ranking_key("cycles").name == "cycles");
    CHECK(ranking_key("time").name == "seconds");
    CHECK(ranking_key("utilization").name == "array_utilization");
    CHECK(ranking_key("utilization").better == Better::higher);
    CHECK_THROWS_WITH(ranking_key("cycels"), Catch::Contains("did you mean 'cycles'?"));
    CHECK_THROWS_AS(ranking_key("bound"), InputError); // a word
}

TEST_CASE("the best point comes first, points without a number not at all", "[sweep][ranking]") {
    const std::vector<Cell> values{Cell(3.0), Cell(), Cell(std::int64_t{1}), Cell(3.0), Cell("x")};
    CHECK(best_first(values, Better::lower) == Numbers{2, 0, 3});
    CHECK(best_first(values, Better::higher) == Numbers{0, 3, 2});
}

TEST_CASE("the Pareto front holds what no other point beats", "[sweep][ranking]") {
    // (1, 9) (2, 5) and (3, 4) stand; (2, 6) is beaten by (2, 5), (4, 4) by (3, 4); equal points both stay.
    const std::vector<std::vector<Cell>> costs{cells({2, 1, 2, 3, 4, 3}), cells({6, 9, 5, 4, 4, 4})};
    CHECK(pareto_front(costs, {Better::lower, Better::lower}) == Numbers{1, 2, 3, 5});
    // The same with a value that should be high.
    const std::vector<std::vector<Cell>> mixed{cells({2, 1, 2, 3, 4, 3}), cells({-6, -9, -5, -4, -4, -4})};
    CHECK(pareto_front(mixed, {Better::lower, Better::higher}) == Numbers{1, 2, 3, 5});
    CHECK(pareto_front({{Cell(1.0), Cell()}, {Cell(1.0), Cell(0.5)}}, {Better::lower, Better::lower}) == Numbers{0});
}

TEST_CASE("a point is off the Pareto front exactly if some point beats it", "[sweep][ranking]") {
    check_property("front by definition", 200, [] {
        const auto small = rc::gen::inRange(0, 6);
        const auto points =
            *rc::gen::container<std::vector<std::array<int, 3>>>(rc::gen::container<std::array<int, 3>>(small));
        std::vector<std::vector<Cell>> columns(3);
        for (const auto& point : points) {
            for (std::size_t i = 0; i < 3; ++i) {
                columns[i].emplace_back(std::int64_t{point[i]});
            }
        }
        const Numbers front = pareto_front(columns, std::vector<Better>(3, Better::lower));
        for (std::size_t a = 0; a < points.size(); ++a) {
            bool beaten = false;
            for (const auto& b : points) {
                const bool no_worse = b[0] <= points[a][0] && b[1] <= points[a][1] && b[2] <= points[a][2];
                beaten = beaten || (no_worse && b != points[a]);
            }
            RC_ASSERT((std::find(front.begin(), front.end(), a) == front.end()) == beaten);
        }
    });
}

TEST_CASE("the area of a chip is its PEs and its SRAM in PEs", "[sweep][metric]") {
    Machine machine;
    machine.array.rows = 16;
    machine.array.cols = 8;
    machine.array.count = 2;
    machine.cores = 3;
    CHECK(area(machine) == Cell()); // unlimited SRAM has no size
    machine.vmem.capacity = 1000;
    machine.accumulator_capacity = 60;
    CHECK(sram_bytes(machine) == Cell(std::int64_t{3 * 1060}));
    // 16 * 8 * 2 * 3 = 768 PEs; 3180 bytes / 318 = 10
    CHECK(number_of(area(machine)) == Approx(768 + 10));
    machine.vmem.capacity = unlimited - 1;
    CHECK(sram_bytes(machine) == Cell()); // three times that is no number of 64 bits
}
