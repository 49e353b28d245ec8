#include <catch2/catch.hpp>

#include "tests/unit/workload/network_support.h"

using namespace systole;
using namespace systole::test;

namespace {

LoweredOperator lowered(const std::string& input, const std::string& op) {
    return lower(network_of(input_of("x", input) + "[[operator]]\nname = \"y\"\n" + op)).operators[0];
}

} // namespace

TEST_CASE("a convolution is one product through a window, with the bytes of the touched pixels", "[lowering]") {
    const LoweredOperator made =
        lowered("[2,6,10,12]", "kind=\"conv\"\nfilters=8\nkernel=1\nstride=2\ngroups=2\nbias=true\n");
    REQUIRE(made.tasks.size() == 1);
    const MatrixTask& task = matrix(made, 0);
    CHECK(task.m == 2 * 5 * 6); // images * output rows * columns
    CHECK(task.n == 4);         // 8 filters in 2 groups
    CHECK(task.k == 3);         // 6 channels in 2 groups, 1x1
    CHECK(task.count == 2);
    CHECK(made.macs == 60 * 4 * 3 * 2);
    CHECK(task.a.bytes == 2 * 6 * 5 * 6); // every other row and column is never read
    CHECK(task.b.bytes == 8 * 3);
    CHECK(task.c.bytes == 2 * 8 * 5 * 6);
    REQUIRE(task.bias);
    CHECK(task.bias->bytes == 8);
    REQUIRE(task.window);
    CHECK(task.window->channels == 3);
    CHECK(task.window->outputs == Pair{5, 6});
    CHECK(made.read_bytes() == 2 * 6 * 30 + 24 + 8);
    CHECK(made.written_bytes() == 2 * 8 * 30);
}

TEST_CASE("a transposed convolution multiplies each input pixel once and adds up the columns", "[lowering]") {
    const LoweredOperator made =
        lowered("[1,6,5,5]", "kind=\"conv\"\ntransposed=true\nfilters=4\nkernel=3\nstride=2\n");
    REQUIRE(made.tasks.size() == 2);
    CHECK(matrix(made, 0).m == 25);
    CHECK(matrix(made, 0).n == 4 * 9);
    CHECK(matrix(made, 0).k == 6);
    CHECK(made.macs == 25 * 36 * 6);
    CHECK(vector(made, 1).elements == 25 * 36); // one addition for each product of pixel, filter and tap
}

TEST_CASE("grouped-query attention reads keys once for the queries that share them", "[lowering]") {
    const std::string text =
        input_of("q", "[2,3,32]") + input_of("k", "[2,5,8]") + input_of("v", "[2,5,8]") +
        "[[operator]]\nname=\"y\"\nkind=\"attention\"\ninputs=[\"q\",\"k\",\"v\"]\nheads=8\nkv_heads=2\n";
    const LoweredOperator made = lower(network_of(text)).operators[0];
    REQUIRE(made.tasks.size() == 4); // scores, softmax, values, division by the sums
    const MatrixTask& scores = matrix(made, 0);
    CHECK(scores.count == 2 * 2); // batch * kv_heads
    CHECK(scores.m == 4 * 3);     // 4 heads share keys, 3 queries each
    CHECK(scores.n == 5);
    CHECK(scores.k == 4);
    CHECK(scores.b_transposed);
    CHECK(scores.b.bytes == 2 * 5 * 8);
    CHECK(matrix(made, 2).n == 4);
    CHECK(matrix(made, 2).k == 5);
    CHECK(made.macs == 2 * (2 * 8 * 3 * 5 * 4)); // two products of batch * heads * t * s * d
    CHECK(vector(made, 1).elements == 2 * 8 * 3 * 5);
    CHECK(made.read_bytes() == 2 * 3 * 32 + 2 * (2 * 5 * 8)); // flash: the scores never leave
    CHECK(made.written_bytes() == 2 * 3 * 32);
}

