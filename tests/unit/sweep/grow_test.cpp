#include <algorithm>
#include <set>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "sim/base/hash.h"
#include "sim/base/text_file.h"
#include "sim/sweep/grow.h"
#include "sim/sweep/metric.h"
#include "sim/sweep/table.h"
#include "tests/support/check_property.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::test;

namespace {

using Points = std::vector<std::int64_t>;

Space space_of(const std::vector<std::string>& axes, const std::vector<std::string>& filters = {}) {
    std::vector<Axis> parsed;
    for (const std::string& axis : axes) {
        parsed.push_back(parse_axis(axis));
    }
    std::vector<FilterText> conditions;
    for (const std::string& filter : filters) {
        conditions.push_back({filter, {}});
    }
    return {std::move(parsed), conditions};
}

SweepHeader header_of(const Space& space) {
    return {"0.0.1", "a test", space.text(), {"--chip", "x"}, "0123", space.size(), space.keys()};
}

// Of a run that is decided by the settings, in whatever order; `dataflow=ws` is what is run without saying so.
std::string hash_of(const Settings& settings) {
    std::set<std::string> words{"dataflow=ws"};
    for (const auto& [key, value] : settings) {
        if (key == "dataflow") {
            words.erase("dataflow=ws");
        }
        words.insert(key + "=" + value);
    }
    Fnv1a hash;
    for (const std::string& word : words) {
        hash.add(word + "\n");
    }
    return hash.text();
}

PointOutcome outcome_of(const Settings& settings) {
    PointOutcome one{hash_of(settings), PointStatus::ok, "", {}, {}};
    one.metrics.resize(point_metrics().size());
    one.metrics[0] = static_cast<std::int64_t>(std::stoull(one.hash, nullptr, 16) >> 8);
    one.layers.assign(1 + one.hash.back() % 3, Row(layer_metrics().size()));
    one.layers.back()[0] = one.hash;
    return one;
}

void fill(Store& store, const Space& space, const Points& points) {
    store.begin();
    for (const std::int64_t point : points) {
        store.put(point, space.settings(point), outcome_of(space.settings(point)));
    }
    store.commit();
}

Points all_points(const Space& space) {
    Points points(static_cast<std::size_t>(space.size()));
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i] = static_cast<std::int64_t>(i);
    }
    return points;
}

const SamePoint by_words{[](const Settings& before, const Settings& now) { return before == now; }, hash_of};

Regrowth matched(const Space& before, const Points& stored, const Space& now) {
    const TempFolder folder;
    Store store = Store::create(folder.path() / "a.db", header_of(before));
    fill(store, before, stored);
    return match_points(store, before, now, by_words);
}

Points numbers_now(const Regrowth& regrowth) {
    Points points;
    for (const Renumbered& one : regrowth.kept) {
        points.push_back(one.now);
    }
    return points;
}

std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

} // namespace

TEST_CASE("values in front of the old ones, between and behind them give the old points new numbers", "[sweep][grow]") {
    // 8: 0 1, 16: 2 3 with ws, os; then 4: 0 1 2, 8: 3 4 5, 12: 6 7 8, 16: 9 10 11 with is, ws, os.
    const Space before = space_of({"array.rows=8,16", "dataflow=ws,os"});
    const Space now = space_of({"array.rows=4,8,12,16", "dataflow=is,ws,os"});
    const Regrowth regrowth = matched(before, {0, 1, 2, 3}, now);
    CHECK_FALSE(regrowth.missing);
    CHECK(regrowth.kept == std::vector<Renumbered>{{0, 4}, {1, 5}, {2, 10}, {3, 11}});
}

TEST_CASE("axes may change their order and their links, and filters may go", "[sweep][grow]") {
    // Squares of 4, 8, 16, without 8; then all nine pairs, columns first: 4x4 is 0, 16x16 is 8.
    const Space before = space_of({"array.rows,array.cols=4..16"}, {"array.rows != 8"});
    const Space now = space_of({"array.cols=4..16", "array.rows=4..16"});
    CHECK(matched(before, {0, 1}, now).kept == std::vector<Renumbered>{{0, 0}, {1, 8}});
}

TEST_CASE("a new axis keeps the points that its value of before stands for", "[sweep][grow]") {
    const Space before = space_of({"array.rows=8,16"});
    const Space now = space_of({"array.rows=8,16,32", "dataflow=os,ws,is"}); // ws is the second of each three
    CHECK(matched(before, {0, 1}, now).kept == std::vector<Renumbered>{{0, 1}, {1, 4}});
    const Regrowth without = matched(before, {1}, space_of({"array.rows=8,16", "dataflow=os,is"}));
    CHECK(without.missing == 1);
    CHECK(without.differs_in_hash); // there are points of 16 rows, but none with ws
}

TEST_CASE("a stored point that is none of the new ones is named, whatever its status", "[sweep][grow]") {
    const Space before = space_of({"array.rows=8,16", "dataflow=ws,os"});
    const Space now = space_of({"array.rows=16,32", "dataflow=ws,os"});
    CHECK_FALSE(matched(before, {2, 3}, now).missing);
    const Regrowth regrowth = matched(before, {1, 2}, now);
    CHECK(regrowth.missing == 1);
    CHECK_FALSE(regrowth.differs_in_hash);
    CHECK(matched(before, {0}, space_of({"array.rows=8,16", "dataflow=ws,os"}, {"array.rows > 8"})).missing == 0);

    const TempFolder folder;
    Store store = Store::create(folder.path() / "a.db", header_of(before));
    store.begin();
    store.put(0, before.settings(0), {"", PointStatus::lost, "killed", {}, {}});
    store.commit();
    CHECK(match_points(store, before, now, by_words).missing == 0);
}

