// Convolutions: cycles and bytes derived by hand.
#include <catch2/catch.hpp>

#include "tests/support/convolutions.h"
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

ConvolutionWindow window(std::int64_t height, std::int64_t width, std::int64_t channels, Pair kernel) {
    ConvolutionWindow w;
    w.height = height;
    w.width = width;
    w.channels = channels;
    w.kernel = kernel;
    return w;
}

ConvolutionWindow padded(ConvolutionWindow w) {
    w.padding = {1, 1, 1, 1};
    return w;
}

ConvolutionWindow strided(ConvolutionWindow w, std::int64_t stride) {
    w.stride = {stride, stride};
    return w;
}

// Tiles of `rows` rows of A, all of K and N.
OperatorResult run_in_tiles(const Machine& machine, const GemmProblem& problem, std::int64_t rows, EngineKind engine,
                            Dataflow dataflow = ws, DataOrigin from = DataOrigin::hbm) {
    auto options = run_options(engine, dataflow, from);
    options.tile = Tile{rows, problem.n, problem.k};
    return run_one(machine, problem, options);
}

} // namespace

TEST_CASE("a depthwise layer is a narrow product for each channel") {
    // 8 channels of 6x6, 3x3, padding 1: 36 vectors of 9 taps, one filter each, so a pass uses 9 rows and 1 column of
    // the array. 8 passes back to back: load 16, 7 * max(36, 16), 36, R + C - 2 + E = 31.
    const auto problem = convolution(padded(window(6, 6, 1, {3, 3})), 1, 8);
    for_each_engine([&](EngineKind engine) {
        const auto result = run_from_vmem(ideal_machine(16, 16), problem, ws, engine);
        CHECK(result.kind == "conv");
        CHECK(result.count == 8);
        CHECK(result.passes == 8);
        CHECK(result.macs == 8 * 36 * 9);
        CHECK(result.cycles == 16 + 7 * 36 + 36 + 31);
        CHECK(result.array_utilization() == Approx(8 * 36 * 9 / (256.0 * 335)));
    });
}

TEST_CASE("rows that a stride above the kernel leaves out are not fetched") {
    for_each_engine([&](EngineKind engine) {
        // 1x1, stride 2 on 8x8x4: rows 0, 2, 4, 6, of each columns 0 to 6. Compulsory: the 4x4 pixels that are read,
        // 4x4 filters and the results of 16 x 4.
        const auto result =
            run_in_tiles(ideal_machine(4, 4), convolution(strided(window(8, 8, 4, {1, 1}), 2), 4), 16, engine);
        CHECK(result.traffic.hbm.read.a == 4 * 4 * 7);
        CHECK(result.roofline.levels.at("hbm").compulsory_bytes == 4 * 4 * 4 + 4 * 4 + 16 * 4);
        // 2x2, stride 4 on 10x8x2: rows 0-1, 4-5, 8-9; of columns 0-1 and 4-5 all from 0 to 5.
        const auto bands =
            run_in_tiles(ideal_machine(4, 4), convolution(strided(window(10, 8, 2, {2, 2}), 4), 4), 6, engine);
        CHECK(bands.traffic.hbm.read.a == 2 * 6 * 6);
    });
}

TEST_CASE("tiles of output rows bring their halo rows again, over the link they come once") {
    // 3x3 with padding 1 on 8x8: tiles of 2 output rows (16 rows of A) read rows 0-2, 1-4, 3-6, 5-7: 14 rows of 8.
    const auto problem = convolution(padded(window(8, 8, 1, {3, 3})), 4);
    for_each_engine([&](EngineKind engine) {
        for (const auto dataflow : {ws, os, is}) {
            INFO(short_name(dataflow));
            const auto result = run_in_tiles(ideal_machine(4, 4), problem, 16, engine, dataflow, DataOrigin::host);
            CHECK(result.traffic.hbm.read.a == 14 * 8);
            CHECK(result.traffic.vmem.write.a == 14 * 8);
            CHECK(result.traffic.pcie.write.a == 8 * 8);
            CHECK(result.traffic.hbm.write.a == 8 * 8);
        }
    });
}

TEST_CASE("the arrays read windows, VMEM holds the map") {
    // One tile: 64 bytes come into VMEM, 64 windows of 9 positions are read from it, those in the padding included.
    const auto problem = convolution(padded(window(8, 8, 1, {3, 3})), 4);
    for_each_engine([&](EngineKind engine) {
        const auto result = run_in_tiles(ideal_machine(4, 4), problem, 64, engine);
        CHECK(result.traffic.vmem.write.a == 64);
        CHECK(result.traffic.vmem.read.a == 64 * 9);
    });
}

TEST_CASE("a 1x1 convolution is the GEMM of its shape") {
    // 4x4 pixels of 8 channels, 8 filters: units of whole pixel rows are as many bytes as those of a matrix, one
    // request each.
    const auto conv = convolution(window(4, 4, 8, {1, 1}), 8);
    auto product = gemm(16, 8, 8);
    auto machine = ideal_machine(4, 4);
    machine.hbm.bandwidth = 8 * machine.clock; // 8 bytes a cycle
    for_each_engine([&](EngineKind engine) {
        for (const auto dataflow : {ws, os, is}) {
            for (const std::int64_t rows : {4, 8, 16}) {
                INFO(short_name(dataflow) << ", tiles of " << rows);
                const auto of_map = run_in_tiles(machine, conv, rows, engine, dataflow);
                const auto of_matrix = run_in_tiles(machine, product, rows, engine, dataflow);
                CHECK(of_map.cycles == of_matrix.cycles);
                CHECK(of_map.stack == of_matrix.stack);
                CHECK(of_map.traffic == of_matrix.traffic);
            }
        }
    });
}

TEST_CASE("images of a batch share the filters") {
    // 4x4 pixels, 2x2: 9 vectors an image, one pass for all: load 4, S, R + C - 2 + E = 7.
    auto one = window(4, 4, 1, {2, 2});
    auto three = one;
    three.batch = 3;
    for_each_engine([&](EngineKind engine) {
        const auto single = convolution(one, 4), batch = convolution(three, 4);
        CHECK(run_from_vmem(ideal_machine(4, 4), single, ws, engine).cycles == 4 + 9 + 7);
        CHECK(run_from_vmem(ideal_machine(4, 4), batch, ws, engine).cycles == 4 + 27 + 7);
        const auto result = run_in_tiles(ideal_machine(4, 4), batch, 27, engine);
        CHECK(result.traffic.hbm.read.a == 3 * 16);
        CHECK(result.traffic.hbm.read.b == 16);
    });
}
