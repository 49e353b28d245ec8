// Forms of ONNX operators beyond the common ones: vectors, one dimension, padding that follows from the result.
#include <catch2/catch.hpp>

#include "sim/workload/lowering.h"
#include "tests/unit/workload/onnx_support.h"

using namespace systole;
using namespace systole::test;

namespace {

using List = std::vector<std::int64_t>;

Network product(const List& a, const List& b, bool stored) {
    OnnxGraph graph;
    graph.input("a", a).output("y");
    if (stored) {
        graph.weight("b", b);
    } else {
        graph.input("b", b);
    }
    graph.node("MatMul", "m", {"a", "b"}, {"y"});
    return read(graph);
}

// x [1, 4, 5, 5] and w [4, 6, 3, 3], stride 2; attributes by `set`.
template <class Set>
Network transposed(Set set) {
    OnnxGraph graph;
    graph.input("x", {1, 4, 5, 5}).output("y");
    graph.weight("w", {4, 6, 3, 3});
    set(with(graph.node("ConvTranspose", "c", {"x", "w"}, {"y"}), "strides", List{2, 2}));
    return read(graph);
}

const ConvolutionAttributes& convolution(const Network& network) {
    return std::get<ConvolutionAttributes>(network.operators.at(0).attributes);
}

} // namespace

TEST_CASE("a vector is a row in front of a product and a column behind it", "[onnx]") {
    for (const bool stored : {false, true}) {
        INFO(stored);
        // [5] [5, 7]: one row of 5 by 7.
        CHECK(last_shape(product({5}, {5, 7}, stored)) == Shape{7});
        CHECK(lower(product({5}, {5, 7}, stored)).macs == 5 * 7);
        // [2, 3, 5] [5]: 6 rows by one column.
        CHECK(last_shape(product({2, 3, 5}, {5}, stored)) == Shape{2, 3});
        CHECK(lower(product({2, 3, 5}, {5}, stored)).macs == 2 * 3 * 5);
        // [5] [5]: a number.
        CHECK(last_shape(product({5}, {5}, stored)) == Shape{});
        CHECK(lower(product({5}, {5}, stored)).macs == 5);
        // [5] [4, 5, 7]: a row for each of 4 matrices.
        CHECK(last_shape(product({5}, {4, 5, 7}, stored)) == Shape{4, 7});
        CHECK(lower(product({5}, {4, 5, 7}, stored)).macs == 4 * 5 * 7);
    }
    OnnxGraph wrong;
    wrong.input("a", {5}).output("y");
    wrong.weight("b", {6});
    wrong.node("MatMul", "m", {"a", "b"}, {"y"});
    CHECK(has(errors_of(wrong).at(0), "node 'm' of type 'MatMul': A [5] and B [6] do not fit"));
}

TEST_CASE("the product of a vector keeps its node's name and takes in its bias", "[onnx]") {
    OnnxGraph graph;
    graph.input("a", {5}).output("z");
    graph.weight("b", {5, 7});
    graph.weight("bias", {7});
    graph.node("MatMul", "m", {"a", "b"}, {"y"});
    graph.node("Add", "add", {"y", "bias"}, {"z"});
    const Network network = read(graph);
    CHECK(kinds(network) == std::vector<std::string>{"reshape", "gemm", "reshape"});
    CHECK(network.operators[1].name == "m");
    CHECK(parameters(network) == 5 * 7 + 7);
}

TEST_CASE("a transposed convolution may say what it makes instead of its padding", "[onnx]") {
    // Without padding (5 - 1) * 2 + 3 = 11 pixels a side. MACs are input pixels times weights, whatever is cut away.
    const std::int64_t macs = 25 * 4 * 6 * 9;
    const Network same = transposed([](onnx::NodeProto& node) { with(node, "auto_pad", "SAME_UPPER"); });
    CHECK(last_shape(same) == Shape{1, 6, 10, 10}); // 5 * 2; the one that is too many goes behind
    CHECK(convolution(same).padding == Padding{0, 0, 1, 1});
    CHECK(lower(same).macs == macs);
    const Network lower_same = transposed([](onnx::NodeProto& node) { with(node, "auto_pad", "SAME_LOWER"); });
    CHECK(convolution(lower_same).padding == Padding{1, 1, 0, 0});
    const Network valid = transposed([](onnx::NodeProto& node) { with(node, "auto_pad", "VALID"); });
    CHECK(last_shape(valid) == Shape{1, 6, 11, 11});
    const Network asked = transposed([](onnx::NodeProto& node) { with(node, "output_shape", List{8, 13}); });
    CHECK(last_shape(asked) == Shape{1, 6, 8, 13}); // 3 rows are cut away, 2 columns are added
    CHECK(convolution(asked).padding == Padding{2, 0, 1, 0});
    CHECK(convolution(asked).output_padding == Pair{0, 2});
    CHECK(lower(asked).macs == macs);
}