TEST_CASE("causal flash attention skips the keys behind a block of queries", "[lowering]") {
    const LoweredOperator made = lowered("[1,10,12]", "kind=\"attention\"\nheads=1\ncausal=true\nquery_block=4\n");
    REQUIRE(made.tasks.size() == 3 * 3 + 1); // blocks of 4, 4 and 2 queries
    CHECK(matrix(made, 0).n == 4);
    CHECK(matrix(made, 3).n == 8);
    CHECK(matrix(made, 6).m == 2);
    CHECK(matrix(made, 6).n == 10);
    CHECK(made.macs == 2 * 4 * (4 * 4 + 4 * 8 + 2 * 10));
    // Standard attention does all pairs, and its scores and probabilities cross the memory: written and read.
    const LoweredOperator standard =
        lowered("[1,10,12]", "kind=\"attention\"\nheads=1\ncausal=true\nmethod=\"standard\"\n");
    CHECK(standard.macs == 2 * 4 * 10 * 10);
    CHECK(standard.read_bytes() == 10 * 12 + 2 * 100);
    CHECK(standard.written_bytes() == 10 * 4 + 2 * 100);
}

TEST_CASE("a decode step reads the caches, and new keys are written into them", "[lowering]") {
    const std::string cache = "[[tensor]]\nname=\"kc\"\nkind=\"cache\"\nshape=[1,7,8]\n"
                              "[[tensor]]\nname=\"vc\"\nkind=\"cache\"\nshape=[1,7,8]\n";
    const Network network =
        network_of(input_of("x", "[1,1,16]") + cache +
                   "[[operator]]\nname=\"k\"\nfeatures=8\ninputs=\"x\"\n"
                   "[[operator]]\nname=\"v\"\nfeatures=8\ninputs=\"x\"\n"
                   "[[operator]]\nname=\"y\"\nkind=\"attention\"\nheads=4\nkv_heads=2\ncausal=true\n"
                   "inputs=[\"x\",\"k\",\"v\",\"kc\",\"vc\"]\n");
    const LoweredNetwork made = lower(network);
    const LoweredOperator& attention = made.operators[2];
    CHECK(matrix(attention, 0).n == 8); // 7 cached and the new one
    CHECK(matrix(attention, 0).count == 2);
    CHECK(matrix(attention, 0).m == 2);
    CHECK(attention.macs == 2 * 4 * 8 * 4);
    CHECK(attention.read_bytes() == 16 + 8 + 8 + 2 * 56);
    CHECK(made.storage[static_cast<std::size_t>(network.operators[0].output)] == 1); // "kc"
    CHECK(cache_bytes(network) == 2 * 56);
}

TEST_CASE("feed-forward networks, plain and gated", "[lowering]") {
    const LoweredOperator plain = lowered("[2,3,8]", "kind=\"ffn\"\nhidden=32\nbias=true\n");
    REQUIRE(plain.tasks.size() == 3);
    CHECK(plain.macs == 2 * 6 * 8 * 32);
    CHECK(plain.vector_operations == 6 * 32 * 5); // gelu
    CHECK(plain.read_bytes() == 48 + 2 * 8 * 32 + 32 + 8);
    const LoweredOperator gated = lowered("[2,3,8]", "kind=\"ffn\"\nhidden=32\ngated=true\n");
    REQUIRE(gated.tasks.size() == 4);
    CHECK(gated.macs == 3 * 6 * 8 * 32);
    CHECK(gated.vector_operations == 6 * 32 * (5 + 1)); // silu, times up
}

TEST_CASE("a mixture of experts does what its tokens ask for and reads the experts that have some", "[lowering]") {
    // 5 tokens, top 2: 10 rows over 4 experts, as 3, 3, 2, 2.
    const LoweredOperator even = lowered("[1,5,8]", "kind=\"moe\"\nexperts=4\ntop_k=2\nhidden=16\n");
    CHECK(even.macs == 5 * 8 * 4 + 3 * 10 * 8 * 16);
    CHECK(even.read_bytes() == 40 + 8 * 4 + 3 * 4 * 8 * 16);
    // One token, top 1: one expert.
    const LoweredOperator one = lowered("[1,1,8]", "kind=\"moe\"\nexperts=4\ntop_k=1\nhidden=16\n");
    CHECK(one.macs == 8 * 4 + 3 * 8 * 16);
    CHECK(one.read_bytes() == 8 + 8 * 4 + 3 * 1 * 8 * 16);
    const LoweredOperator skewed =
        lowered("[1,5,8]", "kind=\"moe\"\nexperts=4\ntop_k=2\nhidden=16\ntokens_per_expert=[5,5,0,0]\n");
    CHECK(skewed.macs == even.macs);
    CHECK(skewed.read_bytes() == 40 + 8 * 4 + 3 * 2 * 8 * 16);
}

