#include <cmath>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/report/html_sweep.h"
#include "sim/report/palette.h"
#include "sim/report/plot_sweep.h"

using namespace systole;

namespace {

constexpr double unknown = NAN;

SweepPoint point(std::vector<std::size_t> at, double seconds, double utilization, double area, bool on_front = false) {
    static std::int64_t number = 0;
    return {number++, std::move(at), {seconds, utilization, 1.0, area}, "hbm", "systole simulate --x 'a b'", on_front};
}

// 8x8 and 16x16; ws, os and is; a third axis of two bandwidths, of which most points have the first alone.
SweepData sample() {
    SweepData data;
    data.title = "A sweep of </script><b>'sizes'";
    data.version = "9";
    data.axes = {{"array.rows,array.cols", {"8x8", "16x16"}}, {"dataflow", {"ws", "os", "is"}}, {"bw", {"1", "2"}}};
    data.metrics = {{"seconds", "s", "time", SweepOrder::lower_is_better},
                    {"array_utilization", "", "used", SweepOrder::higher_is_better},
                    {"roofline_utilization", "", "allowed", SweepOrder::higher_is_better},
                    {"area", "PEs", "a proxy", SweepOrder::lower_is_better}};
    data.points = {point({0, 0, 0}, 4e-3, 0.4, 64, true), point({0, 1, 0}, 5e-3, 0.5, 64),
                   point({0, 0, 1}, 8e-3, 0.9, 64),       point({1, 0, 0}, 1e-3, 0.2, 256, true),
                   point({1, 1, 0}, 1e-3, 0.1, 256),      point({1, 2, 0}, 2e-3, 0.3, unknown)};
    data.total = 12;
    data.failed = 1;
    return data;
}

SweepView by_dataflow(const SweepData& data, const std::string& metric) {
    return {.x = 0, .y = 1, .value = data.metric(metric), .winner = {}};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("of the points that share a cell the best one stands for all, and a cell without points is empty") {
    const SweepData data = sample();
    const auto fastest = best_of_cells(data, by_dataflow(data, "seconds"), data.metric("seconds"));
    // rows: ws, os, is; columns: 8x8, 16x16
    CHECK(fastest == std::vector<std::optional<std::size_t>>{0, 3, 1, 4, std::nullopt, 5});
    const auto busiest = best_of_cells(data, by_dataflow(data, "seconds"), data.metric("array_utilization"));
    CHECK(busiest[0] == 2); // 0.9 at the other bandwidth
    const auto small = best_of_cells(data, by_dataflow(data, "area"), data.metric("area"));
    CHECK(small[5] == std::nullopt); // its area is not known
}

TEST_CASE("without an axis down all points are one row") {
    const SweepData data = sample();
    const SweepView view{.x = 0, .y = {}, .value = 0, .winner = {}};
    CHECK(rows_of(data, view) == 1);
    CHECK(best_of_cells(data, view, 0) == std::vector<std::optional<std::size_t>>{0, 3});
}

TEST_CASE("a winner leads over the best of those that are worse, and names those that are as good") {
    const SweepData data = sample();
    const SweepView view{.x = 0, .y = {}, .value = data.metric("seconds"), .winner = 1};
    const auto winners = winners_of_cells(data, view);
    REQUIRE(winners.size() == 2);
    CHECK(winners[0]->value == 0);
    CHECK(*winners[0]->ahead == Approx(0.25)); // 5 ms / 4 ms - 1
    CHECK(winner_text(data, view, *winners[0]) == "ws +25 %");
    CHECK(winners[1]->equals == std::vector<std::size_t>{1}); // ws and os take 1 ms
    CHECK(*winners[1]->ahead == Approx(1));                   // is takes 2 ms
    CHECK(winner_text(data, view, *winners[1]) == "ws = os +100 %");
}

TEST_CASE("of a metric that should be high the greatest wins") {
    const SweepData data = sample();
    const SweepView view{.x = 0, .y = 2, .value = data.metric("array_utilization"), .winner = 1};
    const auto winners = winners_of_cells(data, view);   // rows: the bandwidths
    CHECK(winners[0]->value == 1);                       // os, 0.5
    CHECK(winner_text(data, view, *winners[2]) == "ws"); // alone: ahead of nobody
    CHECK_FALSE(winners[3].has_value());
}

TEST_CASE("numbers of metrics are read by people") {
    const SweepData data = sample();
    CHECK(metric_text(data.metrics[0], 0.00125) == "1.25 ms");
    CHECK(metric_text(data.metrics[1], 0.451) == "45.10 %");
    CHECK(metric_text({"vmem_bytes", "bytes", "", SweepOrder::lower_is_better}, 262144) == "256 KiB");
    CHECK(metric_text(data.metrics[3], 16384) == "16.38 k");
}

TEST_CASE("the script has every panel, each cell with its number and the front as a line") {
    const SweepData data = sample();
    const std::string script = sweep_script(data, by_dataflow(data, "array_utilization"), PictureFormat::svg);
    for (const char* const part :
         {"array_utilization over array.rows,array.cols (across) and dataflow (down)", "'90.00 %'", "'50.00 %'",
          "Speed-up over array.rows,array.cols (time of 8x8, ws = 1)", "what the roofline allows", "Pareto front",
          "6 of 12 points, 1 failed", "</script><b>''sizes''"}) {
        INFO(part);
        CHECK(has(script, part));
    }
    CHECK(has(script, "\n1 4\n"));       // ws: 4 ms / 1 ms
    CHECK(has(script, "\n256 0.004\n")); // the corner of the stairs from 64 PEs and 4 ms to 256 PEs and 1 ms
    CHECK(script == sweep_script(data, by_dataflow(data, "array_utilization"), PictureFormat::svg));
}

TEST_CASE("what cannot be drawn is left out: curves of one column, a front without areas") {
    SweepData data = sample();
    for (SweepPoint& one : data.points) {
        one.values[data.metric("area")] = unknown;
    }
    const SweepView one_column{.x = 1, .y = {}, .value = 0, .winner = {}};
    CHECK_FALSE(has(sweep_script(data, one_column, PictureFormat::svg), "Pareto front"));
    data.axes[0].values = {"8x8"};
    data.points.resize(1);
    const std::string script = sweep_script(data, {.x = 0, .y = {}, .value = 0, .winner = {}}, PictureFormat::png);
    CHECK_FALSE(has(script, "Speed-up"));
    CHECK(has(script, "'4 ms'"));
}

TEST_CASE("curves of different work begin at 1 each, and there is no speed-up over different work") {
    SweepData data = sample();
    data.axes[1].changes_work = true;
    const std::string script = sweep_script(data, by_dataflow(data, "seconds"), PictureFormat::svg);
    CHECK(has(script, "(time of the first of each = 1)"));
    CHECK(has(script, "\n0 1\n1 5\n")); // os: 5 ms, then 1 ms; beside ws it would be 0.8 and 4
    data.axes[0].changes_work = true;
    CHECK_FALSE(has(sweep_script(data, by_dataflow(data, "seconds"), PictureFormat::svg), "Speed-up"));
}

TEST_CASE("more points or values than a picture can show are refused") {
    SweepData data = sample();
    data.points.resize(most_pictured_points + 1, data.points.front());
    CHECK_THROWS_AS(require_drawable(data, by_dataflow(data, "seconds")), InputError);
    data = sample();
    data.axes[1].values.resize(most_pictured_values + 1, "x");
    CHECK_THROWS_AS(require_drawable(data, by_dataflow(data, "seconds")), InputError);
    CHECK_NOTHROW(require_drawable(data, {.x = 0, .y = 2, .value = 0, .winner = {}})); // it is not in the picture
}

TEST_CASE("the page holds every point with its command, and names only as text") {
    const SweepData data = sample();
    const std::string page = sweep_page(data, by_dataflow(data, "seconds"));
    CHECK(has(page, R"("command":"systole simulate --x 'a b'")"));
    CHECK_FALSE(has(page, "A sweep of </script>"));
    const Json json = sweep_page_data(data, by_dataflow(data, "seconds"));
    CHECK(json["points"].size() == 6);
    CHECK(json["points"][5]["values"][3].is_null());
    CHECK(json["view"] == Json{{"x", 0}, {"y", 1}, {"value", 0}, {"winner", nullptr}});
    CHECK(json["scale"].size() == scale_stops);
}

TEST_CASE("the colour scale goes from its first stop to its last and stays there") {
    CHECK(scale_color(0) == "#440154");
    CHECK(scale_color(1) == "#fde725");
    CHECK(scale_color(-3) == scale_color(0));
    CHECK(scale_color(3) == scale_color(1));
    CHECK(scale_color(0.5) == scale_stop(2));
    CHECK(scale_color(0.125) == "#402a70"); // halfway between #440154 and #3b528b, rounded
    CHECK(is_dark(scale_color(0)));
    CHECK_FALSE(is_dark(scale_color(1)));
}
