// The roofline itself: bounds, levels, sums, peaks.
#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/roofline/roof.h"

using namespace systole;
using namespace systole::analytic;

namespace {

// 1000 FLOP/s; VMEM 100 B/s, HBM 10 B/s, PCIe 5 B/s each way, links of 2 B/s.
Roofs roofs() {
    Roofs result;
    result.peak = 1000;
    result.levels = {{"vmem", 100}, {"hbm", 10}, {"pcie", 5}, {"link", 2}};
    return result;
}

// 4000 FLOP; 60 bytes in, 20 out.
Work work() {
    Work result;
    result.flops = 4000;
    result.in_bytes = 60;
    result.out_bytes = 20;
    return result;
}

const LevelResult& level(const Result& result, const std::string& name) {
    for (const LevelResult& one : result.levels) {
        if (one.name == name) {
            return one;
        }
    }
    throw std::runtime_error("no level " + name);
}

} // namespace

TEST_CASE("the slowest level bounds from below, the sum of all from above") {
    const Result result = evaluate(work(), roofs());
    CHECK(result.math_s == 4);
    CHECK(level(result, "vmem").seconds == 0.8); // 80 / 100
    CHECK(level(result, "hbm").seconds == 8);    // 80 / 10
    CHECK(level(result, "pcie").seconds == 12);  // 60 / 5: the busier direction
    CHECK(result.levels.size() == 3);            // no byte crosses a link
    CHECK(result.lower_bound_s == 12);
    CHECK(result.upper_bound_s == Approx(4 + 0.8 + 8 + 12));
    CHECK(result.bound == "pcie");
    CHECK(result.attainable == Approx(4000.0 / 12));
    CHECK(result.utilization == Approx(4.0 / 12));
}

TEST_CASE("a level shows intensity, ridge and what it would allow alone") {
    const Result result = evaluate(work(), roofs());
    const LevelResult& hbm = level(result, "hbm");
    CHECK(hbm.intensity == 50);   // 4000 / 80
    CHECK(hbm.ridge == 100);      // 1000 / 10
    CHECK(hbm.attainable == 500); // 50 * 10
    CHECK(level(result, "vmem").attainable == 1000);
    CHECK_FALSE(hbm.tiled_bytes);
    const LevelResult& pcie = level(result, "pcie");
    CHECK(pcie.compulsory_bytes == 80);
    CHECK(pcie.intensity == Approx(4000.0 / 60)); // of the busier direction
    CHECK(pcie.attainable == Approx(pcie.intensity * 5));
}

TEST_CASE("tiled bytes give an intensity and change no bound") {
    Work tiled = work();
    tiled.tiled_bytes["hbm"] = 800;
    const Result result = evaluate(tiled, roofs());
    CHECK(level(result, "hbm").tiled_intensity == 5.0);
    CHECK(level(result, "hbm").seconds == 8);
    CHECK(result.lower_bound_s == 12);
}

TEST_CASE("links count what one chip sends") {
    Work split = work();
    split.link_bytes = 30;
    const Result result = evaluate(split, roofs());
    CHECK(level(result, "link").seconds == 15); // 30 / 2
    CHECK(result.bound == "link");
}

TEST_CASE("an unlimited level takes no time") {
    Roofs ideal = roofs();
    ideal.levels = {{"hbm", infinite}};
    const Result result = evaluate(work(), ideal);
    CHECK(result.bound == "compute");
    CHECK(level(result, "hbm").seconds == 0);
    CHECK(level(result, "hbm").ridge == 0);
    CHECK(level(result, "hbm").attainable == 1000);
    CHECK(result.upper_bound_s == result.lower_bound_s);
}

TEST_CASE("of equally slow ones the one nearest to the math binds") {
    Roofs equal = roofs();
    equal.levels = {{"vmem", 20}, {"hbm", 20}}; // 80 / 20 = 4 s, as the math
    CHECK(evaluate(work(), equal).bound == "compute");
    equal.peak = 4000;
    CHECK(evaluate(work(), equal).bound == "vmem");
}

