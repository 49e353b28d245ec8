#include <algorithm>
#include <cmath>
#include <tuple>

#include <catch2/catch.hpp>

#include "sim/report/figures.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

// A product over M rows that takes max(100 + m / 10, m) ns: the lines meet at 100 + m / 10 = m, m = 1000 / 9.
OperatorResult batch_of(std::int64_t m) {
    OperatorResult one = sample_operator();
    one.m = m;
    one.seconds = std::max(100 + static_cast<double>(m) / 10, static_cast<double>(m)) * 1e-9;
    one.roofline.bound = m < 100 ? "hbm" : "compute";
    one.roofline.t_math_s = static_cast<double>(m) * 1e-9;
    one.roofline.lower_bound_s = std::max(one.roofline.t_math_s, 90e-9);
    return one;
}

RunResult batches(const std::vector<std::int64_t>& ms) {
    RunResult run = sample_run();
    run.operators.clear();
    for (const std::int64_t m : ms) {
        run.operators.push_back(batch_of(m));
    }
    return run;
}

} // namespace

TEST_CASE("points stand at the FLOPs per byte of the slowest level") {
    const RooflineFigure figure = roofline_figure(sample_machine(), sample_run());
    REQUIRE(figure.points.size() == 1);
    const OperatorPoint& point = figure.points.front();
    CHECK(point.level == "hbm");                  // 12 ns against VMEM's 3
    CHECK(point.intensity == Approx(128.0 / 48)); // 128 FLOP, 48 compulsory bytes
    CHECK(point.analytic == Approx(128 / 12e-9)); // on the roof: 4e9 * 128 / 48
    CHECK(point.analytic == Approx(4e9 * 128.0 / 48));
    REQUIRE(point.simulated);
    CHECK(*point.simulated == Approx(128 / 20e-9));
}

TEST_CASE("an operator bound by PCIe stands on the roof of the busier direction") {
    RunResult run = sample_run();
    OperatorResult& one = run.operators.front();
    one.roofline.levels["pcie"] = {48, 48, 1e9, 128.0 / 48, 128.0 / 48, 16, 32e-9}; // 32 of the 48 bytes go down
    one.roofline.lower_bound_s = 32e-9;
    const OperatorPoint point = roofline_figure(sample_machine(), run).points.front();
    CHECK(point.level == "pcie");
    CHECK(point.intensity == Approx(128.0 / 32));
    CHECK(point.analytic == Approx(1e9 * point.intensity));
}

TEST_CASE("work of the vector unit has no point and does not choose the roofs") {
    const RooflineFigure product = roofline_figure(sample_machine(), sample_run());
    OperatorResult lookup = sample_operator();
    lookup.macs = 0;
    lookup.formats = {Format::int32, Format::int32, Format::int32}; // which the array does not take
    RunResult run = sample_run();
    run.operators.insert(run.operators.begin(), lookup);
    CHECK(roofline_figure(sample_machine(), run).points.size() == 1);
    CHECK(roofline_figure(sample_machine(), run).roofs.size() == product.roofs.size());
    run.operators = {lookup};
    CHECK(roofline_figure(sample_machine(), run).points.empty());
    CHECK(roofline_figure(sample_machine(), run).dense_peak() == product.dense_peak());
}

TEST_CASE("roofs are those of the machine that have a bandwidth, and a dense run has dense peaks alone") {
    const RooflineFigure figure = roofline_figure(sample_machine(), sample_run());
    REQUIRE(figure.roofs.size() == 2); // PCIe of the sample is unlimited
    CHECK(figure.roofs[0].label == "VMEM");
    CHECK(figure.roofs[0].bandwidth == 16e9); // 16 B a cycle at 1 GHz
    CHECK(figure.roofs[1].label == "HBM");
    CHECK(figure.roofs[1].bandwidth == 4e9);
    REQUIRE(figure.peaks.size() == 1);
    CHECK(figure.dense_peak() == 16e9);
    CHECK_FALSE(figure.peaks[0].sparse);
}

TEST_CASE("a sparse operator has the peak of its own pattern beside the dense one") {
    for (const auto& [pattern, label, times] :
         {std::tuple{SparsePattern{2, 4}, "int8 2:4", 2}, std::tuple{SparsePattern{1, 4}, "int8 1:4", 4}}) {
        RunResult run = sample_network();
        run.operators[1].sparsity = pattern;
        const RooflineFigure figure = roofline_figure(sample_machine(), run);
        REQUIRE(figure.peaks.size() == 2);
        CHECK(figure.dense_peak() == 16e9);
        CHECK(figure.peaks[1].flops == times * 16e9);
        CHECK(figure.peaks[1].label == label);
        CHECK(figure.peaks[1].sparse);
    }
}

