#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "sim/report/layers.h"
#include "sim/report/text.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

OperatorResult layer(const std::string& name, const std::string& kind = "gemm") {
    auto one = sample_operator();
    one.name = name;
    one.kind = kind;
    return one;
}

RunResult network_of(const std::vector<OperatorResult>& operators) {
    RunResult run = sample_run();
    run.network = true;
    run.operators = operators;
    run.total.cycles = 0;
    for (const auto& one : operators)
        run.total.cycles += one.cycles;
    return run;
}

std::vector<std::string> names_of(const std::vector<OperatorResult>& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows)
        names.push_back(row.name);
    return names;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

} // namespace

TEST_CASE("repetitions of a block share a row, whose name says which") {
    const auto rows = folded_layers({layer("first"), layer("block[0].a"), layer("block[0].b"), layer("block[1].a"),
                                     layer("block[1].b"), layer("block[2].a"), layer("last")});
    CHECK(names_of(rows) == std::vector<std::string>{"first", "block[0-2].a", "block[0-1].b", "last"});
    CHECK(rows[1].cycles == 3 * layer("a").cycles);
    CHECK(rows[1].m == layer("a").m); // of one shape
    CHECK(rows[1].roofline.t_math_s == Approx(3 * layer("a").roofline.t_math_s));
}

TEST_CASE("operators of two kinds, and names that merely look alike, keep their rows") {
    const std::vector<OperatorResult> operators{layer("a[0]"),    layer("a[1]", "conv"),
                                                layer("a[]"),     layer("a[x]"),
                                                layer("a[0"),     layer("a[99999999999999999999]"),
                                                layer("b[0][1]"), layer("b[2][1]")};
    CHECK(names_of(folded_layers(operators)) ==
          std::vector<std::string>{"a[0]", "a[1]", "a[]", "a[x]", "a[0", "a[99999999999999999999]", "b[0-2][1]"});
}

TEST_CASE("what is drawn of many operators is the slowest in their order and one row for the rest") {
    std::vector<OperatorResult> operators;
    for (int i = 0; i < 6; ++i) {
        operators.push_back(layer("layer" + std::string(1, static_cast<char>('a' + i))));
        operators.back().cycles = i == 1 || i == 4 ? 1000 : 10 + i;
    }
    CHECK(names_of(drawn_layers(operators, 6)).size() == 6);
    const auto drawn = drawn_layers(operators, 3);
    CHECK(names_of(drawn) == std::vector<std::string>{"layerb", "layere", "4 others"});
    CHECK(drawn.back().cycles == 10 + 12 + 13 + 15);
}

TEST_CASE("a table of layers has 80 columns, whatever the names and numbers") {
    auto wide = layer("a_name_that_is_much_longer_than_the_column_for_names[12].of.layers", "batched_gemm");
    wide.m = wide.n = wide.k = 1234567;
    wide.count = 1234;
    wide.cycles = 999'999'999'999;
    wide.traffic.hbm.read.a = 999'999'999'999'999;
    wide.roofline.bound = "vector";
    for (const auto rows : {LayerRows::folded, LayerRows::all}) {
        for (const auto& line : lines_of(layers_text(network_of({wide, layer("x")}), rows))) {
            INFO(line);
            CHECK(line.size() <= 80);
        }
    }
}

TEST_CASE("a table of a network without work for the chip has 80 columns as well") {
    auto stage = layer("a", "host");
    stage.m = stage.n = stage.k = 0;
    for (const auto& operators : {std::vector<OperatorResult>{}, std::vector<OperatorResult>{stage}}) {
        for (const auto& line : lines_of(layers_text(network_of(operators), LayerRows::folded))) {
            INFO(line);
            CHECK(line.size() <= 80);
        }
    }
    CHECK(layers_text(network_of({}), LayerRows::folded).find("none: all operators are views") != std::string::npos);
}

TEST_CASE("few operators have a row each, and of many repetitions share one unless all are asked for") {
    std::vector<OperatorResult> operators;
    for (std::size_t i = 0; i <= unfolded_operators; ++i)
        operators.push_back(layer("block[" + std::to_string(i) + "].a"));
    const auto rows_with = [&](const RunResult& run, LayerRows wanted) {
        std::size_t rows = 0;
        for (const auto& line : lines_of(layers_text(run, wanted)))
            rows += line.rfind("block[", 0) == 0 ? 1 : 0;
        return rows;
    };
    CHECK(rows_with(network_of(operators), LayerRows::folded) == 1);
    CHECK(rows_with(network_of(operators), LayerRows::all) == operators.size());
    operators.pop_back();
    CHECK(rows_with(network_of(operators), LayerRows::folded) == operators.size());
}

TEST_CASE("operators that were left out are listed") {
    auto run = network_of({layer("a")});
    run.skipped = {"node 'n' (Resize)"};
    CHECK(text_report(sample_machine(), run).find("left out: node 'n' (Resize)") != std::string::npos);
}
