#include <chrono>

#include <catch2/catch.hpp>

#include "tests/unit/workload/network_support.h"

using namespace systole;
using namespace systole::test;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The shape that one operator on one input makes.
Shape shape_of(const std::string& input, const std::string& op) {
    const Network network = network_of(input_of("x", input) + "[[operator]]\nname = \"y\"\n" + op);
    return output_of(network, network.operators.size() - 1).shape;
}

std::string error_of(const std::string& input, const std::string& op) {
    const auto errors = network_errors(input_of("x", input) + "[[operator]]\nname = \"y\"\n" + op);
    return errors.size() == 1 ? errors[0] : std::to_string(errors.size()) + " errors";
}

} // namespace

TEST_CASE("a convolution's output follows stride, dilation, asymmetric padding and groups", "[network]") {
    // Rows: (10 + 1 + 0 - 2 * (3 - 1) - 1) / 2 + 1 = 6 / 2 + 1 = 4; columns: (12 + 2 + 1 - 1 * (4 - 1) - 1) / 3 + 1
    // = 4.
    const Network network =
        network_of(input_of("x", "[2, 6, 10, 12]") +
                   "[[operator]]\nname=\"y\"\nkind=\"conv\"\nfilters=8\nkernel=[3,4]\nstride=[2,3]\n"
                   "dilation=[2,1]\npadding=[1,2,0,1]\ngroups=2\nbias=true\n");
    CHECK(output_of(network, 0).shape == Shape{2, 8, 4, 4});
    CHECK(network.tensors[1].name == "y.weight");
    CHECK(network.tensors[1].shape == Shape{8, 3, 3, 4}); // 6 channels in 2 groups
    CHECK(network.tensors[2].shape == Shape{8});
    CHECK(output_of(network, 0).kind == TensorKind::output);
}

TEST_CASE("same padding, depthwise and transposed convolutions have the sizes of the frameworks", "[network]") {
    CHECK(shape_of("[1,3,7,8]", "kind=\"conv\"\nfilters=4\nkernel=3\nstride=2\npadding=\"same\"\n") ==
          Shape{1, 4, 4, 4});
    CHECK(shape_of("[1,6,9,9]", "kind=\"conv\"\ndepthwise=true\nkernel=3\n") == Shape{1, 6, 7, 7});
    // PyTorch: (5 - 1) * 2 - 2 * 1 + 1 * (3 - 1) + 1 + 1 = 10.
    CHECK(shape_of("[1,6,5,5]", "kind=\"conv\"\ntransposed=true\nfilters=4\nkernel=3\nstride=2\npadding=1\n"
                                "output_padding=1\n") == Shape{1, 4, 10, 10});
}

TEST_CASE("pooling rounds down or up, and may take the whole map", "[network]") {
    CHECK(shape_of("[1,3,6,6]", "kind=\"max_pool\"\nkernel=3\nstride=2\n") == Shape{1, 3, 2, 2});
    CHECK(shape_of("[1,3,6,6]", "kind=\"max_pool\"\nkernel=3\nstride=2\nround_up=true\n") == Shape{1, 3, 3, 3});
    CHECK(shape_of("[1,3,6,6]", "kind=\"average_pool\"\nglobal=true\n") == Shape{1, 3, 1, 1});
}

TEST_CASE("shapes of the other kinds", "[network]") {
    CHECK(shape_of("[2,5,8]", "features=3\n") == Shape{2, 5, 3});
    CHECK(shape_of("[8,5]", "features=3\ntranspose_a=true\n") == Shape{5, 3});
    CHECK(shape_of("[2,5,8]", "kind=\"ffn\"\nhidden=32\n") == Shape{2, 5, 8});
    CHECK(shape_of("[2,5,8]", "kind=\"moe\"\nexperts=4\ntop_k=2\nhidden=32\n") == Shape{2, 5, 8});
    CHECK(shape_of("[2,5]", "kind=\"embedding\"\nrows=100\nwidth=8\n") == Shape{2, 5, 8});
    CHECK(shape_of("[2,5]", "kind=\"embedding\"\nrows=100\nwidth=8\npooled=true\n") == Shape{2, 8});
    CHECK(shape_of("[2,5,24]", "kind=\"attention\"\nheads=2\n") == Shape{2, 5, 8});
    CHECK(shape_of("[2,5,8]", "kind=\"reduce\"\naxes=[-1]\n") == Shape{2, 5});
    CHECK(shape_of("[2,5,8]", "kind=\"reduce\"\naxes=1\nkeep_dimensions=true\n") == Shape{2, 1, 8});
    CHECK(shape_of("[2,5,8]", "kind=\"reshape\"\nshape=[10,-1]\n") == Shape{10, 8});
    CHECK(shape_of("[2,5,8]", "kind=\"slice\"\naxis=1\nstart=-2\nsize=2\n") == Shape{2, 2, 8});
    const Network two =
        network_of(input_of("a", "[3,2,4,8]") + input_of("b", "[3,1,5,8]") +
                   "[[operator]]\nname=\"y\"\nkind=\"batched_gemm\"\ninputs=[\"a\",\"b\"]\ntranspose_b=true\n");
    CHECK(output_of(two, 0).shape == Shape{3, 2, 4, 5});
}

