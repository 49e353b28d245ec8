// ONNX models that are wrong: nothing of them may end the program or be taken for something else.
#include <fstream>

#include <catch2/catch.hpp>

#include "tests/unit/workload/onnx_support.h"

using namespace systole;
using namespace systole::test;

namespace {

using List = std::vector<std::int64_t>;

// One convolution of x [1, 3, 8, 8] with w [4, 3, 3, 3]; `node` may be given attributes.
struct OneConvolution {
    OneConvolution() {
        graph.input("x", {1, 3, 8, 8}).output("y");
        graph.weight("w", {4, 3, 3, 3});
        node = &graph.node("Conv", "c", {"x", "w"}, {"y"});
    }
    OnnxGraph graph;
    onnx::NodeProto* node;
};

// One node of x, which may be given attributes, with the shape of x.
struct OneNode {
    OneNode(const std::string& type, const List& shape) {
        graph.input("x", shape).output("y");
        node = &graph.node(type, "n", {"x"}, {"y"});
    }
    OnnxGraph graph;
    onnx::NodeProto* node;
};

std::string only_error(const OnnxGraph& graph) {
    const auto errors = errors_of(graph);
    REQUIRE(errors.size() == 1);
    return errors[0];
}

} // namespace

TEST_CASE("a step, side or block of 0 is refused before shapes are divided by it", "[onnx]") {
    for (const char* const attribute : {"strides", "dilations", "kernel_shape"}) {
        for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
            OneConvolution one;
            with(*one.node, attribute, List{number, 1});
            with(*one.node, "auto_pad", "SAME_UPPER");
            CHECK(has(only_error(one.graph), "node 'c' of type 'Conv' has the attribute '" + std::string(attribute) +
                                                 "' with " + std::to_string(number) +
                                                 ", which must be from 1 to 1048576"));
        }
    }
    for (const char* const type : {"MaxPool", "AveragePool"}) {
        OneNode pool(type, {1, 3, 8, 8});
        with(with(*pool.node, "kernel_shape", List{2, 2}), "strides", List{2, 0});
        CHECK(has(only_error(pool.graph), "the attribute 'strides' with 0"));
    }
    OneConvolution groups;
    with(*groups.node, "group", std::int64_t{0});
    CHECK(has(only_error(groups.graph), "the attribute 'group' with 0"));
    OneNode blocks("DepthToSpace", {1, 4, 8, 8});
    with(*blocks.node, "blocksize", std::int64_t{1} << 32); // its square is 0 in 64 bits
    CHECK(has(only_error(blocks.graph), "the attribute 'blocksize' with 4294967296"));
}

TEST_CASE("nodes of subgraphs are checked as those outside", "[onnx]") {
    OnnxGraph body;
    body.weight("w", {4, 3, 3, 3}).set_raw_data("abc");
    with(body.node("Conv", "inner", {"x", "w"}, {"r"}), "strides", List{0, 0});
    OnnxGraph graph;
    graph.input("x", {1, 3, 8, 8}).input("b", {}, {}, onnx::TensorProto::BOOL).output("y");
    onnx::NodeProto& node = graph.node("If", "if", {"b"}, {"y"});
    for (const char* const branch : {"then_branch", "else_branch"}) {
        auto* attribute = node.add_attribute();
        attribute->set_name(branch);
        attribute->set_type(onnx::AttributeProto::GRAPH);
        *attribute->mutable_g() = body.graph();
    }
    const auto errors = errors_of(graph);
    REQUIRE(errors.size() == 4);
    CHECK(has(errors[0], "the values of 'w' are cut off"));
    CHECK(has(errors[1], "node 'inner' of type 'Conv' has the attribute 'strides' with 0"));
}

TEST_CASE("attributes that are missing, of another type or there twice are named", "[onnx]") {
    OneNode missing("MaxPool", {1, 3, 8, 8});
    CHECK(has(only_error(missing.graph), "node 'n' of type 'MaxPool' lacks the attribute 'kernel_shape'"));
    OneConvolution type;
    with(*type.node, "strides", std::int64_t{2});
    CHECK(has(only_error(type.graph), "has the attribute 'strides' of type INT, but needs it as INTS"));
    OneConvolution twice;
    with(with(*twice.node, "strides", List{1, 1}), "strides", List{2, 2});
    CHECK(has(only_error(twice.graph), "has the attribute 'strides' twice"));
}

