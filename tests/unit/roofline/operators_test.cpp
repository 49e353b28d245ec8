// FLOPs and bytes of each operator, by hand.
#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/roofline/attention.h"
#include "sim/roofline/convolution.h"
#include "sim/roofline/matmul.h"
#include "sim/roofline/transformer.h"
#include "sim/roofline/vector_work.h"

using namespace systole;
using namespace systole::analytic;

namespace {

constexpr OperandFormats mixed{Format::bf16, Format::int8, Format::fp32};
constexpr OperandFormats int8{Format::int8, Format::int8, Format::int8};

} // namespace

TEST_CASE("a matrix product moves each operand once in its own format") {
    const Work work = gemm({"g", 3, 5, 7, mixed});
    CHECK(work.flops == 2 * 3 * 5 * 7);
    CHECK(work.in_bytes == 3 * 7 * 2 + 7 * 5 * 1);
    CHECK(work.out_bytes == 3 * 5 * 4);
    CHECK(work.pe_bytes_per_mac == 2 + 1 + 8);
    CHECK_THROWS_AS(gemm({"g", 0, 1, 1, mixed}), InputError);
}

TEST_CASE("int4 operands are packed, a last half byte counts whole") {
    const Work work = gemm({"g", 1, 1, 3, {Format::int4, Format::int4, Format::int4}});
    CHECK(work.in_bytes == 2 + 2); // 3 values of 4 bits each
    CHECK(work.out_bytes == 1);
    CHECK(element_bytes(Format::int4) == 0.5);
}

TEST_CASE("a batch of products shares nothing") {
    const Work work = batched_matmul(4, {"g", 1, 8, 16, int8});
    CHECK(work.flops == 4 * 2 * 8 * 16);
    CHECK(work.in_bytes == 4 * (16 + 16 * 8));
    CHECK(work.out_bytes == 4 * 8);
}

TEST_CASE("2:4 sparsity stores half of B and two bits for each kept value") {
    // K = 8, N = 3: 2 * 3 groups; 12 values of one byte, 24 bits of index.
    const Work work = gemm({"g", 5, 3, 8, int8, {2, 4}});
    CHECK(work.in_bytes == 5 * 8 + 12 + 3);
    CHECK(work.flops == 2 * 5 * 3 * 8);
    // K = 5: the second group is padded.
    CHECK(gemm({"g", 1, 1, 5, int8, {2, 4}}).in_bytes == 5 + 4 + 1);
    // 1:4 keeps half of that.
    CHECK(gemm({"g", 1, 1, 8, int8, {1, 4}}).in_bytes == 8 + 2 + 1);
    // Tiles read the stored B once for each row of tiles: 2 * (12 + 3), A once, C once.
    CHECK(tiled_gemm_bytes({"g", 5, 3, 8, int8, {2, 4}}, {4, 3, 8}) == 5 * 8 + 2 * (12 + 3) + 5 * 3);
}

TEST_CASE("a dot product has one addition fewer than multiplications") {
    const Work work = dot_product(1000, Format::bf16);
    CHECK(work.flops == 1999);
    CHECK(work.in_bytes == 4000);
    CHECK(work.out_bytes == 2);
}

TEST_CASE("tiles: A once per column of tiles, B once per row, C once or twice") {
    const GemmProblem problem{"g", 8, 6, 4, int8};
    // 2 rows of tiles (4 of 8), 3 columns (2 of 6).
    CHECK(tiled_gemm_bytes(problem, {4, 2, 1}) == 8 * 4 * 3 + 4 * 6 * 2 + 8 * 6);
    CHECK(tiled_gemm_bytes(problem, {4, 2, 1}, true) == 8 * 4 * 3 + 4 * 6 * 2 + 2 * 8 * 6);
    CHECK(tiled_gemm_bytes(problem, {8, 6, 4}) == gemm(problem).bytes());
    CHECK(tiled_gemm_bytes(problem, {5, 4, 4}) == 8 * 4 * 2 + 4 * 6 * 2 + 8 * 6); // a last tile may be smaller
    CHECK(tiled_intensity_limit(4, 2, int8) == Approx(16.0 / 6));
    CHECK_THROWS_AS(tiled_gemm_bytes(problem, {0, 1, 1}), InputError);
}