TEST_CASE("what does not fit is refused with the place and the sizes", "[network]") {
    CHECK(has(error_of("[1,3,4,4]", "kind=\"conv\"\nfilters=4\nkernel=7\n"),
              "net.toml:4:1: operator 'y' (conv): a kernel of 7 is larger than its padded input of 4"));
    CHECK(has(error_of("[1,3,4,4]", "kind=\"conv\"\nfilters=4\ngroups=2\n"), "2 groups divide not both 3 channels"));
    CHECK(has(error_of("[3,4]", "kind=\"conv\"\nfilters=4\n"), "[3, 4] is no feature map"));
    CHECK(has(error_of("[2,5,8]", "kind=\"attention\"\nheads=3\n"), "no multiple of 9 heads"));
    CHECK(has(error_of("[2,5,8]", "kind=\"reshape\"\nshape=[3,-1]\n"), "does not hold the elements of [2, 5, 8]"));
    CHECK(has(error_of("[2,5,8]", "kind=\"slice\"\naxis=1\nstart=4\nsize=2\n"), "is not within [2, 5, 8]"));
    CHECK(has(error_of("[2,5,8]", "kind=\"moe\"\nexperts=4\ntop_k=5\nhidden=3\n"), "there are 4 experts"));
    CHECK(has(error_of("[2,5,8]", "kind=\"moe\"\nexperts=2\nhidden=3\ntokens_per_expert=[1,2]\n"),
              "sum to tokens * top_k = 10"));
    CHECK(has(error_of("[9000000000,9000000000]", "features=3\n"), "more than 2^50 elements"));
    CHECK(has(error_of("[2,5,8]", "kind=\"relu\"\ngroups=2\n"), "unknown key 'operator.groups'"));
    CHECK(has(error_of("[2,5,8]", "features=3\nm=4\n"), "'m' is for a GEMM without tensors"));
    const auto errors = network_errors(input_of("a", "[2,3]") + input_of("b", "[4,5]") +
                                       "[[operator]]\nname=\"y\"\ninputs=[\"a\",\"b\"]\n");
    REQUIRE(errors.size() == 1);
    CHECK(has(errors[0], "A [2, 3] and B [4, 5] do not fit: k is 3 in A, 4 in B"));
}

TEST_CASE("dangling, cyclic, misplaced and doubled tensors are all reported at once", "[network]") {
    const auto errors = network_errors(input_of("image", "[1,8]") +                                            // 1-3
                                       "[[operator]]\nname=\"a\"\nkind=\"add\"\ninputs=[\"imag\",\"image\"]\n" // 4
                                       "[[operator]]\nname=\"b\"\nkind=\"add\"\ninputs=[\"d\",\"image\"]\n"    // 8
                                       "[[operator]]\nname=\"c\"\nkind=\"relu\"\ninputs=\"b\"\n"               // 12
                                       "[[operator]]\nname=\"d\"\nkind=\"relu\"\ninputs=\"c\"\n"               // 16
                                       "[[operator]]\nname=\"e\"\nkind=\"relu\"\ninputs=\"f\"\n"               // 20
                                       "[[operator]]\nname=\"f\"\nkind=\"relu\"\ninputs=\"image\"\n"           // 24
                                       "[[operator]]\nname=\"f\"\nkind=\"relu\"\ninputs=\"image\"\n"           // 28
                                       "[[operator]]\nname=\"g\"\nkind=\"relu\"\ninputs=\"g\"\n");             // 32
    REQUIRE(errors.size() == 5);
    CHECK(has(errors[0], "net.toml:4:1: operator 'a' reads 'imag', which nobody writes (did you mean 'image'?)"));
    CHECK(has(errors[1], "net.toml:8:1: operators need each other's results: b -> c -> d -> b (break the cycle)"));
    CHECK(has(errors[2], "net.toml:20:1: operator 'e' reads 'f', which 'f' writes only later (move it behind that)"));
    CHECK(has(errors[3], "net.toml:28:1: operator 'f' has the name of an earlier one"));
    CHECK(has(errors[4], "net.toml:32:1: operators need each other's results: g -> g"));
}