TEST_CASE("stored values have to be as many as their shape and type say", "[onnx]") {
    const auto reshape_by = [](const onnx::TensorProto& shape) {
        OneNode one("Reshape", {2, 6});
        one.node->add_input("s");
        *one.graph.graph().add_initializer() = shape;
        return only_error(one.graph);
    };
    onnx::TensorProto shape;
    shape.set_name("s");
    shape.set_data_type(onnx::TensorProto::INT64);
    shape.add_dims(2);
    shape.set_raw_data("abc");
    CHECK(has(reshape_by(shape), "the values of 's' are cut off: 3 bytes for dims [2] of INT64, which take 16"));
    shape.set_raw_data(std::string(24, '\0'));
    CHECK(has(reshape_by(shape), "the values of 's' are too many: 24 bytes for dims [2] of INT64, which take 16"));
    shape.clear_raw_data();
    shape.add_int64_data(12);
    CHECK(has(reshape_by(shape), "the values of 's' are cut off: 1 values for dims [2] of INT64, which take 2"));
    shape.set_data_type(99);
    CHECK(has(reshape_by(shape), "weight 's' is of type 99, which is none"));
    shape.set_dims(0, -2);
    CHECK(has(reshape_by(shape), "weight 's' has the shape [-2], which is none"));
}

TEST_CASE("values of constants within nodes have to fit, too", "[onnx]") {
    OneNode one("Reshape", {2, 6});
    one.node->add_input("s");
    auto* attribute = one.graph.node("Constant", "k", {}, {"s"}).add_attribute();
    attribute->set_name("value");
    attribute->set_type(onnx::AttributeProto::TENSOR);
    attribute->mutable_t()->set_data_type(onnx::TensorProto::INT64);
    attribute->mutable_t()->add_dims(2);
    attribute->mutable_t()->set_raw_data("abc");
    CHECK(has(only_error(one.graph), "node 'k' of type 'Constant', attribute 'value': the values of '' are cut off"));
}

TEST_CASE("weights of types smaller than a byte and of two numbers each are as long as their elements", "[onnx]") {
    // 5 elements: 5 * 4 bits are 3 bytes, or 3 numbers that hold two each; 5 complex ones are 10 floats, or 40 bytes.
    constexpr int int4 = 22;
    for (const auto& [type, bytes] : {std::pair{int4, 3}, std::pair{int(onnx::TensorProto::COMPLEX64), 40},
                                      std::pair{int(onnx::TensorProto::BFLOAT16), 10}}) {
        OneNode one("Add", {5});
        one.node->add_input("w");
        onnx::TensorProto& weight = one.graph.weight("w", {5});
        weight.set_data_type(type);
        weight.set_raw_data(std::string(static_cast<std::size_t>(bytes), '\0'));
        for (const std::string& error : errors_of(one.graph)) { // that an Add takes no such type is another matter
            CHECK_FALSE(has(error, "the values of"));
        }
        weight.set_raw_data(std::string(static_cast<std::size_t>(bytes - 1), '\0'));
        CHECK(has(errors_of(one.graph).at(0), "the values of 'w' are cut off"));
    }
}

TEST_CASE("windows with too many or too few numbers, or that contradict their weights", "[onnx]") {
    for (const auto& [attribute, numbers] :
         {std::pair{"pads", List{1, 1, 1}}, std::pair{"strides", List{1, 1, 1}}, std::pair{"dilations", List{1}}}) {
        OneConvolution one;
        with(*one.node, attribute, numbers);
        const std::string error = only_error(one.graph);
        CHECK(has(error, "node 'c' of type 'Conv': its attribute '" + std::string(attribute) + "' has " +
                             std::to_string(numbers.size())));
    }
    OneConvolution kernel;
    with(*kernel.node, "kernel_shape", List{5, 5});
    CHECK(has(only_error(kernel.graph), "its attribute 'kernel_shape' is [5, 5], but its weights are [4, 3, 3, 3]"));
    OneConvolution automatic;
    with(*automatic.node, "auto_pad", "SAME");
    CHECK(has(only_error(automatic.graph), "its attribute 'auto_pad' is 'SAME' (there are NOTSET, SAME_UPPER"));
    OneConvolution bias;
    bias.graph.weight("b", {9});
    bias.node->add_input("b");
    CHECK(has(only_error(bias.graph), "its bias [9] does not hold one number for each of 4 filters"));
}

TEST_CASE("a batch norm or a C of the wrong size is refused, folded or not", "[onnx]") {
    OneConvolution one;
    one.graph.output("z");
    for (const char* const name : {"scale", "shift", "mean"}) {
        one.graph.weight(name, {4});
    }
    one.graph.weight("variance", {9});
    one.graph.node("BatchNormalization", "bn", {"y", "scale", "shift", "mean", "variance"}, {"z"});
    one.graph.graph().mutable_output()->DeleteSubrange(0, 1);
    CHECK(has(only_error(one.graph), "node 'bn' of type 'BatchNormalization': its variance 'variance' [9] does not "
                                     "hold one number for each of 4 channels"));
    OneNode gemm("Gemm", {3, 5});
    gemm.node->add_input("b");
    gemm.node->add_input("c");
    gemm.graph.weight("b", {5, 7});
    onnx::TensorProto& c = gemm.graph.weight("c", {9});
    CHECK(has(only_error(gemm.graph), "node 'n' of type 'Gemm': its C [9] does not fit the result [3, 7]"));
    c.set_dims(0, 3);
    c.add_dims(1);
    c.set_raw_data(std::string(12, '\0'));
    CHECK(errors_of(gemm.graph).empty()); // [3, 1] is repeated along the columns
}

