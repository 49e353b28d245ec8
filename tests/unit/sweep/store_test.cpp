#include <catch2/catch.hpp>

#include "sim/base/text_file.h"
#include "sim/sweep/merge.h"
#include "sim/sweep/metric.h"
#include "sim/sweep/store.h"
#include "sim/sweep/table.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::test;

namespace {

Space space() { return {{parse_axis("array.rows=8,16,32"), parse_axis("dataflow=ws,os")}, {}}; }

SweepHeader header() {
    return {"0.0.1", "a test", space().text(), {"--chip", "x"}, "0123", space().size(), space().keys()};
}

PointOutcome outcome(std::int64_t cycles) {
    PointOutcome one{"hash" + std::to_string(cycles), PointStatus::ok, "", {}, {}};
    one.metrics.resize(point_metrics().size());
    one.metrics[0] = cycles;
    one.metrics[1] = 0.5 * static_cast<double>(cycles);
    one.layers.assign(2, Row(layer_metrics().size()));
    one.layers[1][0] = std::string("second");
    return one;
}

void fill(Store& store, const std::vector<std::int64_t>& points) {
    store.begin();
    for (const std::int64_t point : points) {
        store.put(point, space().settings(point), outcome(100 + point));
    }
    store.commit();
}

std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string merge_error(const std::string& to, const std::vector<std::string>& from) {
    try {
        merge_stores(to, from);
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

} // namespace

TEST_CASE("a database gives back what was put into it", "[sweep][store]") {
    const TempFolder folder;
    const std::string file = folder.path() / "a.db";
    {
        Store store = Store::create(file, header());
        fill(store, {4, 1});
        store.begin();
        store.put(2, space().settings(2), {"", PointStatus::failed, "does not fit", {}, {}});
        store.put(3, space().settings(3), {"", PointStatus::lost, "killed", {}, {}});
        store.commit();
    }
    Store store(file, Database::Mode::write);
    CHECK(store.header() == header());
    CHECK(store.count() == 4);
    CHECK(store.count("failed") == 1);
    CHECK(store.finished() == std::vector<bool>{false, true, true, false, true, false}); // 3 is lost
    const Table table = read_points(store);
    REQUIRE(table.rows.size() == 4);
    CHECK(table.rows[0][0] == Cell(std::int64_t{1}));
    CHECK(table.rows[0][table.column("array.rows")] == Cell(std::int64_t{8}));
    CHECK(table.rows[0][table.column("dataflow")] == Cell("os"));
    CHECK(table.rows[0][table.column("cycles")] == Cell(std::int64_t{101}));
    CHECK(table.rows[0][table.column("seconds")] == Cell(50.5));
    CHECK(table.rows[1][table.column("error")] == Cell("does not fit"));
    CHECK(table.rows[1][table.column("cycles")] == Cell());
    int layers = 0;
    for_each_layer(store, 4, [&](const Row& row) {
        CHECK(row[1] == Cell(std::int64_t{layers}));
        ++layers;
    });
    CHECK(layers == 2);
}

TEST_CASE("a point that is run again replaces its row and its layers", "[sweep][store]") {
    const TempFolder folder;
    Store store = Store::create(folder.path() / "a.db", header());
    fill(store, {1});
    PointOutcome shorter = outcome(7);
    shorter.layers.pop_back();
    store.begin();
    store.put(1, space().settings(1), shorter);
    store.commit();
    CHECK(read_points(store).values("cycles") == std::vector<Cell>{Cell(std::int64_t{7})});
    int layers = 0;
    for_each_layer(store, 1, [&](const Row&) { ++layers; });
    CHECK(layers == 1);
}

TEST_CASE("a batch that was not stored leaves no trace", "[sweep][store]") {
    const TempFolder folder;
    const std::string file = folder.path() / "a.db";
    {
        Store store = Store::create(file, header());
        fill(store, {0});
        store.begin();
        store.put(1, space().settings(1), outcome(5));
    }
    CHECK(Store(file, Database::Mode::write).count() == 1);
}

TEST_CASE("the canonical file of the same points has the same bytes, in whatever order they came", "[sweep][store]") {
    const TempFolder folder;
    const std::string a = folder.path() / "a.db";
    const std::string b = folder.path() / "b.db";
    {
        Store store = Store::create(a, header());
        fill(store, {0, 1, 2, 3, 4, 5});
        write_canonical(store, a);
    }
    {
        Store store = Store::create(b, header());
        fill(store, {5, 3});
        fill(store, {0});
        fill(store, {3, 4, 2, 1}); // one of them twice
        write_canonical(store, b);
    }
    CHECK(bytes_of(a) == bytes_of(b));
    CHECK(Store(a, Database::Mode::read).count() == 6);
}

TEST_CASE("shards merge into the bytes of the whole, again and in any order", "[sweep][merge]") {
    const TempFolder folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    {
        Store all = Store::create(path("all.db"), header());
        fill(all, {0, 1, 2, 3, 4, 5});
        write_canonical(all, path("all.db"));
        Store odd = Store::create(path("odd.db"), header());
        fill(odd, {1, 3, 5});
        Store even = Store::create(path("even.db"), header());
        fill(even, {4, 2, 0});
    }
    const Merged merged = merge_stores(path("m.db"), {path("odd.db"), path("even.db")});
    CHECK(merged.points == 6);
    CHECK(merged.stored == 6);
    CHECK(bytes_of(path("m.db")) == bytes_of(path("all.db")));
    merge_stores(path("m.db"), {path("even.db"), path("odd.db"), path("even.db")});
    CHECK(bytes_of(path("m.db")) == bytes_of(path("all.db")));
    merge_stores(path("n.db"), {path("even.db")});
    merge_stores(path("n.db"), {path("odd.db")}); // a later one is added
    CHECK(bytes_of(path("n.db")) == bytes_of(path("all.db")));
    CHECK(!std::filesystem::exists(path("n.db.merging")));
}

TEST_CASE("a lost point gives way to a finished one when databases are merged", "[sweep][merge]") {
    const TempFolder folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    {
        Store lost = Store::create(path("lost.db"), header());
        lost.begin();
        lost.put(1, space().settings(1), {"", PointStatus::lost, "killed", {}, {}});
        lost.commit();
        Store good = Store::create(path("good.db"), header());
        fill(good, {1});
    }
    merge_stores(path("a.db"), {path("lost.db"), path("good.db")});
    merge_stores(path("b.db"), {path("good.db"), path("lost.db")});
    CHECK(Store(path("a.db"), Database::Mode::read).count("ok") == 1);
    CHECK(bytes_of(path("a.db")) == bytes_of(path("b.db")));
}

TEST_CASE("databases of other sweeps, versions or contents are not merged", "[sweep][merge]") {
    const TempFolder folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const auto make = [&](const char* name, const SweepHeader& of, std::int64_t cycles) {
        Store store = Store::create(path(name), of);
        store.begin();
        store.put(0, space().settings(0), outcome(cycles));
        store.commit();
    };
    SweepHeader newer = header();
    newer.version = "0.0.2";
    SweepHeader other = header();
    other.space = Space({parse_axis("array.rows=8,16"), parse_axis("dataflow=ws,os")}, {}).text();
    SweepHeader changed = header();
    changed.fingerprint = "0124";
    make("a.db", header(), 1);
    make("newer.db", newer, 1);
    make("other.db", other, 1);
    make("changed.db", changed, 1);
    make("differs.db", header(), 2);
    CHECK_THAT(merge_error(path("m.db"), {path("a.db"), path("newer.db")}),
               Catch::Contains("it was made by systole 0.0.1, this is 0.0.2"));
    CHECK_THAT(merge_error(path("m.db"), {path("a.db"), path("other.db")}), Catch::Contains("axes or filters differ"));
    CHECK_THAT(merge_error(path("m.db"), {path("a.db"), path("changed.db")}), Catch::Contains("has changed since"));
    CHECK_THAT(merge_error(path("m.db"), {path("a.db"), path("differs.db")}), Catch::Contains("about point 0"));
    CHECK(!std::filesystem::exists(path("m.db")));
    CHECK(!std::filesystem::exists(path("m.db.merging")));
}

TEST_CASE("what is no database of a sweep is refused", "[sweep][store]") {
    const TempFolder folder;
    const std::string text = folder.write("text.db", "this is no database, but a text of some length");
    CHECK_THROWS_AS(Store(text, Database::Mode::write), InputError);
    CHECK_THROWS_AS(Store(folder.write("empty.db", ""), Database::Mode::write), InputError);
    const std::string foreign = folder.path() / "foreign.db";
    Database(foreign, Database::Mode::create).execute("CREATE TABLE points(x)");
    CHECK_THROWS_AS(Store(foreign, Database::Mode::write), InputError);
    CHECK_THROWS_AS(Store(folder.path() / "missing.db", Database::Mode::write), InputError);
    CHECK(Store::is_empty(folder.write("begun.db", "")));
}

TEST_CASE("a key that is named like a column of results cannot be stored", "[sweep][store]") {
    const TempFolder folder;
    SweepHeader clash = header();
    clash.keys = {"cycles"};
    CHECK_THROWS_AS(Store::create(folder.path() / "a.db", clash), InputError);
}