TEST_CASE("failed points stay where the same words are asked for, lost ones are run again", "[sweep][grow]") {
    const Space before = space_of({"array.rows=8,16", "array.cols=4"});
    const TempFolder folder;
    Store store = Store::create(folder.path() / "a.db", header_of(before));
    store.begin();
    store.put(0, before.settings(0), {hash_of(before.settings(0)), PointStatus::failed, "does not fit", {}, {}});
    store.put(1, before.settings(1), {"", PointStatus::lost, "killed", {}, {}});
    store.commit();
    const Space longer = space_of({"array.rows=8,16,32", "array.cols=4"});
    CHECK(match_points(store, before, longer, by_words).kept == std::vector<Renumbered>{{0, 0}});
    // What it says may depend on the order of its options.
    const Space turned = space_of({"array.cols=4", "array.rows=8,16,32"});
    CHECK(numbers_now(match_points(store, before, turned, by_words)).empty());
}

TEST_CASE("a renumbering that fails changes nothing", "[sweep][grow]") {
    const TempFolder folder;
    const std::string file = folder.path() / "a.db";
    const Space before = space_of({"array.rows=8,16"});
    const Space now = space_of({"array.rows=4,8,16"});
    {
        Store store = Store::create(file, header_of(before));
        fill(store, before, {0, 1});
        write_canonical(store, file);
    }
    const std::string bytes = bytes_of(file);
    {
        Store store(file, Database::Mode::write);
        CHECK_THROWS_AS(store.renumber(header_of(now), now, {{0, 1}, {1, 1}}), EnvironmentError); // one number twice
    }
    Store store(file, Database::Mode::write);
    CHECK(store.header() == header_of(before));
    CHECK(store.count() == 2);
    CHECK(read_points(store).values("array.rows") == std::vector<Cell>{Cell(std::int64_t{8}), Cell(std::int64_t{16})});
    CHECK(bytes_of(file) == bytes);
}

namespace {

using Words = std::vector<std::string>;

// `count` of the words, at random and in random order.
Words chosen(Words words, int least) {
    for (std::size_t i = words.size(); i > 1; --i) {
        std::swap(words[i - 1], words[static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(i)))]);
    }
    words.resize(static_cast<std::size_t>(*rc::gen::inRange(least, static_cast<int>(words.size()) + 1)));
    return words;
}

std::string axis_text(const std::string& key, const Words& values) {
    std::string text = key + "=";
    for (const std::string& value : values) {
        text += (text.back() == '=' ? "" : ",") + value;
    }
    return text;
}

} // namespace

TEST_CASE("a sweep that has grown ends with the bytes of one that was large from the start", "[sweep][grow]") {
    const TempFolder folder;
    const std::string grown = folder.path() / "grown.db";
    const std::string whole = folder.path() / "whole.db";
    check_property("growing", 60, [&] {
        const Words rows = chosen({"4", "8", "16", "32"}, 1);
        const Words cols = chosen({"4", "8", "16"}, 1);
        Words large{axis_text("array.rows", rows), axis_text("array.cols", cols)};
        Words small{axis_text("array.rows", Words(rows.begin(), rows.begin() + 1)),
                    axis_text("array.cols", chosen(cols, 1))};
        if (*rc::gen::arbitrary<bool>()) { // an axis is new, or has been there
            Words flows = chosen({"os", "is"}, 0);
            flows.insert(flows.begin() + *rc::gen::inRange<int>(0, static_cast<int>(flows.size()) + 1), "ws");
            large.insert(large.begin() + *rc::gen::inRange(0, 3), axis_text("dataflow", flows));
            if (*rc::gen::arbitrary<bool>()) {
                small.push_back(axis_text("dataflow", chosen(flows, 1)));
            }
        }
        const Space before = space_of(small);
        const Space now = space_of(large);
        Points stored = all_points(before);
        stored.resize(static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(stored.size()) + 1)));
        std::filesystem::remove(grown);
        std::filesystem::remove(whole);
        {
            Store store = Store::create(grown, header_of(before));
            fill(store, before, stored);
            const Regrowth regrowth = match_points(store, before, now, by_words);
            RC_ASSERT(!regrowth.missing);
            RC_ASSERT(regrowth.kept.size() == stored.size());
            store.renumber(header_of(now), now, regrowth.kept);
            const std::vector<bool> finished = store.finished();
            RC_ASSERT(std::count(finished.begin(), finished.end(), true) == static_cast<long>(stored.size()));
            Points rest = all_points(now);
            std::erase_if(rest, [&](std::int64_t point) { return finished[static_cast<std::size_t>(point)]; });
            fill(store, now, rest);
            write_canonical(store, grown);
        }
        {
            Store store = Store::create(whole, header_of(now));
            fill(store, now, all_points(now));
            write_canonical(store, whole);
        }
        RC_ASSERT(bytes_of(grown) == bytes_of(whole));
    });
}
