#include <csignal>
#include <map>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/sweep/outcome.h"
#include "sim/sweep/pool.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::test;

namespace {

// A pool over the tasks 0 to count - 1, and what became of them.
struct Run {
    PoolJob job;
    std::map<std::int64_t, std::string> done;
    std::map<std::int64_t, std::string> lost;
    std::int64_t next = 0;

    Run(std::int64_t count, int workers, std::function<std::string(std::int64_t)> work) {
        job.workers = workers;
        job.next = [this, count] { return next < count ? std::optional(next++) : std::nullopt; };
        job.work = std::move(work);
        job.done = [this](std::int64_t task, std::string bytes) { done[task] = std::move(bytes); };
        job.lost = [this](std::int64_t task, std::string why) { lost[task] = std::move(why); };
        job.tick = [] {};
        job.stop = [] { return false; };
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
};

std::string square(std::int64_t task) { return std::to_string(task * task); }

} // namespace

TEST_CASE("a pool gives every task to a worker and brings its answer back", "[sweep][pool]") {
    const int workers = GENERATE(1, 2, 5);
    Run run(200, workers, square);
    CHECK(run_pool(run.job));
    REQUIRE(run.done.size() == 200);
    CHECK(run.done[0] == "0");
    CHECK(run.done[199] == "39601");
    CHECK(run.lost.empty());
}

TEST_CASE("answers that are longer than a pipe and empty ones come back whole", "[sweep][pool]") {
    Run run(20, 2, [](std::int64_t task) { return std::string(task % 2 == 0 ? 0 : 300'000, 'a' + task % 26); });
    CHECK(run_pool(run.job));
    REQUIRE(run.done.size() == 20);
    CHECK(run.done[2].empty());
    CHECK(run.done[3] == std::string(300'000, 'd'));
}

TEST_CASE("a task whose worker dies is done by another worker", "[sweep][pool]") {
    const TempFolder folder;
    const std::string mark = folder.path() / "died";
    Run run(50, 2, [&](std::int64_t task) {
        if (task == 20 && ::access(mark.c_str(), F_OK) != 0) {
            std::ofstream(mark) << "once";
            ::raise(SIGKILL);
        }
        return square(task);
    });
    CHECK(run_pool(run.job));
    CHECK(run.done.size() == 50);
    CHECK(run.done[20] == "400");
    CHECK(run.lost.empty());
}

TEST_CASE("a task on which two workers die is lost, and no other one", "[sweep][pool]") {
    const int workers = GENERATE(1, 3);
    Run run(60, workers, [](std::int64_t task) {
        if (task == 7) {
            ::raise(SIGKILL);
        }
        if (task == 30) {
            ::_exit(9);
        }
        return square(task);
    });
    CHECK(run_pool(run.job));
    CHECK(run.done.size() == 58);
    REQUIRE(run.lost.size() == 2);
    CHECK_THAT(run.lost[7], Catch::Contains("killed by signal 9"));
    CHECK_THAT(run.lost[30], Catch::Contains("ended with exit code 9, twice"));
}

TEST_CASE("a pool that is stopped kills its workers and comes back", "[sweep][pool]") {
    Run run(1000, 2, [](std::int64_t task) {
        if (task == 10) {
            ::pause(); // for ever
        }
        return square(task);
    });
    run.job.stop = [&run] { return run.done.size() >= 5; };
    CHECK_FALSE(run_pool(run.job));
    CHECK(run.done.size() >= 5);
    CHECK(run.done.size() < 1000);
}

TEST_CASE("an exception in the parent ends the pool", "[sweep][pool]") {
    Run run(100, 2, square);
    run.job.done = [](std::int64_t, const std::string&) { throw EnvironmentError("the disk is full"); };
    CHECK_THROWS_AS(run_pool(run.job), EnvironmentError);
}

TEST_CASE("an outcome survives the way from a worker to the parent", "[sweep][outcome]") {
    PointOutcome outcome{"abc", PointStatus::ok, "", {Cell(std::int64_t{-3}), Cell(0.1), Cell("text"), Cell()}, {}};
    outcome.layers = {{Cell("a"), Cell(std::int64_t{1})}, {}};
    CHECK(decode(encode(outcome)) == outcome);
    const PointOutcome failed{"", PointStatus::failed, std::string("with a \0 in it", 14), {}, {}};
    CHECK(decode(encode(failed)) == failed);
}

TEST_CASE("bytes that are no outcome are refused", "[sweep][outcome]") {
    const std::string bytes = encode({"abc", PointStatus::ok, "", {Cell("text")}, {{Cell(0.5)}}});
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CHECK_THROWS_AS(decode(bytes.substr(0, length)), InternalError);
    }
    CHECK_THROWS_AS(decode(bytes + "x"), InternalError);
}
