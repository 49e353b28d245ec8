#include <map>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/sweep/shard.h"

using namespace systole;

namespace {

using Environment = std::map<std::string, std::string>;

std::optional<Shard> shard_in(const Environment& environment) {
    return slurm_shard([&](const std::string& name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::nullopt : std::optional(found->second);
    });
}

Environment array(const char* id, const char* first, const char* last, const char* count) {
    return {{"SLURM_ARRAY_TASK_ID", id},
            {"SLURM_ARRAY_TASK_MIN", first},
            {"SLURM_ARRAY_TASK_MAX", last},
            {"SLURM_ARRAY_TASK_COUNT", count}};
}

} // namespace

TEST_CASE("every point is in exactly one shard", "[sweep][shard]") {
    for (std::int64_t point = 0; point < 20; ++point) {
        int holders = 0;
        for (std::int64_t index = 1; index <= 3; ++index) {
            holders += Shard{index, 3}.holds(point) ? 1 : 0;
        }
        CHECK(holders == 1);
    }
    CHECK(Shard{1, 3}.holds(0));
    CHECK(Shard{2, 3}.holds(1));
    CHECK(Shard{}.holds(17));
}

TEST_CASE("a shard is written I/N", "[sweep][shard]") {
    CHECK(parse_shard("3/8") == Shard{3, 8});
    for (const char* const wrong : {"3", "0/2", "3/2", "-1/2", "a/2", "1/", "/2", "1/2/3", ""}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_shard(wrong), InputError);
    }
}

TEST_CASE("a task of a Slurm job array knows its shard", "[sweep][shard]") {
    CHECK(!shard_in({}));
    CHECK(!shard_in({{"SLURM_JOB_ID", "7"}}));
    CHECK(shard_in(array("2", "1", "4", "4")) == Shard{2, 4});
    CHECK(shard_in(array("0", "0", "3", "4")) == Shard{1, 4});    // --array=0-3
    CHECK(shard_in(array("14", "10", "16", "4")) == Shard{3, 4}); // --array=10-16:2
    CHECK(shard_in(array("5", "5", "5", "1")) == Shard{1, 1});
}

TEST_CASE("a Slurm array with gaps has to be told its shards", "[sweep][shard]") {
    CHECK_THROWS_WITH(shard_in(array("3", "1", "7", "3")), Catch::Contains("use sbatch --array=1-3")); // 1,3,7
    Environment listed = array("7", "1", "7", "3");
    listed["SLURM_ARRAY_TASK_STEP"] = "1";
    CHECK_THROWS_AS(shard_in(listed), InputError);
    CHECK_THROWS_AS(shard_in(array("x", "1", "4", "4")), InputError);
}
