#include <sstream>

#include <catch2/catch.hpp>

#include "sim/cli/sweep_plan.h"
#include "sim/cli/sweep_point.h"
#include "sim/cli/sweep_progress.h"
#include "sim/sweep/metric.h"
#include "sim/sweep/ranking.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::test;

namespace {

using Words = std::vector<std::string>;

const Words base{"--chip", "tiny_4x4", "--gemm", "8x8x8", "--set", "clock=2 GHz"};

std::string hash_with(const Settings& settings) { return point_hash(resolve_point(point_arguments(base, settings))); }

SweepPlan plan_of(const Words& words) {
    return read_sweep_plan(parse_options({"sweep", "", "[FILE]", sweep_plan_options(), ""}, words));
}

std::string error_of(const Words& words) {
    try {
        sweep_header(plan_of(words));
    } catch (const InputError& error) {
        return to_string(error.diagnostics().front().place) + ": " + error.diagnostics().front().message;
    }
    return "";
}

} // namespace

TEST_CASE("a point is a run of simulate with the settings in place of what was asked for all", "[sweep][point]") {
    CHECK(point_arguments(base, {{"array.rows", "8"}, {"dataflow", "os"}, {"m", "16"}}) ==
          Words{"--chip", "tiny_4x4", "--set", "clock=2 GHz", "--set", "array.rows=8", "--dataflow", "os", "--gemm",
                "16x8x8"});
    CHECK(point_arguments(base, {{"chip", "edge_16x16"}}) ==
          Words{"--gemm", "8x8x8", "--set", "clock=2 GHz", "--chip", "edge_16x16"});
    CHECK(point_arguments({}, {{"m", "1"}, {"n", "2"}, {"k", "3"}}) == Words{"--gemm", "1x2x3"});
}

TEST_CASE("the hash of a point follows from what it resolves to, not from how that is said", "[sweep][point]") {
    const std::string plain = hash_with({});
    CHECK(hash_with({{"clock", "2000 MHz"}}) == plain); // 2 GHz
    CHECK(hash_with({{"array.rows", "4"}}) == plain);   // what the chip file says
    CHECK(hash_with({{"array.rows", "5"}}) != plain);
    CHECK(hash_with({{"dataflow", "os"}}) != plain);
    CHECK(hash_with({{"m", "9"}}) != plain);
    CHECK(hash_with({{"from", "host"}}) != plain);
    CHECK(hash_with({{"tile", "4x4x4"}}) != plain);
    CHECK(hash_with({{"sparsity", "2:4"}}) != plain);
}

TEST_CASE("a point that cannot be run says why", "[sweep][point]") {
    const PointOutcome good = run_point(base);
    CHECK(good.status == PointStatus::ok);
    CHECK(good.metrics.size() == point_metrics().size());
    CHECK(good.layers.size() == 1);
    const PointOutcome bad = run_point(point_arguments(base, {{"vmem.capacity", "1 B"}}));
    CHECK(bad.status == PointStatus::failed);
    CHECK_THAT(bad.error, Catch::Contains("bytes of VMEM"));
    CHECK(!bad.hash.empty());
    CHECK(bad.metrics.empty());
}

TEST_CASE("a line for the shell can be pasted", "[sweep][point]") {
    CHECK(shell_line({"--set", "a=b", "x y", "it's", ""}) == "--set a=b 'x y' 'it'\\''s' ''");
}

TEST_CASE("options on the command line go before those of a sweep file", "[sweep][plan]") {
    const TempFolder folder;
    const std::string file = folder.write("s.toml", "description = \"d\"\n[run]\nchip = \"tiny_4x4\"\n"
                                                    "workload = \"bert_base_attention\"\nfrom = \"host\"\n"
                                                    "set = [\"clock=2 GHz\"]\n[[axis]]\nkey = \"dataflow\"\n"
                                                    "values = [\"ws\", \"os\"]\n");
    const SweepPlan plan = plan_of({file, "--gemm", "4x4x4", "--from", "hbm", "--set", "cores=2", "--axis",
                                    "dataflow=is", "--axis", "array.rows=4,8"});
    CHECK(plan.description == "d");
    CHECK(plan.space.size() == 2);
    CHECK(plan.arguments ==
          Words{"--gemm", "4x4x4", "--chip", "tiny_4x4", "--set", "clock=2 GHz", "--set", "cores=2", "--from", "hbm"});
}

