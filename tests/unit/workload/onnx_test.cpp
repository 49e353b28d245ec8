#include <algorithm>
#include <fstream>
#include <random>

#include <catch2/catch.hpp>

#include "sim/workload/lowering.h"
#include "sim/workload/onnx_reader.h"
#include "tests/unit/base/temp_folder.h"
#include "tests/unit/workload/onnx_support.h"

using namespace systole;
using namespace systole::test;

namespace {

// Conv, BatchNormalization, Relu, GlobalAveragePool, Flatten, Gemm.
OnnxGraph small_cnn() {
    OnnxGraph graph;
    graph.input("image", {-1, 3, 32, 32}, {"batch"}).output("logits");
    graph.weight("w", {8, 3, 3, 3});
    for (const char* const name : {"scale", "shift", "mean", "variance"}) {
        graph.weight(name, {8});
    }
    graph.weight("fc.w", {10, 8});
    graph.weight("fc.b", {10});
    with(with(graph.node("Conv", "conv", {"image", "w"}, {"c"}), "strides", std::vector<std::int64_t>{2, 2}), "pads",
         std::vector<std::int64_t>{1, 1, 1, 1});
    graph.node("BatchNormalization", "bn", {"c", "scale", "shift", "mean", "variance"}, {"n"});
    graph.node("Relu", "relu", {"n"}, {"r"});
    graph.node("GlobalAveragePool", "pool", {"r"}, {"p"});
    graph.node("Flatten", "flat", {"p"}, {"f"});
    with(graph.node("Gemm", "fc", {"f", "fc.w", "fc.b"}, {"logits"}), "transB", std::int64_t{1});
    return graph;
}

} // namespace

TEST_CASE("a small CNN: batch norm is folded into the convolution, the batch is bound", "[onnx]") {
    const Network network = read(small_cnn(), {{"batch", 4}});
    CHECK(kinds(network) == std::vector<std::string>{"conv", "relu", "pool", "reshape", "gemm"});
    // Weights 8*3*9, a bias for each filter, the output layer.
    CHECK(parameters(network) == 8 * 27 + 8 + 80 + 10);
    // 16x16 output pixels of each of 4 images.
    CHECK(lower(network).macs == 4 * (256 * 8 * 27 + 80));
    CHECK(last_shape(network) == Shape{4, 10});
}

TEST_CASE("a batch norm that stands alone is a scale and a shift", "[onnx]") {
    OnnxGraph graph;
    graph.input("x", {2, 8, 4, 4}).output("y");
    for (const char* const name : {"scale", "shift", "mean", "variance"}) {
        graph.weight(name, {8});
    }
    graph.node("BatchNormalization", "bn", {"x", "scale", "shift", "mean", "variance"}, {"y"});
    const Network network = read(graph);
    CHECK(kinds(network) == std::vector<std::string>{"scale_shift"});
    CHECK(parameters(network) == 16);
    CHECK(lower(network).vector_operations == 2 * 2 * 8 * 16);
}

TEST_CASE("convolutions with groups, dilation and asymmetric padding, transposed and of one dimension", "[onnx]") {
    OnnxGraph graph;
    graph.input("x", {1, 4, 10, 10}).output("z");
    graph.weight("w", {4, 1, 3, 3});
    graph.weight("t", {4, 6, 2, 2});
    with(with(with(graph.node("Conv", "a", {"x", "w"}, {"y"}), "group", std::int64_t{4}), "dilations",
              std::vector<std::int64_t>{2, 1}),
         "pads", std::vector<std::int64_t>{1, 0, 2, 1});
    with(graph.node("ConvTranspose", "b", {"y", "t"}, {"z"}), "strides", std::vector<std::int64_t>{2, 2});
    const Network network = read(graph);
    // Rows 10 + 3 - 2 * 2 = 9, columns 10 + 1 - 2 = 9; then (9 - 1) * 2 + 2 = 18.
    CHECK(last_shape(network) == Shape{1, 6, 18, 18});
    CHECK(lower(network).macs == 81 * 4 * 9 + 81 * 4 * 6 * 4);

    OnnxGraph line;
    line.input("x", {2, 4, 20}).output("y");
    line.weight("w", {8, 4, 5});
    line.weight("b", {8});
    with(line.node("Conv", "c", {"x", "w", "b"}, {"y"}), "pads", std::vector<std::int64_t>{2, 2});
    const Network row = read(line);
    CHECK(last_shape(row) == Shape{2, 8, 20});
    CHECK(lower(row).macs == 2 * 20 * 8 * 4 * 5);
}

