#include <catch2/catch.hpp>

#include "sim/roofline/roofline.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

// A 100 x 200, B 200 x 50, C 100 x 50, int8 with int32 results: 20000 + 10000 + 20000 bytes, 2e6 FLOP.
const GemmProblem problem{"p", 100, 50, 200, {Format::int8, Format::int8, Format::int32}};

// Peak 2 * 2 * 4 PEs * 1 GHz = 16 GFLOP/s; VMEM 16 GB/s, HBM 4 GB/s.
Machine machine() {
    Machine result = sample_machine();
    result.pcie.bandwidth = 1'000'000'000;
    return result;
}

} // namespace

TEST_CASE("from VMEM: compute and VMEM alone, by hand") {
    const Roofline roofline = analyze(machine(), problem, DataOrigin::vmem, {150000, 1, 1});
    CHECK(roofline.peak_flops == 16e9);
    CHECK(roofline.t_math_s == 2e6 / 16e9); // 125 us
    REQUIRE(roofline.levels.size() == 1);
    const RooflineLevel& vmem = roofline.levels.at("vmem");
    CHECK(vmem.compulsory_bytes == 50000);
    CHECK(vmem.tiled_bytes == 150000);
    CHECK(vmem.bytes_per_second == 16e9);
    CHECK(vmem.intensity == 40.0); // 2e6 / 5e4
    CHECK(vmem.tiled_intensity == Approx(2e6 / 15e4));
    CHECK(vmem.ridge == 1.0);
    CHECK(vmem.seconds == 50000 / 16e9);
    CHECK(roofline.bound == "compute");
    CHECK(roofline.lower_bound_s == roofline.t_math_s);
    CHECK(roofline.upper_bound_s == roofline.t_math_s + vmem.seconds);
}

TEST_CASE("from the host: all levels, PCIe by its busier direction") {
    const Roofline roofline = analyze(machine(), problem, DataOrigin::host, {1, 60000, 70000});
    REQUIRE(roofline.levels.size() == 3);
    CHECK(roofline.levels.at("hbm").tiled_bytes == 60000);
    CHECK(roofline.levels.at("hbm").seconds == 50000 / 4e9);
    CHECK(roofline.levels.at("hbm").ridge == 4.0);
    const RooflineLevel& pcie = roofline.levels.at("pcie");
    CHECK(pcie.compulsory_bytes == 50000);
    CHECK(pcie.tiled_bytes == 70000);
    CHECK(pcie.limiting_bytes == 30000);
    CHECK(pcie.seconds == 30000 / 1e9); // A and B go down, 20000 bytes of C come up meanwhile
    CHECK(pcie.intensity == Approx(2e6 / 30000)); // of the same bytes: intensity * bandwidth = FLOPs / seconds
    CHECK(pcie.intensity * 1e9 == Approx(2e6 / pcie.seconds));
    CHECK(roofline.upper_bound_s == Approx(125e-6 + 3.125e-6 + 12.5e-6 + 30e-6));
}

TEST_CASE("the slowest level binds, and the result's direction of PCIe counts where it is the larger") {
    Machine slow = machine();
    slow.pcie.bandwidth = 10'000'000;
    GemmProblem outer = problem;
    outer.k = 1; // A 100, B 50, C 20000 bytes
    const Roofline roofline = analyze(slow, outer, DataOrigin::host, {});
    CHECK(roofline.bound == "pcie");
    CHECK(roofline.lower_bound_s == 20000 / 1e7);
}

TEST_CASE("an unlimited level takes no time and never binds") {
    Machine ideal = machine();
    ideal.vmem.bandwidth = unlimited;
    ideal.hbm.bandwidth = unlimited;
    const Roofline roofline = analyze(ideal, problem, DataOrigin::hbm, {});
    for (const char* const level : {"vmem", "hbm"}) {
        CHECK(roofline.levels.at(level).seconds == 0);
        CHECK(roofline.levels.at(level).ridge == 0);
        CHECK(roofline.levels.at(level).bytes_per_second == 0);
    }
    CHECK(roofline.bound == "compute");
    CHECK(roofline.upper_bound_s == roofline.lower_bound_s);
}

TEST_CASE("arrays, cores and rate raise the peak, and cores raise the VMEM bandwidth") {
    Machine large = machine();
    large.array.count = 3;
    large.cores = 2;
    large.macs_per_pe_cycle = {{Format::int8, 2}};
    const Roofline roofline = analyze(large, problem, DataOrigin::hbm, {});
    CHECK(roofline.peak_flops == 16e9 * 3 * 2 * 2);
    CHECK(roofline.levels.at("vmem").bytes_per_second == 32e9);
    CHECK(roofline.levels.at("hbm").bytes_per_second == 4e9);
}

TEST_CASE("the sum of operators: bytes and seconds add, the bound is that of the sums") {
    const GemmProblem vector{"v", 1, 50, 200, {Format::int8, Format::int8, Format::int8}};
    const Roofline first = analyze(machine(), problem, DataOrigin::hbm, {});
    const Roofline second = analyze(machine(), vector, DataOrigin::hbm, {});
    REQUIRE(first.bound == "compute");
    REQUIRE(second.bound == "hbm");
    const Roofline total = sum({first, second}, {2 * problem.macs(), 2 * vector.macs()});
    CHECK(total.t_math_s == first.t_math_s + second.t_math_s);
    const RooflineLevel& hbm = total.levels.at("hbm");
    CHECK(hbm.compulsory_bytes == 50000 + 10250);
    CHECK(hbm.seconds == Approx(60250 / 4e9));
    CHECK(hbm.intensity == Approx(2020000.0 / 60250));
    CHECK(total.peak_flops == 16e9);
    CHECK(total.bound == "compute");
    CHECK(total.lower_bound_s == total.t_math_s);
    CHECK(total.upper_bound_s == Approx(first.upper_bound_s + second.upper_bound_s));
}

TEST_CASE("the sum of operators in formats of different rate has the peak that does all in the summed time") {
    Machine two_rates = machine();
    two_rates.macs_per_pe_cycle = {{Format::int8, 2}, {Format::bf16, 1}};
    const GemmProblem fast{"f", 8, 8, 8, {Format::int8, Format::int8, Format::int8}};
    const GemmProblem slow{"s", 8, 8, 8, {Format::bf16, Format::bf16, Format::bf16}};
    const Roofline total = sum(
        {analyze(two_rates, fast, DataOrigin::vmem, {}), analyze(two_rates, slow, DataOrigin::vmem, {})}, {1024, 1024});
    CHECK(total.peak_flops == Approx(2048 / (1024 / 32e9 + 1024 / 16e9)));
}

TEST_CASE("the sum of nothing is nothing") {
    const Roofline total = sum({}, {});
    CHECK(total.lower_bound_s == 0);
    CHECK(total.peak_flops == 0);
    CHECK(total.levels.empty());
}