TEST_CASE("what no point can be made of is refused at its place", "[sweep][plan]") {
    const Words run{"--chip", "tiny_4x4", "--gemm", "4x4x4"};
    const auto with = [&run](Words more) {
        more.insert(more.begin(), run.begin(), run.end());
        return error_of(more);
    };
    CHECK(with({"--axis", "array.rows=4,8"}).empty());
    CHECK_THAT(with({"--axis", "array.clos=4"}),
               Catch::Contains("unknown axis 'array.clos' (did you mean 'array.cols'?"));
    CHECK_THAT(with({"--axis", "array.rows=4,x"}),
               Catch::Contains("array.rows: expected a whole number (1..4096), found 'x'"));
    CHECK_THAT(with({"--axis", "dataflow=ws,xx"}), Catch::Contains("dataflow = xx: --dataflow 'xx' is unknown"));
    CHECK_THAT(with({"--axis", "chip=tiny_4x4"}), Catch::Contains("chip is an axis and --chip is given, too"));
    CHECK_THAT(error_of({"--chip", "tiny_4x4", "--axis", "array.rows=4"}), Catch::StartsWith(": nothing to run"));
    CHECK_THAT(error_of({"--gemm", "4x4x4", "--axis", "array.rows=4"}), Catch::StartsWith(": no chip"));
}

TEST_CASE("the fingerprint of a sweep changes with its files", "[sweep][plan]") {
    const TempFolder folder;
    const auto fingerprint = [&](const std::string& m) {
        const std::string file = folder.write("w.toml", "[[operator]]\nname = \"x\"\nm = " + m + "\nn = 4\nk = 4\n");
        return sweep_header(plan_of({"--chip", "tiny_4x4", "--workload", file, "--axis", "array.rows=4,8"}))
            .fingerprint;
    };
    CHECK(fingerprint("4") == fingerprint("4"));
    CHECK(fingerprint("4") != fingerprint("5"));
}

TEST_CASE("the progress line says how far, how fast, how long and what is best, and fits", "[sweep][progress]") {
    std::ostringstream stream;
    SweepProgressLine line(stream, ranking_key("time"), 100);
    PointOutcome outcome{"", PointStatus::ok, "", Row(point_metrics().size()), {}};
    outcome.metrics[1] = 2.5e-6;
    line.see({{"array.rows", "8"}}, outcome);
    outcome.metrics[1] = 3.5e-6;
    line.see({{"array.rows", "4"}}, outcome);
    // 30 in 10 s are 3/s; 70 left: 23 s
    CHECK(line.line({100, 30, 1, 30}, 10) ==
          "[######..............] 30/100  3/s  23 s left  1 failed  best seconds 2.5e-06: array.rows=8");
    CHECK(line.line({100, 0, 0, 0}, 1) == "[....................] 0/100  best seconds 2.5e-06: array.rows=8");
    CHECK(SweepProgressLine(stream, ranking_key("time"), 30).line({100, 30, 1, 30}, 10).size() == 29);
    CHECK(stream.str().empty()); // nothing is drawn before update()
}

TEST_CASE("the hash of a point tells apart what a network and given matrices are run with", "[sweep][point]") {
    const Words network{"--chip", "edge_16x16", "--workload", "bert_base"};
    const auto hash_of = [](Words words, const Words& more) {
        words.insert(words.end(), more.begin(), more.end());
        return point_hash(resolve_point(words));
    };
    CHECK(hash_of(network, {"--fuse"}) != hash_of(network, {}));
    CHECK(hash_of(network, {"--sparsity", "2:4"}) != hash_of(network, {}));
    CHECK(hash_of(network, {"--sparsity", "dense"}) == hash_of(network, {}));
}