TEST_CASE("attention as PyTorch exports it: products, scale, softmax, and views that cost nothing", "[onnx]") {
    OnnxGraph graph;
    graph.input("x", {-1, 16, 32}, {"batch"}).output("y");
    graph.integers("split_heads", {0, 0, 4, 8}).integers("join_heads", {0, 0, 32});
    graph.weight("eight", {});
    for (const char* const name : {"q", "k", "v"}) {
        const std::string n = name;
        graph.weight("w" + n, {32, 32});
        graph.weight("b" + n, {32});
        graph.node("MatMul", "mm" + n, {"x", "w" + n}, {n + "0"});
        graph.node("Add", "add" + n, {"b" + n, n + "0"}, {n + "1"});
        graph.node("Reshape", "reshape" + n, {n + "1", "split_heads"}, {n + "2"});
        with(graph.node("Transpose", "transpose" + n, {n + "2"}, {n + "3"}), "perm",
             n == "k" ? std::vector<std::int64_t>{0, 2, 3, 1} : std::vector<std::int64_t>{0, 2, 1, 3});
    }
    graph.node("MatMul", "scores", {"q3", "k3"}, {"s"});
    graph.node("Div", "scale", {"s", "eight"}, {"s1"});
    graph.node("Softmax", "softmax", {"s1"}, {"p"});
    graph.node("MatMul", "values", {"p", "v3"}, {"o"});
    with(graph.node("Transpose", "back", {"o"}, {"o1"}), "perm", std::vector<std::int64_t>{0, 2, 1, 3});
    graph.node("Reshape", "join", {"o1", "join_heads"}, {"y"});
    const Network network = read(graph, {{"batch", 2}});
    // The added biases are those of the products.
    CHECK(parameters(network) == 3 * (32 * 32 + 32));
    CHECK(lower(network).macs == 2 * (3 * 16 * 32 * 32 + 2 * 4 * 16 * 16 * 8));
    CHECK(last_shape(network) == Shape{2, 16, 32});
    const auto all = kinds(network);
    CHECK(std::count(all.begin(), all.end(), "gemm") == 3);
    CHECK(std::count(all.begin(), all.end(), "batched_gemm") == 2);
    CHECK(std::count(all.begin(), all.end(), "softmax") == 1);
    CHECK(std::count(all.begin(), all.end(), "scale") == 1);
    CHECK(std::count(all.begin(), all.end(), "add") == 0);
}

TEST_CASE("layer norm, as one node and as the nine nodes of older opsets", "[onnx]") {
    OnnxGraph one;
    one.input("x", {2, 5, 32}).output("y");
    one.weight("scale", {32});
    one.weight("bias", {32});
    with(one.node("LayerNormalization", "norm", {"x", "scale", "bias"}, {"y"}), "axis", std::int64_t{-1});
    CHECK(kinds(read(one)) == std::vector<std::string>{"norm"});
    CHECK(parameters(read(one)) == 64);

    OnnxGraph nine;
    nine.input("x", {2, 5, 32}).output("y");
    nine.weight("two", {});
    nine.weight("epsilon", {});
    nine.weight("scale", {32});
    nine.weight("bias", {32});
    with(nine.node("ReduceMean", "mean", {"x"}, {"m"}), "axes", std::vector<std::int64_t>{-1});
    nine.node("Sub", "sub", {"x", "m"}, {"d"});
    nine.node("Pow", "pow", {"d", "two"}, {"d2"});
    with(nine.node("ReduceMean", "variance", {"d2"}, {"v"}), "axes", std::vector<std::int64_t>{-1});
    nine.node("Add", "plus", {"v", "epsilon"}, {"v1"});
    nine.node("Sqrt", "sqrt", {"v1"}, {"r"});
    nine.node("Div", "div", {"d", "r"}, {"q"});
    nine.node("Mul", "mul", {"q", "scale"}, {"s"});
    nine.node("Add", "add", {"s", "bias"}, {"y"});
    const Network network = read(nine);
    CHECK(kinds(network) == std::vector<std::string>{"norm"});
    CHECK(parameters(network) == 64);
    CHECK(lower(network).vector_operations == lower(read(one)).vector_operations);
}