TEST_CASE("the 2:4 peak of one format that is the dense peak of another is one roof") {
    RunResult run = sample_network();
    run.operators[1].formats.a = Format::bf16;
    run.operators[1].roofline.peak_flops = 8e9;
    run.operators[1].sparsity = {2, 4};
    const RooflineFigure figure = roofline_figure(sample_machine(), run);
    REQUIRE(figure.peaks.size() == 2);
    CHECK(figure.peaks[1].flops == 16e9);
    CHECK(figure.peaks[1].label == "int8, bf16 2:4");
    CHECK_FALSE(figure.peaks[1].sparse);
}

TEST_CASE("the simulated knee is where the lines through the times meet") {
    const auto knee = knee_figure(sample_machine(), batches({1, 2, 5, 50, 200, 400, 800}));
    REQUIRE(knee);
    CHECK(knee->level == "hbm");
    REQUIRE(knee->simulated_knee);
    CHECK(*knee->simulated_knee == Approx(1000.0 / 9));
    CHECK(knee->points.front().analytic == Approx(1.0 / 90));
    CHECK(knee->points.back().simulated == Approx(1));
    // 2 n k = 32 FLOP a token, 16 bytes of weights, 8 of activations: 16 / (32 * 4e9 / 16e9 - 8) has no solution above
    // 0
    CHECK(std::isinf(knee->critical_batch));
    CHECK(knee->rule == Approx(2)); // 16 / (32 / 4)
}

TEST_CASE("one M with a poor mapping does not move the knee") {
    RunResult run = batches({1, 2, 5, 50, 60, 70, 200, 400, 800});
    run.operators.front().seconds *= 1.4;
    const auto knee = knee_figure(sample_machine(), run);
    REQUIRE(knee);
    REQUIRE(knee->simulated_knee);
    CHECK(*knee->simulated_knee == Approx(1000.0 / 9).epsilon(0.01));
}

TEST_CASE("there is no knee without a series of M, and none where all are bound alike") {
    CHECK_FALSE(knee_figure(sample_machine(), sample_network()));
    CHECK_FALSE(knee_figure(sample_machine(), batches({1, 2, 200})));
    CHECK_FALSE(knee_figure(sample_machine(), batches({1, 2, 200, 200})));
    RunResult other = batches({1, 2, 200, 400});
    other.operators.back().k = 5;
    CHECK_FALSE(knee_figure(sample_machine(), other));
    const auto one_side = knee_figure(sample_machine(), batches({1, 2, 3, 4}));
    REQUIRE(one_side);
    CHECK_FALSE(one_side->simulated_knee);
}

TEST_CASE("a series is put in the order of M") {
    const auto knee = knee_figure(sample_machine(), batches({400, 2, 200, 1}));
    REQUIRE(knee);
    CHECK(knee->points.front().m == 1);
    CHECK(knee->points.back().m == 400);
}

TEST_CASE("without a run a point stands on its roof alone") {
    analytic::Roofs roofs;
    roofs.peak = 100;
    roofs.pe_registers = true;
    roofs.levels = {{"vmem", analytic::infinite}, {"hbm", 10}, {"pcie", 1}, {"link", 5}};
    analytic::Work work;
    work.name = "gemm";
    work.flops = 128;
    work.in_bytes = 40;
    work.out_bytes = 24;
    work.pe_bytes_per_mac = 10;
    const analytic::Result result = analytic::evaluate(work, roofs); // PCIe: 40 bytes down at 1 B/s
    const RooflineFigure figure = roofline_figure(roofs, PeakRoof{"bf16 2:4", 150, true}, "bf16", {result});
    REQUIRE(figure.roofs.size() == 2); // VMEM is unlimited, links belong to several chips
    CHECK(figure.roofs[1].label == "PCIe");
    CHECK(figure.peaks[1].flops == 150);
    REQUIRE(figure.points.size() == 1);
    CHECK(figure.points[0].level == "pcie");
    CHECK(figure.points[0].intensity == Approx(128.0 / 40));
    CHECK(figure.points[0].analytic == Approx(128.0 / 40));
    CHECK_FALSE(figure.points[0].simulated);
}