TEST_CASE("registers show what the PEs move and bound nothing") {
    Roofs array = roofs();
    array.pe_registers = true;
    Work product = work();
    product.pe_bytes_per_mac = 10;
    const Result result = evaluate(product, array);
    CHECK(level(result, "pe").compulsory_bytes == 20000); // 2000 multiply-adds of 10 bytes
    CHECK(level(result, "pe").bandwidth == 5000);         // 500 a second of 10 bytes
    CHECK(level(result, "pe").seconds == result.math_s);
    CHECK(result.upper_bound_s == Approx(4 + 0.8 + 8 + 12));
}

TEST_CASE("vector work runs at the vector unit's rate, or at the peak where none is stated") {
    Work vector;
    vector.vector_flops = 100;
    vector.in_bytes = 10;
    Roofs chip = roofs();
    CHECK(evaluate(vector, chip).vector_s == 0.1); // 100 / 1000
    chip.vector_peak = 50;
    const Result result = evaluate(vector, chip);
    CHECK(result.vector_s == 2);
    CHECK(result.peak == 50); // that of the unit which does the work
    CHECK(level(result, "hbm").ridge == 5);
    CHECK(result.bound == "vector"); // 2 s, as PCIe with 10 / 5, which is farther away
}

TEST_CASE("operators one after the other: all adds, bounds are those of the sums") {
    Work second = work();
    second.flops = 16000;
    const Result sum = total({evaluate(work(), roofs()), evaluate(second, roofs())});
    CHECK(sum.work.flops == 20000);
    CHECK(sum.math_s == 20);
    CHECK(level(sum, "hbm").seconds == 16);
    CHECK(level(sum, "hbm").compulsory_bytes == 160);
    CHECK(level(sum, "hbm").intensity == 125);
    CHECK(level(sum, "hbm").ridge == 100);
    CHECK(sum.lower_bound_s == 24); // PCIe
    CHECK(sum.upper_bound_s == Approx(20 + 1.6 + 16 + 24));
    CHECK(sum.peak == 1000);
    CHECK(total({}).lower_bound_s == 0);
}

TEST_CASE("parts at different peaks have together the one that does them in the summed time") {
    Roofs fast = roofs();
    fast.peak = 4000;
    const Result sum = total({evaluate(work(), roofs()), evaluate(work(), fast)});
    CHECK(sum.peak == Approx(8000.0 / 5)); // 4 s + 1 s
}

TEST_CASE("peaks of arrays, vector units and sparsity") {
    CHECK(array_peak(128, 128, 4, 1.5e9) == 196.608e12);
    CHECK(array_peak(2, 3, 4, 5, 2) == 2 * 2 * 3 * 4 * 5 * 2);
    CHECK(vector_unit_peak(1024, 4, 1.75e9) == 7.168e12);
    CHECK(sparse_peak(200e12, 0.75) == 300e12);
    CHECK(sparse_peak(200e12, 1) == 400e12);
}

TEST_CASE("bandwidths of several memories weigh by time") {
    CHECK(effective_bandwidth({{1, 7}}) == 7);
    CHECK(effective_bandwidth({{0.5, 2}, {0.5, 6}}) == Approx(3)); // 1 / (1/4 + 1/12)
    CHECK(effective_bandwidth({{0.9, 10e12}, {0.1, 4e12}}) == Approx(1e12 / 0.115));
    CHECK_THROWS_AS(effective_bandwidth({{0.5, 2}}), InputError);
    CHECK(quantized_bandwidth(256e9, 8, 4) == 512e9);
}

TEST_CASE("what has no meaning is refused") {
    CHECK_THROWS_AS(evaluate(work(), Roofs{}), InputError);
    CHECK_THROWS_AS(ridge(0, 1), InputError);
    CHECK_THROWS_AS(attainable(1, 1, -1), InputError);
    CHECK_THROWS_AS(math_seconds(-1, 1), InputError);
    CHECK_THROWS_AS(sparse_peak(1, 0), InputError);
    CHECK_THROWS_AS(level_of(roofs(), "l2"), InputError);
}