TEST_CASE("external values: offsets and lengths are numbers, and the file holds what the shape takes", "[onnx]") {
    const TempFolder folder;
    folder.write("weights.bin", std::string(400, '\0'));
    const auto error_with = [&folder](const std::vector<std::pair<std::string, std::string>>& entries) {
        OneConvolution one; // its weights take 4 * 3 * 3 * 3 * 4 = 432 bytes
        onnx::TensorProto& weight = one.graph.graph().mutable_initializer()->at(0);
        weight.clear_raw_data();
        weight.set_data_location(onnx::TensorProto::EXTERNAL);
        for (const auto& [key, value] : entries) {
            auto* entry = weight.add_external_data();
            entry->set_key(key);
            entry->set_value(value);
        }
        const std::string file = (folder.path() / "model.onnx").string();
        one.graph.write(file);
        try {
            load_onnx(file, {{int8_formats, std::nullopt, {}}, false});
        } catch (const InputError& error) {
            return error.diagnostics()[0].message;
        }
        return std::string();
    };
    const std::pair<std::string, std::string> location{"location", "weights.bin"};
    CHECK(has(error_with({location, {"offset", "xx"}}), "the offset of the values of 'w': 'xx' is not a whole number"));
    CHECK(has(error_with({location}), "the values of weight 'w' end at byte 432 of 'weights.bin', which has 400"));
    CHECK(has(error_with({location, {"length", "400"}}), "the values of 'w' are cut off: 400 bytes"));
    CHECK(has(error_with({location, {"offset", "9223372036854775807"}}), "which has 400"));
    folder.write("weights.bin", std::string(432, '\0'));
    CHECK(error_with({location}).empty());
    CHECK(error_with({location, {"offset", "0"}, {"length", "432"}}).empty());
}

TEST_CASE("an attribute of a view that is wrong is what the message names", "[onnx]") {
    OneNode transpose("Transpose", {2, 3, 4});
    with(*transpose.node, "perm", List{0, 2, 2});
    CHECK(has(only_error(transpose.graph), "node 'n' of type 'Transpose': its 'perm' [0, 2, 2] does not name each"));
    OneNode flatten("Flatten", {2, 3, 4});
    with(*flatten.node, "axis", std::int64_t{9});
    CHECK(has(only_error(flatten.graph), "its 'axis' [9] is not from -3 to 3 for [2, 3, 4]"));
    for (const auto& [axes, error] : {std::pair{List{99}, "are not dimensions of a result of 4 dimensions"},
                                      std::pair{List{0, 0}, "name a dimension twice"}}) {
        OneNode unsqueeze("Unsqueeze", {2, 3, 4});
        unsqueeze.node->add_input("axes");
        unsqueeze.graph.integers("axes", axes);
        CHECK(has(only_error(unsqueeze.graph), error));
    }
    OneNode squeeze("Squeeze", {1, 3, 4});
    squeeze.node->add_input("axes");
    squeeze.graph.integers("axes", {1});
    CHECK(has(only_error(squeeze.graph), "its 'axes' [1] name a dimension of [1, 3, 4] that is not 1"));
}

TEST_CASE("an output that no node makes, and a model without a version of the operators", "[onnx]") {
    OneConvolution output;
    output.graph.output("z");
    CHECK(has(only_error(output.graph), "output 'z' of the graph is made by no node"));
    OneConvolution version;
    version.graph.model().clear_opset_import();
    CHECK(has(only_error(version.graph), "names no version of the standard operators"));
}

TEST_CASE("functions of a model that call themselves are not followed", "[onnx]") {
    OneNode one("Loops", {2, 3});
    one.node->set_domain("mine");
    onnx::FunctionProto* function = one.graph.model().add_functions();
    function->set_name("Loops");
    function->set_domain("mine");
    function->add_input("x");
    function->add_output("y");
    *function->add_node() = *one.node;
    auto* opset = one.graph.model().add_opset_import();
    opset->set_domain("mine");
    opset->set_version(1);
    *function->add_opset_import() = *opset;
    CHECK(has(only_error(one.graph), "node 'n' of type 'mine.Loops' is not supported"));
}

TEST_CASE("a model that libonnx does not survive is refused with the node that it gave up at", "[onnx]") {
    // For a Gemm of ONNX 1.2 it looks at the second dimension of B, whether there is one or not.
    OnnxGraph graph;
    graph.model().mutable_opset_import(0)->set_version(6);
    graph.input("x", {3, 4}).output("z");
    graph.weight("b", {4});
    graph.weight("c", {4});
    graph.node("Relu", "before", {"x"}, {"a"});
    graph.node("Gemm", "gemm", {"a", "b", "c"}, {"y"});
    graph.node("Relu", "behind", {"y"}, {"z"});
    CHECK(has(only_error(graph), "node 'gemm' of type 'Gemm' does not fit its inputs: their dimensions"));
}
