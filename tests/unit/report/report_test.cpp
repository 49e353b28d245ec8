#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/report/counters.h"
#include "sim/report/csv.h"
#include "sim/report/json.h"
#include "sim/report/numbers.h"
#include "sim/report/scalesim.h"
#include "sim/report/text.h"
#include "sim/report/wrap.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_width(const std::string& text) {
    for (const std::string& line : lines_of(text)) {
        INFO(line);
        CHECK(line.size() <= 80);
    }
}

} // namespace

TEST_CASE("doubles are written in the shortest form that reads back the same") {
    CHECK(shortest(0.1) == "0.1");
    CHECK(shortest(100) == "100.0");
    CHECK(shortest(5.213e-06) == "5.213e-06");
    CHECK(shortest(-2) == "-2.0");
    for (const double value : {1.0 / 3, 2e300, 0.1 + 0.2, 123456789.125}) {
        CHECK(std::stod(shortest(value)) == value);
    }
}

TEST_CASE("numbers for people have a prefix and four digits") {
    CHECK(scaled(25.6e9, "B/s") == "25.6 GB/s");
    CHECK(scaled(5.2134e-6, "s") == "5.213 us");
    CHECK(scaled(0, "s") == "0 s");
    CHECK(scaled(999.99, "B") == "1 kB"); // not "1000 B"
    CHECK(scaled(1, "FLOP/s") == "1 FLOP/s");
    CHECK(bytes_text(256 * 1024) == "256 KiB");
    CHECK(bytes_text(640) == "640 B");
    CHECK(bytes_text(3 << 19) == "1.5 MiB");
    CHECK(bytes_text(unlimited) == "unlimited");
    CHECK(bandwidth_text(0) == "unlimited");
    CHECK(percent_text(0.78567) == "78.57 %");
    CHECK(count_text(1234567890, 10) == "1234567890");
    CHECK(count_text(12345678901, 10) == "12.35G");
}

TEST_CASE("lines are wrapped at blanks and indented below their first") {
    CHECK(wrap("ab ", "c d", 80) == "ab c d");
    CHECK(wrap("ab ", "cc dd ee", 8) == "ab cc dd\n   ee");
    CHECK(wrap("", "a-very-long-word b", 5) == "a-very-long-word\nb");
    CHECK(wrap("x ", "", 80) == "x ");
}

TEST_CASE("the JSON of stages of the host and transfers has no dataflow and no format, but what crosses the link") {
    RunResult run = sample_run();
    OperatorResult stage;
    stage.kind = "host";
    stage.roofline.levels["host"].seconds = 2e-6;
    OperatorResult moved;
    moved.kind = "transfer";
    moved.traffic.pcie.write.vector = moved.pcie.to_device.payload_bytes = 100;
    moved.pcie.to_device.wire_bytes = 124;
    run.operators.push_back(stage);
    run.operators.push_back(moved);
    run.total.traffic.pcie = moved.traffic.pcie;
    run.total.pcie = moved.pcie;
    const Json root = Json::parse(json_report(run));
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        CHECK(root["operators"][i]["dataflow"].is_null());
        CHECK(root["operators"][i]["dtype"].is_null());
    }
    CHECK(root["operators"][1]["roofline"]["levels"]["host"]["seconds"] == 2e-6);
    CHECK_FALSE(root["operators"][1].contains("pcie_wire_bytes"));
    CHECK(root["operators"][2]["pcie_wire_bytes"]["to_device"] == 124);
    CHECK(root["total"]["pcie_wire_bytes"]["to_device"] == 124);
    CHECK(root["total"]["dataflow"] == "ws"); // of those that have one
    CHECK(root["total"]["dtype"] == "int8");
    run.operators = {stage};
    CHECK(Json::parse(json_report(run))["operators"][0]["dataflow"].is_null());
}

