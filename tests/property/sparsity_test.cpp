// Structured sparsity of B on random arrays, formats and masks: products, bytes, and the speed-ups that analysis
// promises. That cycles and counts agree between the engines is for tests/equivalence, whose machines are sparse as
// often as not.
#include <cmath>

#include "pe/sparsity.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr std::array patterns{SparsePattern{2, 4}, SparsePattern{1, 4}, SparsePattern{4, 8}, SparsePattern{1, 2}};
constexpr std::array operand_formats{Format::int8, Format::int4, Format::bf16, Format::fp16, Format::fp8_e4m3};

// Whole numbers that every format holds, as sparse as `pattern` says or more.
GivenMatrix any_sparse_matrix(SparsePattern pattern, std::int64_t k, std::int64_t n) {
    std::vector<float> b;
    for (std::int64_t i = 0; i < k * n; ++i)
        b.push_back(static_cast<float>(*rc::gen::inRange(-6, 7)));
    prune_at_random(pattern, b, k, n, *rc::gen::inRange<std::uint64_t>(0, 1000));
    return {k, n, std::vector<double>(b.begin(), b.end()), "B"};
}

std::vector<double> product(const Machine& machine, const GemmProblem& problem, const GivenMatrix& b, EngineKind engine,
                            Dataflow dataflow) {
    std::vector<double> c;
    RunOptions options = run_options(engine, dataflow, DataOrigin::vmem);
    options.given.b = b;
    options.take_result = [&](const GemmProblem&, const std::vector<double>& result) { c = result; };
    run_one(machine, problem, options);
    return c;
}

Cycles cycles(const Machine& machine, GemmProblem problem, SparsePattern sparsity, DataOrigin from) {
    problem.sparsity = sparsity;
    return run_one(machine, problem, run_options(EngineKind::tile, ws, from)).cycles;
}

double speed_up(const Machine& machine, const GemmProblem& problem, DataOrigin from) {
    const auto dense = cycles(machine, problem, dense_pattern, from);
    return static_cast<double>(dense) / static_cast<double>(cycles(machine, problem, {2, 4}, from));
}

GemmProblem in_format(GemmProblem problem, Format format) {
    problem.formats = {format, format, format};
    return problem;
}

Machine big_machine(Format format) {
    Machine machine = ideal_machine(128, 128);
    machine.macs_per_pe_cycle = {{format, 1}};
    return machine;
}

} // namespace

TEST_CASE("a sparse product is, bit for bit, the dense product of the pruned matrix") {
    for_each_engine([](EngineKind engine) {
        if (!computes_values(engine))
            return;
        check_property("dense and sparse products", 400, [&] {
            const auto pattern = *rc::gen::elementOf(patterns).as("pattern");
            const auto format = *rc::gen::elementOf(operand_formats).as("format");
            const auto dataflow = *rc::gen::element(ws, os, is).as("dataflow");
            const auto rows = *rc::gen::inRange(4, 13).as("rows");
            // In floats the order of the additions counts: both runs must add all of K in one pass.
            const bool ordered = !is_integer(format) && dataflow != os;
            const auto k = *rc::gen::inRange<std::int64_t>(1, ordered ? rows + 1 : 40).as("k");
            const auto m = *rc::gen::inRange<std::int64_t>(1, 12).as("m");
            const auto n = *rc::gen::inRange<std::int64_t>(1, 12).as("n");
            Machine machine = ideal_machine(rows, *rc::gen::inRange(1, 9));
            machine.macs_per_pe_cycle = {{format, 1}};
            GemmProblem problem = gemm(m, n, k);
            problem.formats = {format, format, is_integer(format) ? Format::int32 : Format::fp32};
            const auto b = any_sparse_matrix(pattern, k, n);
            const auto dense = product(machine, problem, b, engine, dataflow);
            problem.sparsity = pattern;
            RC_ASSERT(product(machine, problem, b, engine, dataflow) == dense);
        });
    });
}

TEST_CASE("a sparse B moves 1/2 + 1/b of the bytes, to the byte") {
    check_property("bytes", 300, [] {
        const auto format = *rc::gen::elementOf(operand_formats).as("format");
        const auto k = 4 * *rc::gen::inRange<std::int64_t>(1, 20).as("k / 4");
        const auto n = 2 * *rc::gen::inRange<std::int64_t>(1, 20).as("n / 2"); // whole bytes of int4 and of indices
        Machine machine = ideal_machine(*rc::gen::inRange(2, 9), *rc::gen::inRange(1, 5) * 2);
        machine.macs_per_pe_cycle = {{format, 1}};
        const auto dataflow = *rc::gen::element(ws, os, is).as("dataflow");
        auto problem = in_format(gemm(*rc::gen::inRange<std::int64_t>(1, 5) * 2, n, k), format);
        const auto moved = [&](SparsePattern sparsity) {
            problem.sparsity = sparsity;
            const auto t = run_one(machine, problem, run_options(EngineKind::tile, dataflow, DataOrigin::host)).traffic;
            return t.pcie.write.b + t.pcie.write.meta;
        };
        const Bytes dense = moved(dense_pattern);
        RC_ASSERT(dense * 8 == k * n * bits(format));
        RC_ASSERT(moved({2, 4}) * 8 == k * n / 2 * bits(format) + k * n); // half of the values, a bit for each of B
    });
}

TEST_CASE("2:4, bandwidth-bound: 16 bits approach 1.78, 8 bits 1.60") {
    const auto of = [](Format format) {
        Machine machine = big_machine(format);
        machine.hbm.bandwidth = 100'000'000'000;
        return speed_up(machine, in_format(gemm(1, 8192, 8192), format), DataOrigin::hbm);
    };
    // 1 / (1/2 + 1/b); A and C are 1/4096 of the bytes.
    CHECK(of(Format::int8) == Approx(1.6).epsilon(0.005));
    CHECK(of(Format::int8) < 1.6);
    CHECK(of(Format::bf16) == Approx(16.0 / 9).epsilon(0.005));
    CHECK(of(Format::bf16) < 16.0 / 9);
}

TEST_CASE("2:4, compute-bound: a large product approaches 2") {
    const auto gain = speed_up(big_machine(Format::int8), gemm(4096, 2048, 8192), DataOrigin::vmem);
    CHECK(gain > 1.999);
    CHECK(gain < 2);
}

TEST_CASE("2:4, K <= R: exactly 1") {
    check_property("no gain", 200, [] {
        const auto rows = 2 * *rc::gen::inRange(1, 9).as("rows / 2");
        const auto k = *rc::gen::inRange<std::int64_t>(1, rows + 1).as("k");
        RC_PRE(ceil_div(k, 4) * 2 <= rows);
        const auto problem = gemm(*rc::gen::inRange<std::int64_t>(1, 30), *rc::gen::inRange<std::int64_t>(1, 30), k);
        RC_ASSERT(speed_up(ideal_machine(rows, *rc::gen::inRange(1, 9)), problem, DataOrigin::vmem) == 1.0);
    });
}
