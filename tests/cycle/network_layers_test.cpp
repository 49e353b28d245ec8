// Layers whose shape an array does not like: what they cost is derived from that shape, on a 128x128 weight-stationary
// array (R = C = 128, E = 1; double-buffered, so passes of S vectors are max(S, R) apart).
#include <catch2/catch.hpp>

#include "tests/support/convolutions.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr Cycles r = 128;

// The first load, T - 1 intervals and one whole pass: S + R + C - 2 + E.
Cycles passes(std::int64_t t, std::int64_t s) { return r + (t - 1) * std::max(s, r) + s + r + r - 2 + 1; }

OperatorResult from_vmem(const GemmProblem& problem) {
    return run_from_vmem(ideal_machine(128, 128), problem, ws, EngineKind::tile);
}

// HBM of 64 bytes a cycle.
OperatorResult from_hbm(const GemmProblem& problem) {
    Machine machine = ideal_machine(128, 128);
    machine.hbm.bandwidth = 64 * machine.clock;
    return run_one(machine, problem, run_options(EngineKind::tile, ws, DataOrigin::hbm));
}

} // namespace

TEST_CASE("a depthwise layer uses 9 PEs of one column: its utilisation is at most 9 / (R C)") {
    // MobileNet-V2, first block: 32 channels of 112x112, 3x3. A channel is a product of 12544 x 1 x 9: a pass of its
    // own.
    const auto problem =
        convolution({.channels = 1, .height = 112, .width = 112, .kernel = {3, 3}, .padding = {1, 1, 1, 1}}, 1, 32);
    REQUIRE(problem.m == 12544);
    const auto result = from_vmem(problem);
    CHECK(result.macs == 32 * 12544 * 9);
    CHECK(result.passes == 32);
    CHECK(result.cycles == passes(32, 12544));
    CHECK(result.array_utilization() <= 9.0 / (128 * 128));
    CHECK(result.array_utilization() == Approx(9.0 / (128 * 128)).epsilon(0.01)); // 383 of 401791 cycles are no vector
    CHECK(result.mapping_efficiency() == Approx(9.0 / (128 * 128)).epsilon(1e-12));
    // The same MACs as one product of K = 32 * 9 and N = 1 would take 3 passes instead of 32.
    CHECK(from_vmem(gemm(12544, 1, 32 * 9)).cycles == passes(3, 12544));
}

TEST_CASE("a matrix times a vector takes as long as its weights take to shift in, and uses one PE in R") {
    // 1024 x 1024 weights are 64 passes. With one vector each they are R apart, as with R of them.
    const auto gemv = from_vmem(gemm(1, 1024, 1024));
    CHECK(gemv.cycles == passes(64, 1));
    CHECK(gemv.cycles == 8448); // 128 + 63 * 128 + 1 + 255
    CHECK(gemv.array_utilization() == Approx(64.0 / 8448));
    // At each of 63 switches the port waits R - S cycles, before the first pass R.
    CHECK(gemv.stack[Cause::stationary_load] == (128 + 63 * 127) * 128 * 128);
    const auto gemm_of_r_rows = from_vmem(gemm(128, 1024, 1024));
    CHECK(gemm_of_r_rows.cycles == passes(64, 128));
    CHECK(gemm_of_r_rows.cycles == gemv.cycles + 127);
    // Four times as many rows take four intervals each.
    CHECK(from_vmem(gemm(512, 1024, 1024)).cycles == passes(64, 512));
}

TEST_CASE("a matrix times a vector from HBM is bound by the weights' bytes, the product with many rows is not") {
    // 1 MiB of weights at 64 bytes a cycle: 16384 cycles, each of the 64 passes waits 256 for its 16 KiB and needs 128.
    const auto gemv = from_hbm(gemm(1, 1024, 1024));
    const Cycles weights = 1024 * 1024 / 64;
    CHECK(gemv.roofline.bound == "hbm");
    CHECK(gemv.cycles >= weights + 1024 / 64); // and A
    // Behind the last weight: one cycle into VMEM, R to shift in, a vector across the array, and the last 128 of C out.
    CHECK(gemv.cycles <= weights + 1024 / 64 + 1 + r + passes(1, 1) - r + 1024 / 64 + 1);
    CHECK(gemv.roofline_efficiency() > 0.95);
    CHECK(gemv.stack[Cause::hbm_bandwidth] > gemv.pe_slots / 3);
    // 2048 rows: 64 passes of 2048 vectors, 131072 cycles; 1 MiB of B and 2 of A and of C each take 81920.
    const auto many_rows = from_hbm(gemm(2048, 1024, 1024));
    CHECK(many_rows.roofline.bound == "compute");
    CHECK(many_rows.array_utilization() > 0.9);
    CHECK(gemv.array_utilization() < 64.0 / 16384); // a vector of each pass
}

TEST_CASE("a stride above the kernel costs the outputs that it leaves, and the pixel rows that it touches") {
    // 1x1 with stride 2 (the shortcuts of a ResNet), 64 channels of 56x56: outputs of rows and columns 0, 2, ... 54.
    const auto problem = convolution({.channels = 64, .height = 56, .width = 56, .stride = {2, 2}}, 128);
    REQUIRE(problem.m == 28 * 28);
    CHECK(from_vmem(problem).cycles == passes(1, 28 * 28));
    CHECK(from_vmem(problem).macs == 28 * 28 * 64 * 128);
    // A quarter of the pixels is read; of each row that is, all from the first to the last column that is: 55 of 56.
    CHECK(from_hbm(problem).traffic.hbm.read.a == 64 * 28 * 55);
    const auto dense = convolution({.channels = 64, .height = 56, .width = 56}, 128);
    CHECK(from_vmem(dense).cycles == passes(1, 56 * 56));
    CHECK(from_hbm(dense).traffic.hbm.read.a == 64 * 56 * 56);
}