TEST_CASE("embedding rows that stay in VMEM are not read from memory", "[lowering]") {
    const LoweredOperator plain = lowered("[4,6]", "kind=\"embedding\"\nrows=1000\nwidth=8\npooled=true\n");
    CHECK(vector(plain, 0).elements == (24 - 4) * 8); // five additions for six rows
    CHECK(plain.read_bytes() == 24 + 24 * 8);
    // Uniform: half the rows get half the lookups.
    const LoweredOperator half = lowered("[4,6]", "kind=\"embedding\"\nrows=1000\nwidth=8\nhot_rows=500\n");
    CHECK(vector(half, 0).resident_bytes == 12 * 8);
    CHECK(half.read_bytes() == 24 + 12 * 8);
    // Zipf, s = 1, 4 rows: H(1) / H(4) = 1 / (1 + 1/2 + 1/3 + 1/4) = 12/25.
    CHECK(hot_fraction(1, 4, 1) == Approx(12.0 / 25).epsilon(1e-12));
    CHECK(hot_fraction(10, 10, 2) == 1);
    // The sum of 1/i^2 up to 10^6 is pi^2/6 - 1e-6 + 5e-13, and H(1) = 1.
    CHECK(1 / hot_fraction(1, 1'000'000, 2) == Approx(1.6449340668482264 - 1e-6 + 5e-13).epsilon(1e-9));
    // No row crosses twice.
    CHECK(lowered("[100]", "kind=\"embedding\"\nrows=3\nwidth=8\n").read_bytes() == 100 + 3 * 8);
}

TEST_CASE("shape-only operators have no task, and say where their result lies", "[lowering]") {
    const Network network =
        network_of(input_of("x", "[2,8]") +
                   "[[operator]]\nname=\"a\"\nkind=\"relu\"\n[[operator]]\nname=\"b\"\nkind=\"reshape\"\nshape=[16]\n"
                   "[[operator]]\nname=\"c\"\nkind=\"relu\"\n"
                   "[[operator]]\nname=\"d\"\nkind=\"concat\"\ninputs=[\"b\",\"c\"]\n");
    const LoweredNetwork made = lower(network);
    CHECK(made.operators[1].tasks.empty());
    CHECK(made.operators[3].tasks.empty());
    // All of a, b and c are written into d.
    const TensorId d = network.operators[3].output;
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(made.storage[static_cast<std::size_t>(network.operators[i].output)] == d);
    }
}

TEST_CASE("a network's own bytes are those of its inputs, weights, caches and results, each once", "[lowering]") {
    const Network network = network_of(
        input_of("x", "[2,8]") + "[[operator]]\nname=\"a\"\nfeatures=16\n[[operator]]\nname=\"b\"\nkind=\"relu\"\n"
                                 "[[operator]]\nname=\"c\"\ninputs=[\"b\",\"a.weight\"]\ntranspose_b=true\n");
    const LoweredNetwork made = lower(network);
    CHECK(compulsory_bytes(made).read == 16 + 128); // x, and the weights that two operators read
    CHECK(compulsory_bytes(made).written == 16);
    CHECK(made.operators[2].read_bytes() == 32 + 128);
}

TEST_CASE("host stages grow with the batch, and transfers have the bytes of their tensor", "[lowering]") {
    const Network network =
        network_of(input_of("x", "[8,100]") +
                   "[[operator]]\nname=\"h\"\nkind=\"host\"\ntime=\"10 us\"\ntime_per_sample=\"1 us\"\ngrowth=0.5\n"
                   "[[operator]]\nname=\"t\"\nkind=\"transfer\"\n");
    const LoweredNetwork made = lower(network);
    // (10 us + 8 * 1 us) * (1 + 0.5 * log2(8)) = 18 us * 2.5.
    CHECK(std::get<HostTask>(made.operators[0].tasks[0]).time == 45'000'000);
    CHECK(std::get<TransferTask>(made.operators[1].tasks[0]).data.bytes == 800);
}

TEST_CASE("more operations than 64 bits count safely are refused with the operator's place", "[lowering]") {
    const Network network =
        network_of(input_of("x", "[1000000,1000000]") + "[[operator]]\nname=\"y\"\nfeatures=1000000\n");
    CHECK_THROWS_WITH(lower(network), Catch::Contains("net.toml:4:1: operator 'y' has more than 2^50 MACs"));
}