TEST_CASE("what is written or declared and never read is refused", "[network]") {
    const auto errors = network_errors(input_of("x", "[1,8]") + input_of("z", "[1,8]") +
                                       "[[operator]]\nname=\"a\"\nkind=\"relu\"\ninputs=\"x\"\n"
                                       "[[operator]]\nname=\"b\"\nkind=\"relu\"\ninputs=\"x\"\n");
    REQUIRE(errors.size() == 2);
    CHECK(has(errors[0], "net.toml:4:1: tensor 'z' is never read"));
    CHECK(has(errors[1], "net.toml:7:1: tensor 'a' is never read (name it in outputs"));
    CHECK(network_errors(
              "outputs = [\"a\", \"b\"]\n" + input_of("x", "[1,8]") +
              "[[operator]]\nname=\"a\"\nkind=\"relu\"\n[[operator]]\nname=\"b\"\nkind=\"relu\"\ninputs=\"x\"\n")
              .empty());
    CHECK(has(network_errors("outputs = \"c\"\n" + input_of("x", "[1,8]") + "[[operator]]\nname=\"a\"\nkind=\"relu\"\n")
                  .at(0),
              "net.toml:1:11: output 'c' is written by no operator"));
}

TEST_CASE("a repeat renames its tensors and hands its result on", "[network]") {
    const Network network =
        network_of(input_of("x", "[4,8]") +
                   "[[operator]]\nname=\"first\"\nkind=\"relu\"\n"
                   "[[repeat]]\nname=\"block\"\ncount=3\ninput=\"in\"\n"
                   "[[repeat.operator]]\nname=\"up\"\nfeatures=8\nactivation=\"relu\"\n"
                   "[[repeat.operator]]\nname=\"sum\"\nkind=\"add\"\ninputs=[\"up\",\"in\"]\n"
                   "[[operator]]\nname=\"last\"\nkind=\"add\"\ninputs=[\"block[0].sum\",\"block[2].sum\"]\n");
    REQUIRE(network.operators.size() == 1 + 3 * 3 + 1);
    CHECK(network.operators[1].name == "block[0].up");
    CHECK(network.operators[2].name == "block[0].up.relu");
    CHECK(output_of(network, 2).name == "block[0].up");
    CHECK(network.operators[9].name == "block[2].sum");
    // block[1] begins with what block[0] left.
    CHECK(network.operators[4].inputs[0] == network.operators[3].output);
    CHECK(network.operators[6].inputs[1] == network.operators[3].output);
    CHECK(parameters(network) == 3 * 64);
}

TEST_CASE("parameters stand for numbers and can be bound", "[network]") {
    const std::string text = "[parameters]\nbatch = 2\n" + input_of("x", "[\"batch\", \"3*batch+1\"]") +
                             "[[operator]]\nname=\"y\"\nfeatures=\"batch\"\n";
    CHECK(network_of(text).tensors[0].shape == Shape{2, 7});
    CHECK(network_of(text, {{"batch", 5}}).tensors[0].shape == Shape{5, 16});
    CHECK(output_of(network_of(text, {{"batch", 5}}), 0).shape == Shape{5, 5});
    const auto unknown = network_errors(text, {{"bacth", 5}});
    REQUIRE(unknown.size() == 1);
    CHECK(has(unknown[0], "has no parameter 'bacth' to bind (did you mean 'batch'?)"));
    CHECK(
        has(network_errors("[parameters]\nb = 2\n" + input_of("x", "[\"c\"]") + "[[operator]]\nkind=\"relu\"\n").at(0),
            "names are those of [parameters]"));
}

TEST_CASE("formats: activations, weights, results, and tensors with their own", "[network]") {
    const std::string text =
        "dtype = \"bf16,int8,bf16\"\n" + input_of("x", "[4,8]") + "dtype = \"fp32\"\n" +
        "[[operator]]\nname=\"y\"\nfeatures=2\n[[operator]]\nname=\"z\"\nkind=\"relu\"\ndtype=\"fp16\"\n";
    const Network network = network_of(text);
    CHECK(network.tensors[0].format == Format::fp32);
    CHECK(network.tensors[1].format == Format::int8);
    CHECK(output_of(network, 0).format == Format::bf16);
    CHECK(output_of(network, 1).format == Format::fp16);
    const OperandFormats asked{Format::int4, Format::int4, Format::int4};
    const Network forced = read_network(text, "net.toml", {asked, asked, {}});
    CHECK(forced.tensors[0].format == Format::fp32); // its own
    CHECK(output_of(forced, 1).format == Format::int4);
}