TEST_CASE("shapes computed from shapes, lookups, slices and splits", "[onnx]") {
    OnnxGraph graph;
    graph.input("ids", {-1, 6}, {"batch"}, onnx::TensorProto::INT64).output("y");
    graph.weight("table", {100, 8});
    graph.integers("zero", {0}, true).integers("minus", {-1}).integers("start", {2}).integers("end", {9999});
    graph.integers("axis", {1});
    graph.node("Gather", "lookup", {"table", "ids"}, {"e"});
    graph.node("Shape", "shape", {"e"}, {"sh"});
    with(graph.node("Gather", "first", {"sh", "zero"}, {"b"}), "axis", std::int64_t{0});
    graph.integers("axis0", {0});
    graph.node("Unsqueeze", "unsqueeze", {"b", "axis0"}, {"b1"});
    with(graph.node("Concat", "concat", {"b1", "minus"}, {"target"}), "axis", std::int64_t{0});
    graph.node("Slice", "slice", {"e", "start", "end", "axis"}, {"s"});
    graph.node("Reshape", "flat", {"s", "target"}, {"f"});
    with(graph.node("Split", "split", {"f"}, {"left", "right"}), "axis", std::int64_t{1});
    graph.node("Mul", "mul", {"left", "right"}, {"y"});
    const Network network = read(graph, {{"batch", 3}});
    CHECK(kinds(network) == std::vector<std::string>{"embedding", "slice", "reshape", "slice", "slice", "multiply"});
    CHECK(last_shape(network) == Shape{3, 16}); // 4 of 6 tokens of 8 are 32, in two halves
    CHECK(network.tensors[0].format == Format::int32);
    CHECK(parameters(network) == 800);
    CHECK(lower(network).macs == 0);
}

TEST_CASE("what no result depends on is left out", "[onnx]") {
    OnnxGraph graph = small_cnn();
    graph.input("unused", {1, 1});
    graph.node("LSTM", "dead", {"unused", "w", "w"}, {"nothing"});
    CHECK(read(graph, {{"batch", 1}}).operators.size() == 5);
}

TEST_CASE("an unsupported operator is named, or left out and listed", "[onnx]") {
    OnnxGraph graph;
    graph.input("x", {1, 4, 8, 8}).output("y");
    graph.node("Relu", "before", {"x"}, {"a"});
    graph.node("LRN", "lrn1", {"a"}, {"b"});
    with(graph.graph().mutable_node()->at(1), "size", std::int64_t{3});
    graph.node("NonsenseOp", "", {"b"}, {"c"});
    graph.node("Relu", "after", {"c"}, {"y"});
    const auto errors = errors_of(graph);
    REQUIRE(errors.size() == 2);
    CHECK(has(errors[0], "node 'lrn1' of type 'LRN' is not supported (--skip-unsupported leaves it out)"));
    CHECK(has(errors[1], "the node of type 'NonsenseOp' that makes 'c' is not supported"));
    // The shape of what LRN makes is known, that of an operator that nobody knows is not.
    const auto skipping = errors_of(graph, {}, true);
    REQUIRE(skipping.size() == 1);
    CHECK(has(skipping[0], "the node of type 'NonsenseOp' that makes 'c' cannot be left out"));
    OnnxGraph known;
    known.input("x", {1, 4, 8, 8}).output("y");
    known.node("Relu", "before", {"x"}, {"a"});
    with(known.node("LRN", "lrn1", {"a"}, {"b"}), "size", std::int64_t{3});
    known.node("Relu", "after", {"b"}, {"y"});
    const Network network = read(known, {}, true);
    REQUIRE(network.skipped.size() == 1);
    CHECK(has(network.skipped[0], "node 'lrn1' of type 'LRN'"));
    CHECK(kinds(network) == std::vector<std::string>{"relu", "relu"});
}

TEST_CASE("dimensions without a size are named with what would bind them", "[onnx]") {
    auto errors = errors_of(small_cnn());
    REQUIRE(errors.size() == 1);
    CHECK(has(errors[0], "dimension 0 of input 'image' has no size (bind it: --bind batch=8)"));
    errors = errors_of(small_cnn(), {{"batch", 2}, {"seq", 3}});
    REQUIRE(errors.size() == 1);
    CHECK(has(errors[0], "no input has a dimension 'seq' to bind"));
    OnnxGraph unnamed;
    unnamed.input("x", {-1, 4}).output("y");
    unnamed.node("Relu", "r", {"x"}, {"y"});
    CHECK(has(errors_of(unnamed).at(0), "--bind x.0=8"));
    CHECK(last_shape(read(unnamed, {{"x.0", 7}})) == Shape{7, 4});
}