TEST_CASE("the roofline of the text has a row for the host's stages, and none of what takes no time") {
    OperatorResult stage;
    stage.roofline.levels["host"].seconds = stage.roofline.lower_bound_s = 2e-6;
    stage.roofline.bound = "host";
    const std::string row = fmt::format("\n  {:<9}{:>56}  <- bound", "host", "2 us");
    CHECK(roofline_text(stage).find(row) != std::string::npos);
    stage.roofline = {};
    stage.roofline.bound = "none";
    CHECK(roofline_text(stage).find("nothing that the roofline counts takes time") != std::string::npos);
}

TEST_CASE("the JSON has the keys that scripts rely on") {
    const Json root = Json::parse(json_report(sample_run()));
    CHECK(root["schema_version"] == 1);
    CHECK(root["chip"] == "sample_2x4");
    CHECK(root["engine"] == "structural");
    CHECK(root["clock_hz"] == 1'000'000'000);
    REQUIRE(root["operators"].size() == 1);
    for (const char* const part : {"/operators/0", "/total"}) {
        const Json& one = root[Json::json_pointer(part)];
        for (const char* const key : {"name",
                                      "kind",
                                      "m",
                                      "n",
                                      "k",
                                      "dataflow",
                                      "dtype",
                                      "sparsity",
                                      "macs",
                                      "dense_macs",
                                      "flops",
                                      "cycles",
                                      "seconds",
                                      "array_utilization",
                                      "mapping_efficiency",
                                      "roofline_efficiency",
                                      "verified",
                                      "pe_slots",
                                      "cycle_stack",
                                      "bytes",
                                      "roofline"}) {
            INFO(part << " " << key);
            CHECK(one.contains(key));
        }
    }
    const Json& one = root["operators"][0];
    CHECK(one["dataflow"] == "ws");
    CHECK(one["dtype"] == "int8");
    CHECK(one["sparsity"] == "dense");
    CHECK(one["verified"] == true);
    CHECK(one["bytes"]["pe"] == Json::parse(R"({"read": {"A": 64, "B": 64, "psum": 256, "meta": 0},
                                                "write": {"A": 64, "B": 16, "psum": 256, "meta": 0},
                                                "accesses": 272})"));
    CHECK(one["bytes"]["hbm"]["read"] ==
          Json::parse(R"({"A": 32, "B": 16, "C": 0, "psum": 0, "meta": 0, "vector": 0})"));
    CHECK(one["bytes"]["accumulator"]["write"]["psum"] == 128);
    CHECK(one["bytes"]["pcie"]["accesses"] == 0);
    CHECK(one["roofline"]["bound"] == "hbm");
    CHECK(one["roofline"]["lower_bound_s"] == 12e-9);
    CHECK(one["roofline"]["levels"]["hbm"]["tiled_bytes"] == 64);
    CHECK_FALSE(one["roofline"]["levels"].contains("pcie")); // not on the data's way
}

TEST_CASE("the cycle stack of the JSON sums to pe_slots and has every cause") {
    const Json one = Json::parse(json_report(sample_run()))["operators"][0];
    std::int64_t sum = 0;
    for (const auto& slots : one["cycle_stack"]) {
        sum += slots.get<std::int64_t>();
    }
    CHECK(one["cycle_stack"].size() == all_causes.size());
    CHECK(sum == one["pe_slots"].get<std::int64_t>());
}

TEST_CASE("an unchecked product is null, a wrong one false, and differing words of a total are 'mixed'") {
    const Json root = Json::parse(json_report(sample_network()));
    CHECK(root["operators"][1]["verified"].is_null());
    CHECK(root["operators"][1]["dtype"] == "int8,int8,int32");
    CHECK(root["total"]["dataflow"] == "mixed");
    CHECK(root["total"]["dtype"] == "mixed");
    OperatorResult wrong = sample_operator();
    wrong.verified = false;
    CHECK(operator_json(wrong)["verified"] == false);
}

TEST_CASE("names that are not UTF-8 do not break the JSON") {
    RunResult run = sample_run();
    run.operators[0].name = "caf\xe9";
    CHECK_NOTHROW(Json::parse(json_report(run)));
}

TEST_CASE("every counter is described, once") {
    std::set<std::string> paths;
    for (const Counter& counter : operator_counters()) {
        INFO(counter.path);
        CHECK_FALSE(counter.help.empty());
        CHECK(paths.insert(counter.path).second);
    }
}

TEST_CASE("the CSV has one row per operator, and as many fields everywhere") {
    const std::vector<std::string> lines = lines_of(csv_report(sample_network()));
    REQUIRE(lines.size() == 3);
    const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
    CHECK(has(lines[0], "chip,engine,clock_hz,name,kind,m,n,k,"));
    CHECK(has(lines[0], ",bytes_hbm_read_A,"));
    CHECK(has(lines[0], ",roofline_levels_pcie_seconds"));
    CHECK(commas(lines[1]) == commas(lines[0]));
    CHECK(commas(lines[2]) == commas(lines[0]) + 3); // one in the quoted name, two in the quoted dtype
    CHECK(has(lines[2], "\"av, \"\"second\"\"\""));
}

TEST_CASE("the text fits 80 columns and reads from the machine down to the cycles") {
    const std::string text = text_report(sample_machine(), sample_run());
    check_width(text);
    std::size_t last = 0;
    for (const char* const part :
         {"Machine", "Problem", "Result", "Bytes", "HBM 1.3x", "Roofline", "Where the cycles went", "hbm_bandwidth"}) {
        INFO(part);
        const std::size_t at = text.find(part, last);
        REQUIRE(at != std::string::npos);
        last = at;
    }
}

TEST_CASE("the text of a network lists its operators and fits 80 columns, whatever their names and sizes") {
    RunResult run = sample_network();
    run.operators[0].name = std::string(300, 'n') + "\n\x1b[31m";
    OperatorResult& huge = run.operators[1];
    huge.m = huge.n = huge.k = unlimited;
    huge.cycles = unlimited;
    run.total.cycles = run.total.pe_slots = unlimited / 2;
    run.total.traffic.hbm.read = {unlimited / 8, unlimited / 8, unlimited / 8, unlimited / 8};
    Machine machine = sample_machine();
    machine.description = std::string(60, 'd') + " " + std::string(60, 'e');
    const std::string text = text_report(machine, run);
    check_width(text);
    CHECK_FALSE(has(text, "\x1b"));
    CHECK(has(text, "Operators"));
}

TEST_CASE("the cycles of the stack's bars sum to the cycles of the run") {
    OperatorResult result = sample_operator();
    // 160 slots in 20 cycles; thirds that do not divide.
    result.stack = CycleStack{};
    result.stack[Cause::useful] = 53;
    result.stack[Cause::padding] = 53;
    result.stack[Cause::vmem] = 54;
    std::int64_t sum = 0;
    for (const std::string& line : lines_of(stack_text(result))) {
        if (has(line, "#")) {
            sum += std::stoll(line.substr(18, 13));
        }
    }
    CHECK(sum == 20);
}

TEST_CASE("SCALE-Sim's report has its columns and definitions") {
    Machine machine = sample_machine(); // 2 x 4
    RunResult run = sample_run();
    OperatorResult& one = run.operators[0];
    one.m = 3, one.n = 5, one.k = 3;
    one.macs = 45;
    one.cycles = 37; // 4 folds of 2R + C + S - 2 = 9 cycles, and one more so that it differs
    const std::vector<std::string> lines = lines_of(scalesim_report(machine, run));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "LayerID, Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Util %,");
    // overall 45 / (8 * 36), mapping 3 * 5 / (4 * 8), compute (15 / 4) * 3 / (8 * (4 + 8 + 3 - 3)).
    CHECK(lines[1] == "0, 36, 0, 15.625, 46.875, 11.71875,");
    one.dataflow = Dataflow::output_stationary;
    // OS: stationary M * N = 15 in 2 * 2 folds, S = K = 3: (15 / 4) * 3 / (8 * (2 + 4 + 3 - 2)).
    CHECK(has(scalesim_report(machine, run), "0, 36, 0, 15.625, 46.875, 20.089285714285715,"));
    machine.array.count = 2;
    CHECK_THROWS_AS(scalesim_report(machine, run), InputError);
}
