// Critical batches, several chips, requests from end to end.
#include <cmath>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/roofline/collective.h"
#include "sim/roofline/critical_batch.h"
#include "sim/roofline/end_to_end.h"

using namespace systole;
using namespace systole::analytic;

namespace {

constexpr OperandFormats bf16{Format::bf16, Format::bf16, Format::bf16};
constexpr OperandFormats w8a16{Format::bf16, Format::int8, Format::bf16};

} // namespace

TEST_CASE("at the critical batch both times are equal") {
    // D = 4, F = 8, peak 64, bandwidth 32: 64 B / 64 = (64 + 24 B) / 32, so B = 64 / (32 - 24) = 8.
    const PerBatch line = matmul_per_batch(4, 8, bf16, Activations::counted);
    CHECK(line.flops_per_token == 64);
    CHECK(line.fixed_bytes == 64);
    CHECK(line.bytes_per_token == 24);
    CHECK(critical_batch(line, 64, 32) == 8);
    CHECK(critical_batch(matmul_per_batch(4, 8, bf16, Activations::neglected), 64, 32) == 2);  // peak / bandwidth
    CHECK(critical_batch(matmul_per_batch(4, 8, w8a16, Activations::neglected), 64, 32) == 1); // half the weights
}

TEST_CASE("where activations alone outlast the math no batch is large enough") {
    const PerBatch line = matmul_per_batch(4, 8, bf16, Activations::counted);
    CHECK(critical_batch(line, 64, 24) == infinite);
    CHECK(critical_batch(line, 64, 1) == infinite);
    CHECK(critical_batch(line, 64, infinite) == 0);
    CHECK_THROWS_AS(critical_batch(line, 0, 1), InputError);
}

TEST_CASE("experts raise the critical batch by their number over the active ones") {
    const double dense = critical_batch(ffn_per_batch(64, 256, true, w8a16, Activations::neglected), 1e6, 1e4);
    const double sparse = critical_batch(moe_per_batch(64, 256, 16, 2, true, w8a16, Activations::neglected), 1e6, 1e4);
    CHECK(sparse == Approx(dense * 8));
    CHECK(moe_critical_batch(dense, 16, 2) == Approx(sparse));
    CHECK(dense == 50); // peak / (2 bandwidth)
    CHECK_THROWS_AS(moe_critical_batch(1, 2, 3), InputError);
}

TEST_CASE("a ring passes all but one part of the array along each link") {
    CHECK(ring_link_bytes(Collective::all_gather, 80, 8) == 70);
    CHECK(ring_link_bytes(Collective::reduce_scatter, 80, 8) == 70);
    CHECK(ring_link_bytes(Collective::all_reduce, 80, 8) == 140);
    CHECK(ring_link_bytes(Collective::all_reduce, 80, 8, 2) == 70);
    CHECK(ring_seconds(Collective::all_reduce, 80, 2, 10) == 8);
    CHECK(ring_seconds(Collective::all_reduce, 80, 1, 10) == 0);
    CHECK_THROWS_AS(ring_link_bytes(Collective::all_reduce, 1, 2, 3), InputError);
}

TEST_CASE("split along D every chip holds sums of the whole result, along F its columns") {
    SplitShape shape{.batch = 2, .d = 8, .f = 16, .chips = 4, .formats = bf16};
    const Work along_d = split_matmul(shape);
    CHECK(along_d.flops == 2 * 2 * 16 * 2); // D / 4 = 2
    CHECK(along_d.out_bytes == 2 * 16 * 2);
    CHECK(along_d.link_bytes == 2 * 3 / 4.0 * 64);
    shape.axis = SplitAxis::output;
    const Work along_f = split_matmul(shape);
    CHECK(along_f.flops == 2 * 2 * 4 * 8);
    CHECK(along_f.link_bytes == 0);
    shape.gather = true;
    CHECK(split_matmul(shape).link_bytes == 3 / 4.0 * 64);
    shape.chips = 17;
    CHECK_THROWS_AS(split_matmul(shape), InputError);
}

TEST_CASE("of a split product with sparse weights the values kept and their indices cross") {
    // Along D each of 2 chips has D / 2 = 10: 3 groups of 4, the last one ragged, 2 values in each for 16 columns.
    SplitShape shape{.batch = 2, .d = 20, .f = 16, .chips = 2, .formats = bf16, .sparsity = {2, 4}};
    CHECK(split_matmul(shape).in_bytes == 2 * 10 * 2 + 3 * 2 * 16 * 2 + 3 * 2 * 16 * 2 / 8);
    shape.axis = SplitAxis::output; // 5 groups for 8 columns
    CHECK(split_matmul(shape).in_bytes == 2 * 20 * 2 + 5 * 2 * 8 * 2 + 5 * 2 * 8 * 2 / 8);
}

TEST_CASE("at the critical depth math and link take equally long") {
    for (const double directions : {1.0, 2.0}) {
        for (const SplitAxis axis : {SplitAxis::contraction, SplitAxis::output}) {
            SplitShape shape{
                .batch = 32, .chips = 4, .axis = axis, .gather = true, .directions = directions, .formats = bf16};
            // Both depths are whole multiples of 4 chips, so that they can be dealt evenly.
            shape.d = static_cast<std::int64_t>(critical_depth(shape, 1600, 1));
            shape.f = 64;
            const Work work = split_matmul(shape);
            CHECK(work.flops / 1600 == Approx(work.link_bytes / 1));
        }
    }
    SplitShape alone{.chips = 1, .formats = bf16};
    CHECK(critical_depth(alone, 1, 1) == 0);
    alone.axis = SplitAxis::output;
    alone.chips = 8;
    CHECK(critical_depth(alone, 1, 1) == 0); // nothing is sent
}

TEST_CASE("Amdahl's law") {
    CHECK(amdahl_speedup(0.25) == 4);
    CHECK(amdahl_speedup(0.5, 2) == Approx(4.0 / 3));
    CHECK(amdahl_speedup(1) == 1);
    CHECK(amdahl_speedup(0) == infinite);
    CHECK_THROWS_AS(amdahl_speedup(1.1), InputError);
}

TEST_CASE("a request: serial part, transfers and computing") {
    RequestShape shape{.batch = 1, .bytes_in = 30, .bytes_out = 10, .pcie_bandwidth = 10, .compute_s = 2};
    shape.serial_s = 1;
    CHECK(request_time(shape).transfer_s == 4);
    CHECK(request_time(shape).total_s == 7);
    shape.transfers = Transfers::duplex;
    CHECK(request_time(shape).total_s == 1 + 3 + 2);
    shape.transfers = Transfers::overlapped;
    CHECK(request_time(shape).total_s == 1 + 3);
    CHECK(request_time(shape).serial_fraction == 0.25);
    CHECK(request_time(shape).speedup_limit == 4);
}

TEST_CASE("a request grows with its batch: transfers as it, serial part with its logarithm") {
    RequestShape shape{.batch = 8, .bytes_in = 10, .pcie_bandwidth = 10, .compute_s = 2, .compute_growth = 3};
    shape.serial_fraction = 0.25; // of batch 1: 1 s beside 1 s of transfer and 2 s of computing
    shape.serial_growth = 0.5;
    const RequestTime time = request_time(shape);
    CHECK(time.transfer_s == 8);
    CHECK(time.compute_s == 6);
    CHECK(time.serial_s == Approx(1 + 0.5 * 3));
    CHECK(time.total_s == Approx(16.5));
    CHECK(time.per_sample_s == Approx(16.5 / 8));
    shape.serial_fraction = 1;
    CHECK_THROWS_AS(request_time(shape), InputError);
}