TEST_CASE("a transposed convolution of one dimension with a result that it names", "[onnx]") {
    OnnxGraph graph;
    graph.input("x", {2, 4, 10}).output("y");
    graph.weight("w", {4, 6, 3});
    with(with(graph.node("ConvTranspose", "c", {"x", "w"}, {"y"}), "strides", List{2}), "auto_pad", "SAME_UPPER");
    const Network network = read(graph);
    CHECK(last_shape(network) == Shape{2, 6, 20});
    CHECK(lower(network).macs == 2 * 10 * 4 * 6 * 3);
}

TEST_CASE("pools of one dimension, and global ones of any", "[onnx]") {
    OnnxGraph line;
    line.input("x", {2, 4, 21}).output("y");
    with(with(with(line.node("MaxPool", "p", {"x"}, {"y"}), "kernel_shape", List{3}), "strides", List{2}), "pads",
         List{1, 1});
    const Network row = read(line);
    CHECK(last_shape(row) == Shape{2, 4, 11}); // (21 + 2 - 3) / 2 + 1
    CHECK(lower(row).vector_operations == 2 * 4 * 11 * (3 - 1));
    CHECK(row.operators[1].name == "p");
    for (const List& shape : {List{2, 4, 30}, List{2, 4, 2, 3, 5}}) {
        OnnxGraph global;
        global.input("x", shape).output("y");
        global.node("GlobalAveragePool", "p", {"x"}, {"y"});
        const Network network = read(global);
        CHECK(last_shape(network) == (shape.size() == 3 ? Shape{2, 4, 1} : Shape{2, 4, 1, 1, 1}));
        CHECK(lower(network).vector_operations == 2 * 4 * 30);
    }
    OnnxGraph room;
    room.input("x", {1, 4, 8, 8, 8}).output("z");
    with(room.node("MaxPool", "p", {"x"}, {"y"}), "kernel_shape", List{2, 2, 2});
    room.node("Relu", "r", {"y"}, {"z"});
    CHECK(has(errors_of(room).at(0), "node 'p' of type 'MaxPool' is not supported: only one and two dimensions are "
                                     "(--skip-unsupported leaves it out)"));
    CHECK(kinds(read(room, {}, true)) == std::vector<std::string>{"relu"});
}

TEST_CASE("a convolution of one dimension has the name of its node", "[onnx]") {
    OnnxGraph graph;
    graph.input("x", {2, 4, 20}).output("y");
    graph.weight("w", {8, 4, 5});
    graph.node("Conv", "c", {"x", "w"}, {"y"});
    const Network network = read(graph);
    CHECK(kinds(network) == std::vector<std::string>{"reshape", "conv", "reshape"});
    CHECK(network.operators[1].name == "c");
}

TEST_CASE("operators of older sets, where numbers are attributes", "[onnx]") {
    OnnxGraph graph;
    graph.model().mutable_opset_import(0)->set_version(4); // of ONNX 1.0
    graph.input("x", {4, 6}).output("z");
    with(with(with(graph.node("Slice", "s", {"x"}, {"y"}), "axes", List{0}), "starts", List{1}), "ends", List{3});
    with(graph.node("Reshape", "r", {"y"}, {"w"}), "shape", List{3, 4});
    graph.node("Relu", "relu", {"w"}, {"z"});
    CHECK(kinds(read(graph)) == std::vector<std::string>{"slice", "reshape", "relu"});
    CHECK(last_shape(read(graph)) == Shape{3, 4});
}
