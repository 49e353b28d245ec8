#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/workload/scalesim_cfg.h"
#include "sim/workload/scalesim_topology.h"

using namespace systole;

namespace {

Workload read(const std::string& text) { return read_scalesim_topology(text, "folder/net.csv", {}); }

std::string error_of(const std::string& text) {
    try {
        read(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_shape(const GemmProblem& problem, const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k) {
    CHECK(problem.name == name);
    CHECK(problem.m == m);
    CHECK(problem.n == n);
    CHECK(problem.k == k);
}

const std::string conv_header =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";

} // namespace

TEST_CASE("a convolution becomes the GEMM of its output pixels, filters and window") {
    const Workload workload = read(conv_header + "first, 12, 10, 3, 3, 5, 7, 2,\n");
    REQUIRE(workload.operators.size() == 1);
    // Height ceil((12 - 3 + 2) / 2) = 6, width ceil((10 - 3 + 2) / 2) = 5; window 3 * 3 * 5 = 45.
    check_shape(workload.operators[0], "first", 30, 7, 45);
    CHECK(workload.name == "net");
}

TEST_CASE("the output side is SCALE-Sim's, without a sum that could leave 64 bits") {
    CHECK(scalesim_output_side(224, 7, 2) == 110); // ceil(219 / 2)
    CHECK(scalesim_output_side(7, 7, 1) == 1);
    CHECK(scalesim_output_side(1, 1, 4) == 1);
    CHECK(scalesim_output_side(10, 1, 3) == 4); // ceil(12 / 3)
    CHECK(scalesim_output_side(unlimited, 1, unlimited) == 2);
}

TEST_CASE("a further stride is that of the width, and remarks behind an empty field are left alone") {
    const Workload workload = read(conv_header + "a,9,9,1,1,1,1,2,4,\n"
                                                 "b,9,9,1,1,1,1,2,,,110,x\n"
                                                 "c,9,9,1,1,1,1,2,4,1:1,\n");
    REQUIRE(workload.operators.size() == 3);
    check_shape(workload.operators[0], "a", 15, 1, 1); // 5 rows, 3 columns
    check_shape(workload.operators[1], "b", 25, 1, 1);
    check_shape(workload.operators[2], "c", 15, 1, 1);
}

TEST_CASE("GEMM lines have M, N and K in this order, names may be numbers") {
    const Workload workload = read("Layer,M,N,K,\r\n1,10,20,30,\r\n2, 1 ,2\t, 3\r\n");
    REQUIRE(workload.operators.size() == 2);
    check_shape(workload.operators[0], "1", 10, 20, 30);
    check_shape(workload.operators[1], "2", 1, 2, 3);
}

TEST_CASE("blank lines, lines of commas, missing line ends and missing headers do not matter") {
    CHECK(read("\n ,,,\n" + conv_header + "\n,,,,,\na,3,3,1,1,1,1,1,\n\n").operators.size() == 1);
    CHECK(read("a,3,3,1,1,1,1,1").operators.size() == 1); // eight fields: a convolution
    check_shape(read("a,3,4,5").operators.at(0), "a", 3, 4, 5);
    check_shape(read("a,3,4,5,").operators.at(0), "a", 3, 4, 5);
}

TEST_CASE("a depthwise line is read with the numbers given, one named DP channel by channel") {
    check_shape(read(conv_header + "dw,8,8,3,3,32,1,1,\n").operators.at(0), "dw", 36, 1, 288);
    const Workload channels = read(conv_header + "DP1,8,8,3,3,4,2,1,\n");
    REQUIRE(channels.operators.size() == 4);
    check_shape(channels.operators[3], "DP1Channel_3", 36, 2, 9);
}

TEST_CASE("sparsity columns are read, what is none is refused with its place") {
    CHECK(read("Layer,M,N,K,Sparsity,\na,1,2,3,1:1,\nb,1,2,3,4:4\nc,1,2,3,dense,\n").operators.size() == 3);
    CHECK(read(conv_header + "a,3,3,1,1,1,1,1,1:1,\n").operators.size() == 1);
    CHECK(read("Layer,M,N,K,Sparsity,\na,1,2,3,2:4,\nb,1,2,3\n").operators[0].sparsity == SparsePattern{2, 4});
    CHECK(read("Layer,M,N,K,Sparsity,\na,1,2,3,2:4,\nb,1,2,3\n").operators[1].sparsity == dense_pattern);
    CHECK(has(error_of("Layer,M,N,K,Sparsity,\na,1,2,3,3:4,\n"), "folder/net.csv:2:9: '3:4' is no sparsity"));
    CHECK(read(conv_header + "a,3,3,1,1,1,1,1, 1:4,\n").operators[0].sparsity == SparsePattern{1, 4});
    CHECK(has(error_of(conv_header + "a,3,3,1,1,1,1,1, 4:2,\n"), "folder/net.csv:2:18: '4:2' is not a sparsity"));
    CHECK(has(error_of("Layer,M,N,K\na,1,2,3,x:4,\n"), "'x:4' is not a sparsity"));
}

TEST_CASE("all bad lines come at once, each with its place") {
    const std::string errors = error_of(conv_header + "a,3,3,1,1,1,1,0,\n"    // stride 0
                                                      "b,3,-3,1,1,1,1,1,\n"   // negative
                                                      "c,3,3,5,1,1,1,1,\n"    // filter larger than the input
                                                      "d,3,3,1,1,1,\n"        // too short
                                                      "e,3,3,1,1,1,1x,1,\n"); // trailing garbage
    CHECK(has(errors, "folder/net.csv:2:15: stride '0' is below 1"));
    CHECK(has(errors, "folder/net.csv:3:5: IFMAP width '-3' is below 1"));
    CHECK(has(errors, "folder/net.csv:4:7: the filter is larger than its input"));
    CHECK(has(errors, "folder/net.csv:5:"));
    CHECK(has(errors, "filters is missing"));
    CHECK(has(errors, "folder/net.csv:6:13: filters '1x' is not a whole number"));
}

TEST_CASE("no layer may have the name of the whole run") {
    CHECK(has(error_of("Layer,M,N,K\na,1,2,3\ntotal,1,2,3\n"),
              "folder/net.csv:3:1: 'total' is the name of the whole run"));
    CHECK(has(error_of(conv_header + "total,3,3,1,1,1,1,1,\n"),
              "folder/net.csv:2:1: 'total' is the name of the whole run"));
    CHECK(read("Layer,M,N,K\nTotal,1,2,3\n").operators.size() == 1);
}

TEST_CASE("topologies with nothing in them or beyond 64 bits are refused") {
    CHECK(has(error_of(""), "has no layer"));
    CHECK(has(error_of(conv_header), "has no layer"));
    CHECK(has(error_of("what is this\n"), "has no layer"));
    CHECK(has(error_of("a,9000000000000000000,9000000000000000000,2\n"), "64 bits"));
    CHECK(has(error_of("a,99999999999999999999,1,2\n"), "is above"));
    CHECK(has(error_of("a,9000000000000000000,9000000000000000000,1,1,1,1,1\n"), "64 bits"));
}

TEST_CASE("a .cfg gives the array's size and the dataflow, and names what is ignored") {
    const ScalesimConfig cfg = read_scalesim_cfg("# a comment\n[general]\nrun_name = \"x\"\n\n[architecture_presets]\n"
                                                 "ArrayHeight:    32\nArrayWidth = 16\nIfmapSramSzkB: 64\n"
                                                 "Dataflow : OS\r\n[run_presets]\nInterfaceBandwidth: CALC\n",
                                                 "x.cfg");
    CHECK(cfg.overrides == std::vector<std::string>{"array.rows=32", "array.cols=16"});
    CHECK(cfg.dataflow == Dataflow::output_stationary);
    CHECK(cfg.ignored ==
          std::vector<std::string>{"architecture_presets.IfmapSramSzkB", "run_presets.InterfaceBandwidth"});
}

TEST_CASE("a .cfg with errors is refused, all at once") {
    try {
        read_scalesim_cfg("[architecture_presets]\nArrayHeight: 0\nArrayWidth: 3x\nDataflow: rs\nnonsense\n"
                          "ArrayHeight: 4\n",
                          "x.cfg");
        FAIL("was read");
    } catch (const InputError& error) {
        CHECK(error.diagnostics().size() == 5);
        CHECK(has(error.what(), "x.cfg:2:1: the array's size '0' is below 1"));
        CHECK(has(error.what(), "x.cfg:4:1: unknown dataflow 'rs'"));
        CHECK(has(error.what(), "x.cfg:6:1: 'architecture_presets.ArrayHeight' is given twice"));
    }
    CHECK_THROWS_AS(read_scalesim_cfg("", "x.cfg"), InputError);
}
