#include <cmath>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/cli/sweep_data.h"
#include "sim/sweep/metric.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::test;

namespace {

Space space() {
    return {{parse_axis("dataflow=ws,os"), parse_axis("array.rows,array.cols=8,16"), parse_axis("from=hbm")}, {}};
}

PointOutcome outcome(double seconds) {
    PointOutcome one{"hash", PointStatus::ok, "", Row(point_metrics().size()), {}};
    for (std::size_t i = 0; i < one.metrics.size(); ++i) {
        const std::string& name = point_metrics()[i].name;
        if (name == "seconds") {
            one.metrics[i] = seconds;
        } else if (name == "area") {
            one.metrics[i] = std::int64_t{100};
        } else if (name == "bound") {
            one.metrics[i] = std::string("hbm");
        } else if (name == "array_utilization") {
            one.metrics[i] = 0.5;
        }
    }
    return one;
}

// Points 0 and 3 are good, 1 has failed, 2 has not been run.
void make_database(const std::string& path) {
    Store store = Store::create(path, {"0.0.1", "", space().text(), {"--chip", "my chip"}, "0", 4, space().keys()});
    store.begin();
    store.put(0, space().settings(0), outcome(2));
    store.put(1, space().settings(1), {"hash", PointStatus::failed, "no", {}, {}});
    store.put(3, space().settings(3), outcome(1));
    store.commit();
}

SweepData read(const std::string& path) {
    Store store(path, Database::Mode::write);
    return read_sweep_data(store);
}

std::string refusal(const SweepData& data, const ViewWords& words) {
    try {
        choose_view(data, words, "x.db");
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

} // namespace

TEST_CASE("good points of a database have their place on each axis, their numbers and the command that reruns them") {
    const TempFolder folder;
    make_database((folder.path() / "a.db").string());
    const SweepData data = read((folder.path() / "a.db").string());
    CHECK(data.title == "a.db");
    CHECK(data.total == 4);
    CHECK(data.failed == 1);
    REQUIRE(data.axes.size() == 3);
    CHECK(data.axes[1].name == "array.rows,array.cols");
    CHECK(data.axes[1].values == std::vector<std::string>{"8x8", "16x16"});
    CHECK_FALSE(data.axes[1].changes_work);
    REQUIRE(data.points.size() == 2);
    CHECK(data.points[1].number == 3);
    CHECK(data.points[1].at == std::vector<std::size_t>{1, 1, 0});
    CHECK(data.points[1].command == "systole simulate --chip 'my chip' --dataflow os --set array.rows=16 --set "
                                    "array.cols=16 --from hbm");
    CHECK(data.value(data.points[0], "seconds") == 2);
    CHECK(std::isnan(data.value(data.points[0], "sram_bytes")));
    CHECK_FALSE(data.points[0].on_front); // as large as the other, and slower
    CHECK(data.points[1].on_front);
}

TEST_CASE("numbers lie across, words down, and axes of one value nowhere, unless they are asked for") {
    const TempFolder folder;
    make_database((folder.path() / "a.db").string());
    const SweepData data = read((folder.path() / "a.db").string());
    const SweepView usual = choose_view(data, {}, "x.db");
    CHECK(usual.x == 1);
    CHECK(usual.y == 0);
    CHECK(data.metrics[usual.value].name == "array_utilization");
    const SweepView asked = choose_view(data, {"dataflow", "array.cols", "time", {}}, "x.db");
    CHECK(asked.x == 0);
    CHECK(asked.y == 1);
    CHECK(data.metrics[asked.value].name == "seconds");
    const SweepView winner = choose_view(data, {{}, {}, {}, "dataflow"}, "x.db");
    CHECK(winner.x == 1);
    CHECK(winner.y == std::nullopt);
    CHECK(data.metrics[winner.value].name == "seconds");
}

TEST_CASE("what is no axis or no metric is refused with the one that was meant") {
    const TempFolder folder;
    make_database((folder.path() / "a.db").string());
    const SweepData data = read((folder.path() / "a.db").string());
    CHECK(refusal(data, {"dataflwo", {}, {}, {}}) ==
          "--x 'dataflwo' is no axis of this sweep (did you mean 'dataflow'? its axes are dataflow; "
          "array.rows,array.cols; from)");
    CHECK(
        refusal(data, {{}, "hbm.bandwidth", {}, {}}).starts_with("--y 'hbm.bandwidth' is no axis of this sweep (its"));
    CHECK(refusal(data, {{}, {}, "utilisation", {}}).find("did you mean 'utilization'?") != std::string::npos);
    CHECK(refusal(data, {"array.rows", "array.cols", {}, {}}).find("cannot be two of --x, --y and --winner") !=
          std::string::npos);
    CHECK(refusal(data, {{}, "dataflow", {}, "dataflow"}).find("cannot be two of") != std::string::npos);
    CHECK(refusal(data, {{}, {}, "hbm_bytes", {}}).starts_with("hbm_bytes is known of no point"));
}

TEST_CASE("a database without a good point is refused, and says where the reasons are") {
    const TempFolder folder;
    const std::string path = (folder.path() / "a.db").string();
    {
        Store store = Store::create(path, {"0.0.1", "", space().text(), {}, "0", 4, space().keys()});
        CHECK_THROWS_WITH(read_sweep_data(store), Catch::Contains("holds no point yet"));
        store.begin();
        store.put(1, space().settings(1), {"hash", PointStatus::failed, "no", {}, {}});
        store.commit();
    }
    CHECK_THROWS_WITH(read(path), Catch::Contains("1 failed") && Catch::Contains("--failed` says why"));
}