TEST_CASE("given work: bytes that are used again cross once for all their uses") {
    const Work work = given_work({.flops = 10,
                                  .input_bytes = 6,
                                  .weight_bytes = 8,
                                  .output_bytes = 4,
                                  .input_reuse = 2,
                                  .weight_reuse = 4,
                                  .output_reuse = 1});
    CHECK(work.in_bytes == 3 + 2);
    CHECK(work.out_bytes == 4);
    CHECK_THROWS_AS(given_work({.flops = 1, .input_reuse = 0}), InputError);
}

TEST_CASE("standard attention writes the scores, flash attention does not") {
    AttentionShape shape;
    shape.batch = 2;
    shape.heads = shape.kv_heads = 3;
    shape.queries = 4;
    shape.keys = 8;
    shape.dim = 16;
    const Work flash = attention(shape);
    CHECK(flash.flops == 2 * 3 * 4 * 4 * 8 * 16); // two products of 2 T S d
    CHECK(flash.in_bytes == 2 * 3 * 2 * (4 * 16 + 2 * 8 * 16));
    CHECK(flash.out_bytes == 2 * 3 * 2 * 4 * 16);
    shape.method = AttentionMethod::standard;
    CHECK(attention(shape).bytes() == flash.bytes() + 2 * 3 * 2 * 4 * 8);
    shape.score_passes = 4;
    CHECK(attention(shape).bytes() == flash.bytes() + 4 * 2 * 3 * 2 * 4 * 8);
    CHECK(attention(shape).flops == flash.flops);
}

TEST_CASE("causal attention does the pairs that a query may see") {
    AttentionShape shape;
    shape.queries = 3;
    shape.keys = 5;
    shape.dim = 1;
    shape.causal = true;
    CHECK(attention(shape).flops == 4 * (3 + 4 + 5));
    shape.queries = shape.keys = 4;
    CHECK(attention(shape).flops == 4 * (1 + 2 + 3 + 4));
    shape.queries = 5;
    CHECK_THROWS_AS(attention(shape), InputError);
}

TEST_CASE("grouped queries share keys and values") {
    AttentionShape shape;
    shape.heads = 8;
    shape.kv_heads = 2;
    shape.queries = 1;
    shape.keys = 100;
    shape.dim = 64;
    CHECK(attention(shape).in_bytes == 2 * (8 * 64 + 2 * 2 * 100 * 64));
    shape.kv_heads = 3;
    CHECK_THROWS_AS(attention(shape), InputError);
}

TEST_CASE("a feed-forward network: two matrices, or three when gated") {
    FfnShape shape{.tokens = 5, .d = 4, .f = 6, .gated = false, .formats = {Format::bf16, Format::int8, Format::bf16}};
    const Work plain = ffn(shape);
    CHECK(plain.flops == 2 * 2 * 5 * 4 * 6);
    CHECK(plain.in_bytes == 5 * 4 * 2 + 2 * 4 * 6);
    CHECK(plain.out_bytes == 5 * 4 * 2);
    CHECK(plain.tiled_bytes.at("hbm") == plain.bytes() + 2 * 5 * 6 * 2); // hidden layer written and read
    shape.gated = true;
    const Work gated = ffn(shape);
    CHECK(gated.flops == 3 * 2 * 5 * 4 * 6);
    CHECK(gated.in_bytes == 5 * 4 * 2 + 3 * 4 * 6);
    // Input read twice; gate and up written and read, their product written and read.
    CHECK(gated.tiled_bytes.at("hbm") == gated.bytes() + 5 * 4 * 2 + 6 * 5 * 6 * 2);
}

TEST_CASE("a mixture of experts reads the weights of all, or of those that some token chose") {
    MoeShape shape{.ffn = {.tokens = 2, .d = 4, .f = 6, .gated = false, .formats = int8}, .experts = 8, .active = 2};
    const Work all = mixture_of_experts(shape);
    CHECK(all.flops == 2 * (2 * 2 * 2 * 4 * 6)); // every token twice
    CHECK(all.in_bytes == 2 * 4 + 8 * 2 * 4 * 6);
    shape.read = ExpertsRead::expected;
    // 8 (1 - (3/4)^2) = 3.5 experts.
    CHECK(mixture_of_experts(shape).in_bytes == Approx(2 * 4 + 3.5 * 2 * 4 * 6));
    shape.active = 9;
    CHECK_THROWS_AS(mixture_of_experts(shape), InputError);
}

TEST_CASE("a decode step reads every parameter once") {
    CHECK(decode_floor_seconds(100, 16, 0, 4, 10) == 5);   // 200 / 4 / 10
    CHECK(decode_floor_seconds(100, 4, 150, 2, 10) == 10); // (50 + 150) / 2 / 10
}

