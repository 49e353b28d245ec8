// The file of a timeline: valid JSON whatever happens, times that add up, a size that is kept.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/report/trace_file.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::test;

namespace {

using Json = nlohmann::json;

constexpr TimelineClock gigahertz{.ticks_per_cycle = 1000, .ticks_per_second = 1'000'000'000'000};

class Folder {
  public:
    explicit Folder(Bytes limit = unlimited) : options{(folder_.path() / "t.json").string(), limit} {}

    std::string text() const {
        std::ifstream in(options.file);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    // Those of one phase.
    std::vector<Json> events(const std::string& phase) const {
        std::vector<Json> found;
        const Json whole = Json::parse(text());
        for (const auto& event : whole.at("traceEvents")) {
            if (event.at("ph") == phase)
                found.push_back(event);
        }
        return found;
    }
    bool empty() const { return std::filesystem::is_empty(folder_.path()); }

  private:
    TempFolder folder_;

  public:
    TraceFileOptions options;
};

std::int64_t nanoseconds(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

} // namespace

TEST_CASE("a slice of a sequence is a complete event in microseconds, with its cycles and facts") {
    Folder folder;
    TraceFile file(folder.options, {"one"});
    file.begin_operator("one", gigahertz);
    const TimelineTrack track(&file, "core 0", "array", TrackKind::sequence);
    track.slice("pass", 2000, 1'234'000, {{"bytes", 64}, {"kind", 0, "ws"}});
    file.end_operator(2'000'000, {});
    file.finish();

    const auto slices = folder.events("X");
    REQUIRE(slices.size() == 2);
    CHECK(slices[0].at("name") == "pass");
    CHECK(slices[0].at("ts") == 0.002);
    CHECK(slices[0].at("dur") == 1.232);
    CHECK(slices[0].at("args") == Json{{"cycle", 2}, {"cycles", 1232}, {"bytes", 64}, {"kind", "ws"}});
    CHECK(slices[1].at("name") == "one");
    CHECK(slices[1].at("dur") == 2.0);
}

TEST_CASE("operators follow each other on the time axis, and the tracks of a part stay the same") {
    Folder folder;
    TraceFile file(folder.options, {"one", "two"});
    for (const char* const name : {"one", "two"}) {
        file.begin_operator(name, gigahertz);
        TimelineTrack(&file, "core 0", "array", TrackKind::sequence).slice("pass", 0, 3000, {});
        file.end_operator(5000, {});
    }
    file.finish();
    const auto slices = folder.events("X");
    REQUIRE(slices.size() == 4);
    CHECK(slices[2].at("ts") == 0.005);
    CHECK(slices[2].at("args").at("cycle") == 5);
    CHECK(slices[2].at("tid") == slices[0].at("tid"));
    CHECK(slices[3].at("ts") == 0.005);
}

TEST_CASE("a clock without a whole number of nanoseconds neither drifts nor makes neighbours overlap") {
    // 3 cycles of 700 MHz are 4.2857... ns. Slice i lies between floor(30 i / 7) and floor(30 (i + 1) / 7) ns.
    Folder folder;
    TraceFile file(folder.options, {"one"});
    file.begin_operator("one", {.ticks_per_cycle = 1432, .ticks_per_second = 1'002'400'000'000});
    const TimelineTrack track(&file, "core 0", "array", TrackKind::sequence);
    constexpr int count = 1000;
    for (int i = 0; i < count; ++i)
        track.slice("pass", 3 * i * 1432, 3 * (i + 1) * 1432, {});
    file.end_operator(3 * count * 1432, {});
    file.finish();
    const auto slices = folder.events("X");
    REQUIRE(slices.size() == count + 1);
    for (int i = 0; i < count; ++i) {
        REQUIRE(nanoseconds(slices[i].at("ts")) == 30 * i / 7);
        REQUIRE(nanoseconds(slices[i].at("ts")) + nanoseconds(slices[i].at("dur")) == 30 * (i + 1) / 7);
        REQUIRE(slices[i].at("args").at("cycle") == 3 * i);
    }
}

TEST_CASE("slices that may overlap are pairs of asynchronous events with a number of their own") {
    Folder folder;
    TraceFile file(folder.options, {"one"});
    file.begin_operator("one", gigahertz);
    const TimelineTrack track(&file, "core 0", "DMA 0", TrackKind::overlap);
    track.slice("reads A", 5000, 9000, {{"bytes", 1}});
    track.slice("reads A", 4000, 9500, {{"bytes", 2}});
    file.end_operator(10000, {});
    file.finish();
    const auto begins = folder.events("b");
    const auto ends = folder.events("e");
    REQUIRE(begins.size() == 2);
    REQUIRE(ends.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        for (const char* const key : {"id", "cat", "pid", "name"})
            CHECK(begins[i].at(key) == ends[i].at(key));
        CHECK(begins[i].at("name") == "DMA 0 reads A");
    }
    CHECK(begins[0].at("id") != begins[1].at("id"));
    CHECK(ends[1].at("ts") == 0.009);
    CHECK(begins[0].at("args").at("cycle") == 5);
    CHECK_FALSE(begins[1].at("args").contains("cycle")); // it ends between two cycles
}

TEST_CASE("a level is a counter of its process") {
    Folder folder;
    TraceFile file(folder.options, {"one"});
    file.begin_operator("one", gigahertz);
    const TimelineTrack track(&file, "core 0", "VMEM", TrackKind::level);
    track.level(1000, 4096);
    file.end_operator(2000, {});
    file.finish();
    const auto counters = folder.events("C");
    REQUIRE(counters.size() == 1);
    CHECK(counters[0].at("name") == "VMEM");
    CHECK(counters[0].at("ts") == 0.001);
    CHECK(counters[0].at("args") == Json{{"bytes", 4096}});
}

TEST_CASE("every track has a name, a place and a number of its own") {
    Folder folder;
    TraceFile file(folder.options, {"one"});
    file.begin_operator("one", gigahertz);
    for (const char* const group : {"core 0", "core 1"}) {
        for (const char* const name : {"array", "write-back"})
            static_cast<void>(file.track(group, name, TrackKind::sequence));
    }
    file.end_operator(2000, {});
    file.finish();
    std::map<int, std::string> threads, processes;
    for (const auto& event : folder.events("M")) {
        if (event.at("name") == "thread_name")
            CHECK(threads.emplace(event.at("tid"), event.at("args").at("name")).second);
        if (event.at("name") == "process_name")
            CHECK(processes.emplace(event.at("pid"), event.at("args").at("name")).second);
    }
    CHECK(threads.size() == 5);
    CHECK(processes == std::map<int, std::string>{{1, "operators"}, {2, "core 0"}, {3, "core 1"}});
    CHECK(threads.count(0) == 0);
}

TEST_CASE("names are quoted, even those that are no text") {
    Folder folder;
    const std::string name = "a\"b\\\n\xff";
    TraceFile file(folder.options, {name});
    file.begin_operator(name, gigahertz);
    file.end_operator(2000, {});
    file.finish();
    CHECK(folder.events("X").at(0).at("name") == "a\"b\\\n\uFFFD");
}

TEST_CASE("a file that reaches its limit ends as valid JSON, says what it lacks and keeps its operators") {
    const Bytes limit = GENERATE(4000, 10'000, 65'536, 200'000);
    Folder folder(limit);
    TraceFile file(folder.options, {"one", "two"});
    constexpr int count = 1500; // of about 130 bytes, twice
    for (const char* const name : {"one", "two"}) {
        file.begin_operator(name, gigahertz);
        const TimelineTrack track(&file, "core 0", "array", TrackKind::sequence);
        const TimelineTrack overlap(&file, "core 0", "DMA 0", TrackKind::overlap);
        for (int i = 0; i < count; ++i) {
            track.slice("pass", 1000 * i, 1000 * (i + 1), {});
            overlap.slice("reads A", 1000 * i, 1000 * (i + 2), {});
        }
        file.end_operator(1000 * (count + 1), {});
    }
    file.finish();
    CHECK(static_cast<Bytes>(folder.text().size()) <= limit);
    CHECK(folder.text().size() > 0.4 * static_cast<double>(limit));

    const auto slices = folder.events("X");
    const auto begins = folder.events("b");
    CHECK(begins.size() == folder.events("e").size());
    CHECK(slices.back().at("name") == "two");
    CHECK(file.left_out() == static_cast<std::int64_t>(2 * count + 2 * count + 2 - slices.size() - begins.size()));
    const auto marks = folder.events("i");
    REQUIRE(marks.size() == 1);
    CHECK(marks[0].at("s") == "g");
    CHECK(marks[0].at("args").at("events_left_out") == file.left_out());
    CHECK(marks[0].at("args").at("from_cycle") == file.left_out_from());
    CHECK(nanoseconds(marks[0].at("ts")) == file.left_out_from());
    CHECK(Json::parse(folder.text()).at("otherData").at("events_left_out") == file.left_out());
    // Up to there nothing is missing.
    const auto shown = static_cast<std::int64_t>(slices.size()) - 2;
    CHECK(file.left_out_from() >= shown - 1);
}

TEST_CASE("a file within its limit has no mark") {
    Folder folder;
    TraceFile file(folder.options, {"one"});
    file.begin_operator("one", gigahertz);
    file.end_operator(1000, {});
    file.finish();
    CHECK(file.left_out() == 0);
    CHECK(folder.events("i").empty());
}

TEST_CASE("a limit below what the operators alone take is refused before the file is opened") {
    Folder folder(1000);
    CHECK_THROWS_AS(TraceFile(folder.options, {"one"}), InputError);
    CHECK(folder.empty());
}

TEST_CASE("a timeline that is not finished leaves nothing, one that cannot be written is an error") {
    Folder folder;
    {
        TraceFile file(folder.options, {"one"});
        CHECK_FALSE(folder.empty());
    }
    CHECK(folder.empty());
    CHECK_THROWS_AS(TraceFile({"/absent/t.json"}, {"one"}), EnvironmentError);
}

TEST_CASE("slices of a sequence that overlap are a bug") {
    Folder folder;
    TraceFile file(folder.options, {"one"});
    file.begin_operator("one", gigahertz);
    const TimelineTrack track(&file, "core 0", "array", TrackKind::sequence);
    track.slice("pass", 0, 3000, {});
    CHECK_THROWS_AS(track.slice("pass", 2000, 4000, {}), InternalError);
}

TEST_CASE("pieces of work that touch are joined while they are of one kind") {
    Folder folder;
    TraceFile file(folder.options, {"one"});
    file.begin_operator("one", gigahertz);
    JoinedTrack track({&file, "HBM", "channel 0", TrackKind::sequence});
    track.add("read", 0, 1000, 10);
    track.add("read", 1000, 3000, 20);
    track.add("write", 3000, 4000, 5);
    track.add("write", 5000, 6000, 5);
    track.flush();
    track.flush();
    file.end_operator(6000, {});
    file.finish();
    const auto slices = folder.events("X");
    REQUIRE(slices.size() == 4);
    CHECK(slices[0].at("args") == Json{{"cycle", 0}, {"cycles", 3}, {"bytes", 30}, {"pieces", 2}});
    CHECK(slices[1].at("args") == Json{{"cycle", 3}, {"cycles", 1}, {"bytes", 5}, {"pieces", 1}});
    CHECK(slices[2].at("args") == Json{{"cycle", 5}, {"cycles", 1}, {"bytes", 5}, {"pieces", 1}});
}