TEST_CASE("cycles, values that nobody makes and sizes that do not fit", "[onnx]") {
    OnnxGraph cycle;
    cycle.input("x", {1, 4}).output("y");
    cycle.node("Add", "a", {"x", "c"}, {"b"});
    cycle.node("Relu", "d", {"b"}, {"c"});
    cycle.node("Relu", "e", {"c"}, {"y"});
    REQUIRE(errors_of(cycle).size() == 1);
    CHECK(has(errors_of(cycle)[0], "the graph has a cycle: node 'a' of type 'Add'"));
    OnnxGraph dangling;
    dangling.input("x", {1, 4}).output("y");
    dangling.node("Add", "a", {"x", "nobody"}, {"y"});
    REQUIRE(errors_of(dangling).size() == 1);
    CHECK(has(errors_of(dangling)[0], "node 'a' of type 'Add' reads 'nobody', which nobody makes"));
    OnnxGraph sizes;
    sizes.input("x", {1, 4, 8, 8}).output("y");
    sizes.weight("w", {8, 3, 3, 3});
    sizes.node("Conv", "c", {"x", "w"}, {"y"});
    REQUIRE(errors_of(sizes).size() == 1);
    CHECK(has(errors_of(sizes)[0], "Conv"));
}

TEST_CASE("files that are cut off, empty, missing or something else", "[onnx]") {
    const TempFolder folder;
    const std::string whole = small_cnn().bytes();
    // Wherever it is cut: an error or, at the end of a message, a graph that is not complete.
    for (std::size_t length = 0; length < whole.size(); length += 97) {
        const std::string file = (folder.path() / "cut.onnx").string();
        std::ofstream(file, std::ios::binary) << whole.substr(0, length);
        INFO(length);
        CHECK_THROWS_AS(load_onnx(file, {{int8_formats, std::nullopt, {{"batch", 1}}}, false}), InputError);
    }
    const std::string text = (folder.path() / "text.onnx").string();
    std::ofstream(text) << "this is no model\n";
    CHECK_THROWS_WITH(load_onnx(text, {}), Catch::Contains("is no ONNX model, or is cut off"));
    CHECK_THROWS_WITH(load_onnx((folder.path() / "none.onnx").string(), {}), Catch::Contains("there is no such file"));
    CHECK_THROWS_WITH(load_onnx(folder.path().string(), {}), Catch::Contains("is no regular file"));
}

TEST_CASE("external weights have to be there and long enough", "[onnx]") {
    const TempFolder folder;
    OnnxGraph graph = small_cnn();
    onnx::TensorProto& weight = graph.graph().mutable_initializer()->at(0);
    weight.clear_raw_data();
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto entry = [&weight](const std::string& key, const std::string& value) {
        auto* one = weight.add_external_data();
        one->set_key(key);
        one->set_value(value);
    };
    entry("location", "weights.bin");
    entry("offset", "16");
    entry("length", "864");
    const std::string file = (folder.path() / "model.onnx").string();
    graph.write(file);
    const OnnxOptions options{{int8_formats, std::nullopt, {{"batch", 1}}}, false};
    CHECK_THROWS_WITH(load_onnx(file, options),
                      Catch::Contains("weight 'w' are in the file 'weights.bin', which is missing"));
    std::ofstream((folder.path() / "weights.bin").string(), std::ios::binary) << std::string(879, '\0');
    CHECK_THROWS_WITH(load_onnx(file, options), Catch::Contains("end at byte 880 of 'weights.bin', which has 879"));
    std::ofstream((folder.path() / "weights.bin").string(), std::ios::binary) << std::string(880, '\0');
    CHECK(load_onnx(file, options).operators.size() == 5);
}

TEST_CASE("a node without the inputs it needs is named", "[onnx]") {
    OnnxGraph graph;
    graph.input("x", {1, 4, 8, 8}).output("y");
    graph.node("Conv", "c", {"x"}, {"y"});
    CHECK(has(errors_of(graph).at(0), "node 'c' of type 'Conv' lacks inputs or results (it needs 2 inputs)"));
    OnnxGraph empty;
    empty.input("x", {1, 4}).output("y");
    empty.node("Add", "a", {"x", ""}, {"y"});
    CHECK(has(errors_of(empty).at(0), "node 'a' of type 'Add' lacks inputs"));
}

TEST_CASE("a model with bytes changed at random is read, or refused as input", "[onnx]") {
    const TempFolder folder;
    const std::string whole = small_cnn().bytes();
    std::mt19937 random(7);
    int read_well = 0;
    for (int round = 0; round < 400; ++round) {
        std::string changed = whole;
        for (int i = 0; i < 3; ++i) {
            changed[random() % changed.size()] = static_cast<char>(random());
        }
        const std::string file = folder.write("changed.onnx", changed);
        INFO(round);
        try {
            lower(load_onnx(file, {{int8_formats, std::nullopt, {{"batch", 1}}}, false}));
            ++read_well;
        } catch (const InputError& error) {
            CHECK_FALSE(error.diagnostics().empty());
        }
    }
    CHECK(read_well > 0); // most bytes are values of weights, which nobody reads
    CHECK(read_well < 400);
}
