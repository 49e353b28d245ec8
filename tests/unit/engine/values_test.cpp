// Operand values: drawn, given, and what is stored of their product; and the order of additions, on sums small enough
// to follow by hand.
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/engine/plan.h"
#include "sim/engine/reference.h"
#include "sim/engine/values.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

GemmProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, OperandFormats formats) {
    GemmProblem problem = gemm(m, n, k);
    problem.formats = formats;
    return problem;
}

std::string error_of(Format format, double value) {
    const auto problem = problem_of(1, 1, 2, {format, Format::fp32, Format::fp32});
    auto values = random_values(problem, 1);
    try {
        use_given(values, problem, Operand::a, {1, 2, {0, value}, "a.npy"}, Pruning::none);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

// C of one row of A and one column of B, on R x 1 PEs.
double dot(const std::vector<double>& a, const std::vector<double>& b, int rows, int q, Dataflow dataflow,
           EngineKind engine, std::optional<Tile> tile = {}, Format format = Format::fp32) {
    Machine machine = ideal_machine(rows, 1);
    machine.macs_per_pe_cycle = {{format, q}};
    const auto k = static_cast<std::int64_t>(a.size());
    auto options = run_options(engine, dataflow, DataOrigin::vmem);
    options.given.a = GivenMatrix{1, k, a, "a"};
    options.given.b = GivenMatrix{k, 1, b, "b"};
    options.tile = tile;
    double result = 0;
    options.take_result = [&](const GemmProblem&, const std::vector<double>& c) { result = c.at(0); };
    const auto ran = run_one(machine, problem_of(1, 1, k, {format, format, Format::fp32}), options);
    CHECK(ran.verified == true);
    return result;
}

} // namespace

TEST_CASE("random integers use the whole range of their format, floats the interval from -1 to 1", "[values]") {
    const auto extremes = [](Format format) {
        const auto values = random_values(problem_of(64, 1, 64, {format, Format::bf16, Format::fp32}), 5);
        const auto& a = std::get<OperandValues<float>>(values.operands).a;
        return std::pair{*std::min_element(a.begin(), a.end()), *std::max_element(a.begin(), a.end())};
    };
    CHECK(extremes(Format::int4) == std::pair{-8.0F, 7.0F});
    CHECK(extremes(Format::int8) == std::pair{-128.0F, 127.0F});
    for (const Format format : {Format::fp8_e4m3, Format::fp8_e5m2, Format::bf16, Format::fp16, Format::fp32}) {
        const auto [lowest, highest] = extremes(format);
        INFO(name(format));
        CHECK(lowest >= -1);
        CHECK(lowest < -0.9F);
        CHECK(highest > 0.9F);
        CHECK(highest <= 1);
    }
}

TEST_CASE("values come from the seed alone", "[values]") {
    const auto problem = problem_of(3, 4, 5, {Format::bf16, Format::int4, Format::bf16});
    const auto values = [&](std::uint64_t seed) {
        return std::get<OperandValues<float>>(random_values(problem, seed).operands).a;
    };
    CHECK(values(1) == values(1));
    CHECK(values(1) != values(2));
}

TEST_CASE("given values are rounded to a float format and must be numbers of an integer one", "[values]") {
    const auto problem = problem_of(1, 1, 3, {Format::bf16, Format::int8, Format::bf16});
    const GivenOperands given{GivenMatrix{1, 3, {1 + std::ldexp(1.0, -8), -infinity, 3}, "a"},
                              GivenMatrix{3, 1, {-128, 127, 0}, "b"}, Pruning::none};
    const auto values = std::get<OperandValues<float>>(make_values(problem, given, 1).operands);
    CHECK(values.a == std::vector<float>{1, -std::numeric_limits<float>::infinity(), 3}); // halfway: even
    CHECK(values.b == std::vector<float>{-128, 127, 0});
}

TEST_CASE("given values that a format has not are refused by their place", "[values]") {
    CHECK(error_of(Format::int4, 8) ==
          "a.npy: row 0, column 1: 8 does not fit int4 (whole numbers -8..7; use another --dtype)");
    CHECK(error_of(Format::int8, -129).find("whole numbers -128..127") != std::string::npos);
    CHECK(error_of(Format::int8, 1.5).find("1.5 does not fit int8") != std::string::npos);
    CHECK(error_of(Format::int8, std::nan("")).find("nan does not fit int8") != std::string::npos);
    CHECK(error_of(Format::fp8_e4m3, 464).find("does not fit fp8_e4m3 (up to 448 and NaN") != std::string::npos);
    CHECK(error_of(Format::fp8_e4m3, infinity).find("inf does not fit") != std::string::npos);
    CHECK(error_of(Format::fp16, 65520).find("up to 65504, infinities and NaN") != std::string::npos);
    for (const auto& [format, value] : {std::pair{Format::int4, -8.0},
                                        {Format::fp8_e4m3, 463.9},
                                        {Format::fp16, 65519.0},
                                        {Format::fp16, infinity},
                                        {Format::fp8_e5m2, std::nan("")},
                                        {Format::fp32, 1e-60}}) {
        INFO(name(format) << " " << value);
        CHECK(error_of(format, value).empty());
    }
}

TEST_CASE("a given matrix must have the problem's shape and sparsity", "[values]") {
    auto problem = problem_of(1, 2, 4, {});
    const auto with_b = [&](std::int64_t rows, std::vector<double> b, Pruning pruning) {
        return make_values(problem, {{}, GivenMatrix{rows, 2, std::move(b), "b.npy"}, pruning}, 1);
    };
    CHECK_THROWS_WITH(with_b(2, {1, 2, 3, 4}, Pruning::none), "b.npy: is 2x2, but B of a GEMM of 1x2x4 is 4x2");
    problem.sparsity = {2, 4};
    const std::vector<double> dense{1, 0, -3, 0, 2, 5, 3, 0};
    CHECK_THROWS_WITH(with_b(4, dense, Pruning::none), "b.npy: rows 0..3, column 0: 4 of 4 are nonzero, 2:4 allows 2 "
                                                       "(prune it with --prune magnitude)");
    const auto pruned = with_b(4, dense, Pruning::magnitude);
    CHECK(std::get<OperandValues<std::int8_t>>(pruned.operands).b == std::vector<std::int8_t>{0, 0, -3, 0, 0, 5, 3, 0});
}

TEST_CASE("what is stored of a sum is rounded to the format of C", "[values]") {
    const auto stored = [](Format c, std::int32_t sum) {
        GemmValues values{OperandValues<std::int8_t>{}, {sum}};
        return stored_result(problem_of(1, 1, 1, {Format::int8, Format::int8, c}), values).at(0);
    };
    CHECK(stored(Format::int8, 300) == 127);
    CHECK(stored(Format::int4, -300) == -8);
    CHECK(stored(Format::int32, 2147483647) == 2147483647);
    CHECK(stored(Format::bf16, 257) == 256);
    CHECK(stored(Format::fp32, 16777217) == 16777216);
    const auto of_float = [](Format c, float sum) {
        GemmValues values{OperandValues<float>{}, {pattern_of(sum)}};
        return stored_result(problem_of(1, 1, 1, {Format::bf16, Format::bf16, c}), values).at(0);
    };
    CHECK(of_float(Format::int8, 2.5F) == 2);
    CHECK(of_float(Format::fp8_e4m3, 1000) == 448);
    CHECK(of_float(Format::fp16, 1e6F) == infinity);
    CHECK(of_float(Format::fp32, 0.1F) == double{0.1F});
}

// 1e8 has a spacing of 8 in fp32: 1e8 + 1 is 1e8. So the order shows.
TEST_CASE("fp32 sums are added in the order of the array", "[values]") {
    const std::vector<double> a{1e8, 1, -1e8, 1}, ones{1, 1, 1, 1};
    for (const auto engine : {EngineKind::structural, EngineKind::flat}) {
        INFO(name(engine));
        // One pass, four rows: ((1e8 + 1) - 1e8) + 1 = 1.
        CHECK(dot(a, ones, 4, 1, ws, engine) == 1);
        CHECK(dot(a, ones, 4, 1, is, engine) == 1);
        // Two passes of two rows, their sums added: (1e8 + 1) + (-1e8 + 1) = 0.
        CHECK(dot(a, ones, 2, 1, ws, engine) == 0);
        CHECK(dot(a, ones, 2, 1, is, engine) == 0);
        // One PE, k after k: ((1e8 + 1) - 1e8) + 1.
        CHECK(dot(a, ones, 2, 1, os, engine) == 1);
        // Two k at a time, each pair added first: (1e8 + 1) + (-1e8 + 1).
        CHECK(dot(a, ones, 4, 2, os, engine) == 0);
        CHECK(dot(a, ones, 4, 2, ws, engine) == 0);
        // Tiles of three k: the sum of a PE that the output tile leaves alone stays there; WS adds two passes' sums:
        // ((1e8 + 1) - 1e8) + (1) = 1.
        CHECK(dot(a, ones, 4, 1, os, engine, Tile{1, 1, 3}) == 1);
        CHECK(dot(a, ones, 4, 1, ws, engine, Tile{1, 1, 3}) == 1);
        // Tiles of one k and two lanes: no pairs; 1e8 + 1 - 1e8 + 1, one after the other, in the accumulator.
        CHECK(dot(a, ones, 4, 2, ws, engine, Tile{1, 1, 1}) == 1);
    }
}

TEST_CASE("infinities, NaNs, subnormals and signs of zero are those of fp32", "[values]") {
    const double tiny = std::ldexp(1.0, -75);
    for (const auto engine : {EngineKind::structural, EngineKind::flat}) {
        for (const auto dataflow : {ws, os, is}) {
            INFO(name(engine) << " " << short_name(dataflow));
            CHECK(dot({3e38, 3e38}, {1, 1}, 2, 1, dataflow, engine) == infinity);
            CHECK(std::isnan(dot({infinity, infinity}, {1, -1}, 2, 1, dataflow, engine)));
            CHECK(std::isnan(dot({infinity, 1}, {0, 1}, 2, 1, dataflow, engine)));
            CHECK(dot({tiny, 0}, {tiny, 0}, 2, 1, dataflow, engine) == 0); // 2^-150: halfway to 2^-149, even
            CHECK(dot({2 * tiny, 0}, {tiny, 0}, 2, 1, dataflow, engine) == std::ldexp(1.0, -149));
            const double zero = dot({-1, -1}, {0, 0}, 2, 1, dataflow, engine); // 0 + -0 + -0
            CHECK(zero == 0);
            CHECK_FALSE(std::signbit(zero));
            // A column beyond K and idle PEs add 0 and change nothing, next to an infinity neither.
            CHECK(dot({infinity, 1, 1}, {1, 1, 1}, 2, 2, dataflow, engine) == infinity);
        }
    }
}

TEST_CASE("a wrong sum is found, wherever it is", "[values]") {
    Machine machine = ideal_machine(4, 4);
    machine.macs_per_pe_cycle = {{Format::bf16, 1}, {Format::int8, 1}};
    for (const Format format : {Format::int8, Format::bf16}) {
        for (const auto dataflow : {ws, os, is}) {
            const auto problem = problem_of(9, 70, 11, {format, format, format});
            auto options = run_options(EngineKind::flat, dataflow, DataOrigin::vmem);
            options.tile = Tile{5, 6, 4};
            const auto plan = make_plan(machine, problem, options);
            auto values = random_values(problem, 1);
            auto run = machine_run(plan, EngineKind::flat, options);
            run.values = &values;
            run_machine(machine, run);
            const auto blocks = sum_blocks(plan.shares, plan.limits);
            CHECK(first_difference(problem, values, blocks, 1) == -1);
            for (const std::int64_t at : {0, 69, 70, 333, 629}) {
                values.c[at] ^= 1;
                CHECK(first_difference(problem, values, blocks, 1) == at);
                values.c[at] ^= 1;
            }
        }
    }
}
