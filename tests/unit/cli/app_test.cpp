#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "sim/cli/app.h"
#include "sim/cli/exit_code.h"
#include "sim/report/compare.h"
#include "sim/report/counters.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;

namespace {

struct Outcome {
    int code;
    std::string out;
    std::string err;
};

Outcome run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "systole");
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_app(static_cast<int>(arguments.size()), arguments.data(), out, err);
    return {code, out.str(), err.str()};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_refused(const std::vector<const char*>& arguments, const std::string& message) {
    const Outcome outcome = run(arguments);
    INFO(outcome.err);
    CHECK(outcome.code == exit_bad_input);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, message));
}

} // namespace

TEST_CASE("help and version go to standard output") {
    CHECK(run({"--version"}).out == std::string("systole ") + SYSTOLE_VERSION + "\n");
    CHECK(has(run({"--help"}).out, "commands:"));
    CHECK(has(run({"simulate", "--gemm", "--help"}).out, "examples:"));
    CHECK(run({"simulate", "--help"}).code == exit_good);
    CHECK(run({"simulate", "-h"}).out == run({"simulate", "--help"}).out);
}

TEST_CASE("without a command the overview is an error") {
    const Outcome outcome = run({});
    CHECK(outcome.code == exit_bad_input);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, "usage:"));
}

TEST_CASE("unknown commands are refused, and only those that exist are listed") {
    check_refused({"simulat"},
                  "did you mean 'simulate'? there are simulate, compare, roofline, sweep, probe, validate, info)");
    check_refused({"train"},
                  "unknown command 'train' (there are simulate, compare, roofline, sweep, probe, validate, info)");
}

TEST_CASE("what contradicts itself is refused") {
    check_refused({"simulate", "--chip", "tiny_4x4"}, "nothing to run");
    check_refused({"simulate", "--gemm", "1x1x1"}, "no chip");
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--workload", "w"},
                  "--gemm and --workload are both given");
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--verify", "--no-verify"},
                  "--verify and --no-verify");
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--engine", "tile", "--verify"},
                  "nothing to verify");
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--vcd-from", "3"}, "give --vcd FILE too");
    check_refused(
        {"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--vcd", "f", "--vcd-from", "3", "--vcd-to", "2"},
        "lies before");
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--tile", "1x1x1", "--mapping", "naive"},
                  "--mapping and --tile");
    check_refused({"simulate", "--chip", "tpu_v5e", "--gemm", "1x1x1", "--format", "scalesim"}, "one array");
}

TEST_CASE("two results in one file are refused, and so is a file without a name") {
    std::vector<const char*> arguments{"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1"};
    const auto check = [&](std::initializer_list<const char*> outputs, const std::string& message) {
        std::vector<const char*> all = arguments;
        all.insert(all.end(), outputs);
        check_refused(all, message);
    };
    check({"-o", "x.vcd", "--vcd", "./x.vcd"}, "-o and --vcd would both write");
    check({"--out-dir", "d", "-o", "d/../d/result.json"}, "--out-dir and -o would both write");
    check({"--out-dir", "d", "--vcd", "d/manifest.json"}, "--out-dir and --vcd would both write");
    check({"-o", ""}, "-o '' names no file");
    check({"--out-dir="}, "--out-dir '' names no file");
    check({"--vcd="}, "--vcd '' names no file");
    check({"--vcd", "."}, "--vcd .: is a folder, a link or a device");
    check({"--vcd", "/dev/null"}, "--vcd /dev/null: is a folder, a link or a device");
}

TEST_CASE("errors are printed without control characters, and not without end") {
    const Outcome escape = run({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--dataflow", "\x1b[31m\n"});
    CHECK(has(escape.err, "'?[31m?'"));
    const test::TempFolder folder;
    std::string text;
    for (int i = 0; i < 300; ++i) {
        text += "key" + std::to_string(i) + " = 1\n";
    }
    const std::string file = folder.write("many.toml", text);
    const Outcome many = run({"simulate", "--chip", "tiny_4x4", "--workload", file.c_str()});
    CHECK(many.code == exit_bad_input);
    CHECK(std::count(many.err.begin(), many.err.end(), '\n') == 101);
    CHECK(has(many.err, "and 201 more errors")); // 300 unknown keys and no operator, of which 100 are shown
}

TEST_CASE("what is not there yet is said plainly") {
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--mapping", "best"},
                  "auto, naive or fixed:FILE");
}

TEST_CASE("words that are none of the known are refused") {
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--dataflow", "rs"}, "use ws, os, is or auto");
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--from", "disk"}, "use vmem, hbm or host");
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--engine", "fast"}, "use structural");
    check_refused({"simulate", "--chip", "tiny_4x4", "--gemm", "1x1x1", "--format", "xml"},
                  "text, json, csv, scalesim");
    check_refused({"probe", "array", "--chip", "tiny_4x4", "--format", "scalesim"}, "text, json, csv");
    check_refused({"info", "chips", "keys"}, "say about what");
    check_refused({"probe", "cache"}, "cannot probe 'cache'");
}

TEST_CASE("info counters describes every number of the JSON") {
    const Outcome outcome = run({"info", "counters"});
    CHECK(outcome.code == exit_good);
    for (const Counter& counter : operator_counters()) {
        CHECK(has(outcome.out, counter.path));
    }
    const Json table = Json::parse(run({"info", "counters", "--format", "json"}).out);
    CHECK(table.size() == run_counters().size() + operator_counters().size() + compare_counters().size());
}

TEST_CASE("info of a chip lists its values, peak, bandwidths and ridges") {
    const Outcome outcome = run({"info", "edge_16x16"});
    CHECK(outcome.code == exit_good);
    for (const char* const part : {"array.rows", "512 GFLOP/s", "ridge", "hbm"}) {
        CHECK(has(outcome.out, part));
    }
    const Json page = Json::parse(run({"info", "edge_16x16", "--format", "json"}).out);
    CHECK(page["values"]["array.rows"] == "16");
    CHECK(page["peak_flops"]["int8"] == 512e9);
    CHECK(page["ridge"]["int8"]["hbm"] == 512e9 / page["bandwidth"]["hbm"].get<double>());
}

TEST_CASE("the pages of info fit 80 columns") {
    for (const char* const topic : {"chips", "keys", "counters", "workloads", "edge_16x16"}) {
        const Outcome outcome = run({"info", topic});
        REQUIRE(outcome.code == exit_good);
        std::istringstream stream(outcome.out);
        for (std::string line; std::getline(stream, line);) {
            INFO(topic << ": " << line);
            CHECK(line.size() <= 80);
        }
    }
}

TEST_CASE("a stream that cannot be written is a fault of the surroundings") {
    const char* const arguments[] = {"systole", "--version"};
    std::ostringstream out;
    std::ostringstream err;
    out.setstate(std::ios::badbit);
    CHECK(run_app(2, arguments, out, err) == exit_environment);
    CHECK(has(err.str(), "cannot be written"));
}