TEST_CASE("a convolution is counted by its feature map") {
    ConvolutionShape shape;
    shape.batch = 2;
    shape.height = 5;
    shape.width = 7;
    shape.channels = 4;
    shape.filters = 6;
    shape.kernel_height = 3;
    shape.kernel_width = 3;
    shape.formats = int8;
    const Work plain = convolution(shape); // 3 x 5 outputs
    CHECK(plain.flops == 2.0 * 2 * 3 * 5 * 6 * 9 * 4);
    CHECK(plain.in_bytes == 2 * 5 * 7 * 4 + 6 * 9 * 4);
    CHECK(plain.out_bytes == 2 * 3 * 5 * 6);
    CHECK(im2col_bytes(shape) == 2 * 3 * 5 * 9 * 4);
    shape.groups = 2;
    CHECK(convolution(shape).flops == plain.flops / 2);
    CHECK(convolution(shape).in_bytes == 2 * 5 * 7 * 4 + 6 * 9 * 2);
    shape.groups = 3;
    CHECK_THROWS_AS(convolution(shape), InputError); // divides 6 filters, not 4 channels
}

TEST_CASE("pixels that no filter reads do not count") {
    CHECK(output_side(224, 7, 2, 3, 1) == 112);
    CHECK(output_side(5, 3, 1, 0, 2) == 1); // taps 0, 2, 4
    CHECK(touched_side(5, 3, 1, 0, 2) == 3);
    CHECK(touched_side(9, 1, 4, 0, 1) == 3);  // 0, 4, 8
    CHECK(touched_side(10, 2, 4, 0, 1) == 6); // 0 1, 4 5, 8 9
    CHECK(touched_side(10, 3, 2, 0, 1) == 9); // outputs 0..3 reach pixel 8
    CHECK(touched_side(224, 7, 2, 3, 1) == 224);
    CHECK_THROWS_AS(output_side(2, 3, 1, 0, 1), InputError);
}

TEST_CASE("touched pixels are those found by trying every tap") {
    for (std::int64_t input = 1; input <= 12; ++input) {
        for (std::int64_t kernel = 1; kernel <= 4; ++kernel) {
            for (std::int64_t stride = 1; stride <= 5; ++stride) {
                for (std::int64_t padding = 0; padding <= 2; ++padding) {
                    for (std::int64_t dilation = 1; dilation <= 3; ++dilation) {
                        if (input + 2 * padding < dilation * (kernel - 1) + 1) {
                            continue;
                        }
                        std::int64_t touched = 0;
                        for (std::int64_t pixel = 0; pixel < input; ++pixel) {
                            bool hit = false;
                            for (std::int64_t out = 0; out < output_side(input, kernel, stride, padding, dilation);
                                 ++out) {
                                for (std::int64_t tap = 0; tap < kernel; ++tap) {
                                    hit = hit || out * stride - padding + tap * dilation == pixel;
                                }
                            }
                            touched += hit ? 1 : 0;
                        }
                        CAPTURE(input, kernel, stride, padding, dilation);
                        REQUIRE(touched_side(input, kernel, stride, padding, dilation) == touched);
                    }
                }
            }
        }
    }
}

TEST_CASE("elementwise operators do a few FLOPs for each element that passes") {
    const Work add = elementwise({.elements = 100});
    CHECK(add.vector_flops == 100);
    CHECK(add.flops == 0);
    CHECK(add.in_bytes == 800);
    CHECK(add.out_bytes == 400);
    const Work scale =
        elementwise({.elements = 10, .inputs = 1, .outputs = 1, .flops_per_element = 3, .format = Format::bf16});
    CHECK(scale.vector_flops == 30);
    CHECK(scale.bytes() == 40);
}

TEST_CASE("an embedding reads rows and their indices, and adds those that are pooled") {
    const Work work = embedding({.lookups = 12, .dim = 8, .pooled = 3, .index_bytes = 4, .format = Format::fp16});
    CHECK(work.vector_flops == 8 * 8); // 4 sums of 3 rows: 2 additions each
    CHECK(work.in_bytes == 12 * (16 + 4));
    CHECK(work.out_bytes == 4 * 16);
    CHECK_THROWS_AS(embedding({.lookups = 10, .pooled = 3}), InputError);
    CHECK(cached_bandwidth(0, 1, 5) == 5);
    CHECK(cached_bandwidth(1, 9, 5) == 9);
    CHECK_THROWS_AS(cached_bandwidth(1.5, 9, 5), InputError);
}