TEST_CASE("files that are no network are refused, each with a place", "[network]") {
    for (const char* const text :
         {"[[tensor]]\nname=\"x\"\n[[operator]]\nkind=\"relu\"\n", "tensor = 3\n[[operator]]\nm=1\nn=1\nk=1\n",
          "[[repeat]]\ncount=2\n", "[[repeat]]\nname=\"r\"\n[[repeat.operator]]\nm=1\nn=1\nk=1\n",
          "[[repeat]]\ncount=100001\n[[repeat.operator]]\nm=1\nn=1\nk=1\n", "[[operator]]\nkind=\"relu\"\n",
          "[parameters]\nb=\"x\"\n[[operator]]\nm=1\nn=1\nk=1\n", "parameters = 3\n[[operator]]\nm=1\nn=1\nk=1\n",
          "[[tensor]]\nname=\"x\"\nshape=[0]\n[[operator]]\nkind=\"relu\"\ninputs=\"x\"\n",
          "[[repeat]]\ncount=100000\n[[repeat.operator]]\nm=1\nn=1\nk=1\ncount=11\n"}) {
        INFO(text);
        const auto errors = network_errors(text);
        CHECK_FALSE(errors.empty());
        for (const std::string& error : errors) {
            CHECK(has(error, "net.toml"));
        }
    }
}

TEST_CASE("a mistake is told once, not again by those who depend on it", "[network]") {
    const std::string x = input_of("x", "[2,3]");
    const std::string relu = "[[operator]]\nname=\"r\"\nkind=\"relu\"\n";
    for (const auto& [text, error] :
         {std::pair{x + "[[operator]]\nname=\"a\"\nfeature=3\n", "unknown key 'operator.feature' (did you mean"},
          std::pair{x + "[[operator]]\nname=\"a\"\nfeature=3\n" + relu, "unknown key 'operator.feature'"},
          std::pair{x + "[[operator]]\nname=\"a\"\nfeature=3\n" + relu + "inputs=[\"a\"]\n", "unknown key"},
          std::pair{std::string("[[operator]]\nm=1\nn=1\nkk=1\n"), "unknown key 'operator.kk'"},
          std::pair{input_of("x", "[\"batch\", 3]") + relu, "unknown name 'batch' (there are none)"},
          std::pair{input_of("x", "[0]") + relu + "inputs=[\"x\"]\n", "'shape' is 0, but must be at least 1"},
          std::pair{"[[tenser]]\nname=\"x\"\nshape=[2,3]\n" + relu, "unknown key 'tenser' (did you mean 'tensor'?)"}}) {
        INFO(text);
        const auto errors = network_errors(text);
        REQUIRE(errors.size() == 1);
        CHECK(has(errors[0], error));
    }
}

TEST_CASE("GEMMs given by m, n and k may share a name, and their tensors are numbered", "[network]") {
    std::string text;
    for (int i = 0; i < 10'000; ++i) {
        text += "[[operator]]\nname = \"same\"\nm = 1\nn = 2\nk = 3\n";
    }
    const Network network = network_of(text);
    REQUIRE(network.operators.size() == 10'000);
    CHECK(network.operators.back().name == "same");
    CHECK(output_of(network, 9'999).name == "same#10000.c");
}

TEST_CASE("10,000 layers are read in well under ten seconds, with all errors bounded", "[network]") {
    std::string good = input_of("x", "[16,16]");
    std::string bad = good;
    for (int i = 0; i < 10'000; ++i) {
        good += "[[operator]]\nname = \"layer" + std::to_string(i) + "\"\nfeatures = 16\nbias = true\n";
        bad += "[[operator]]\nname = \"layer" + std::to_string(i) + "\"\nkind = \"add\"\ninputs = [\"q\", \"r\"]\n";
    }
    const auto begin = std::chrono::steady_clock::now();
    const Network network = network_of(good);
    CHECK(network.operators.size() == 10'000);
    CHECK(lower(network).macs == 10'000LL * 16 * 16 * 16);
    CHECK(network_errors(bad).size() <= 60);
    // A second is usual; ten leave room for a busy machine and still tell quadratic growth.
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}
