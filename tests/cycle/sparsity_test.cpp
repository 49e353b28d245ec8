// Structured sparsity of B: expected cycles derived by hand, term by term. Operands in an ideal VMEM unless a test says
// otherwise; E = 1. The terms are those of run_cycles_test.cpp; what sparsity changes is the number of passes along K
// (WS, IS: as many groups as R * q PEs hold values of) or of steps (OS: the values of each group).
#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

GemmProblem sparse(GemmProblem problem, int keep = 2, int group = 4) {
    problem.sparsity = {keep, group};
    return problem;
}

void check_cycles(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, std::int64_t passes,
                  Cycles expected) {
    for_each_engine([&](EngineKind engine) {
        const OperatorResult result = run_from_vmem(machine, problem, dataflow, engine);
        INFO(problem.m << "x" << problem.n << "x" << problem.k << " " << name(problem.sparsity) << " "
                       << short_name(dataflow) << " on " << machine.array.rows << "x" << machine.array.cols);
        CHECK(result.passes == passes);
        CHECK(result.cycles == expected);
    });
}

Machine with_rate(Machine machine, int q) {
    machine.macs_per_pe_cycle = {{Format::int8, q}};
    return machine;
}

} // namespace

TEST_CASE("2:4, weight-stationary: two rows of PEs serve a group") {
    // 4 rows: 2 groups, 8 of K, in a pass where dense has 4 of K.
    check_cycles(ideal_machine(4, 4), gemm(4, 4, 16), ws, 4, 4 + 3 * 4 + 4 + 4 + 4 - 2 + 1);         // 27
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 16)), ws, 2, 4 + 1 * 4 + 4 + 4 + 4 - 2 + 1); // 19
    // Longer streams and several columns: 3 groups of columns, K = 24 in 3 passes instead of 6.
    check_cycles(ideal_machine(4, 4), gemm(10, 12, 24), ws, 6 * 3, 4 + 17 * 10 + 10 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 4), sparse(gemm(10, 12, 24)), ws, 3 * 3, 4 + 8 * 10 + 10 + 4 + 4 - 2 + 1);
}

TEST_CASE("2:4, K <= R: exactly as fast as dense") {
    check_cycles(ideal_machine(4, 4), gemm(4, 4, 4), ws, 1, 4 + 4 + 4 + 4 - 2 + 1);         // 15
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 4)), ws, 1, 4 + 4 + 4 + 4 - 2 + 1); // 15
    check_cycles(ideal_machine(16, 16), gemm(9, 16, 16), is, 1, 16 + 16 + 16 + 16 - 2 + 1);
    check_cycles(ideal_machine(16, 16), sparse(gemm(9, 16, 16)), is, 1, 16 + 16 + 16 + 16 - 2 + 1);
}

TEST_CASE("2:4, ragged last group: it takes a pair of rows as every other") {
    // K = 6: groups of 4 and 2, one pass. K = 9: groups of 4, 4 and 1, two passes; dense ceil(9 / 4) = 3.
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 6)), ws, 1, 4 + 4 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 4), gemm(4, 4, 9), ws, 3, 4 + 2 * 4 + 4 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 9)), ws, 2, 4 + 1 * 4 + 4 + 4 + 4 - 2 + 1);
}

TEST_CASE("2:4, an odd row of PEs is left over") {
    // floor(5 / 2) = 2 groups a pass: K = 16 in 2 passes, S = 4 < R = 5.
    check_cycles(ideal_machine(5, 4), sparse(gemm(4, 4, 16)), ws, 2, 5 + 1 * 5 + 4 + 5 + 4 - 2 + 1);
    check_cycles(ideal_machine(3, 4), sparse(gemm(4, 4, 16)), ws, 4, 3 + 3 * 4 + 4 + 3 + 4 - 2 + 1);
}

TEST_CASE("2:4, input-stationary: PEs hold a group of activations, the streamed values pick") {
    // Columns of B stream: S = N = 6; columns of the array span M.
    check_cycles(ideal_machine(4, 4), gemm(4, 6, 16), is, 4, 4 + 3 * 6 + 6 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 6, 16)), is, 2, 4 + 1 * 6 + 6 + 4 + 4 - 2 + 1);
}

TEST_CASE("2:4, output-stationary: steps are the values of each group, fill and drain stay") {
    // S + R + C - 2 + D + E with D = R = 4.
    check_cycles(ideal_machine(4, 4), gemm(4, 4, 8), os, 1, 8 + 4 + 4 - 2 + 4 + 1);         // 19
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 8)), os, 1, 4 + 4 + 4 - 2 + 4 + 1); // 15
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 7)), os, 1, 4 + 4 + 4 - 2 + 4 + 1); // 2 + min(2, 3)
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 5)), os, 1, 3 + 4 + 4 - 2 + 4 + 1); // 2 + min(2, 1)
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 1)), os, 1, 1 + 4 + 4 - 2 + 4 + 1); // no gain at K = 1
    // It needs no pairs of rows.
    check_cycles(ideal_machine(1, 1), sparse(gemm(1, 1, 8)), os, 1, 4 + 1 + 1 - 2 + 1 + 1);
}

TEST_CASE("other N:M: N rows serve a group of M") {
    // 1:4: 4 groups, all of K = 16, in a pass. 4:8: one group. 1:2: 4 groups, 8 of K.
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 16), 1, 4), ws, 1, 4 + 4 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 16), 4, 8), ws, 2, 4 + 1 * 4 + 4 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 16), 1, 2), is, 2, 4 + 1 * 4 + 4 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 16), 1, 4), os, 1, 4 + 4 + 4 - 2 + 4 + 1);
    check_cycles(ideal_machine(4, 4), sparse(gemm(4, 4, 16), 4, 8), os, 1, 8 + 4 + 4 - 2 + 4 + 1);
}

TEST_CASE("2:4 and several MACs per PE and cycle: a PE holds q neighbouring values") {
    // q = 2: 4 rows hold 8 values = 4 groups = 16 of K; 3 rows 3 groups = 12 of K: no row is left over.
    check_cycles(with_rate(ideal_machine(4, 4), 2), sparse(gemm(4, 4, 32)), ws, 2, 4 + 1 * 4 + 4 + 4 + 4 - 2 + 1);
    check_cycles(with_rate(ideal_machine(3, 4), 2), sparse(gemm(4, 4, 24)), ws, 2, 3 + 1 * 4 + 4 + 3 + 4 - 2 + 1);
    // OS: K = 16 are 8 values, 4 steps of 2.
    check_cycles(with_rate(ideal_machine(4, 4), 2), sparse(gemm(4, 4, 16)), os, 1, 4 + 4 + 4 - 2 + 4 + 1);
}

TEST_CASE("2:4: a VMEM that cannot feed twice the activations stalls the stream") {
    // M = 8, N = 1, K = 8 at 4 bytes a cycle. The tile, 4 values and 4 indices of 2 bits, 5 bytes, shifts in within the
    // R = 4 cycles 0..3. A vector is 8 activations = 2 cycles: 8 vectors enter in cycles 5, 7, ... 19, with 8 bubbles.
    // The last result leaves in 19 + R + C - 2 + E = 26. The stream takes all 4 bytes of every cycle, so the 8 results
    // of a byte each, one a cycle, are written behind it, in cycles 20..27: the run takes 28 cycles, one of them
    // VMEM's.
    auto machine = ideal_machine(4, 4);
    machine.vmem.bandwidth = 4;
    for_each_engine([&](EngineKind engine) {
        const OperatorResult result = run_from_vmem(machine, sparse(gemm(8, 1, 8)), ws, engine);
        CHECK(result.cycles == 28);
        CHECK(result.stack[Cause::vmem] == (8 + 1) * 16);
        CHECK(result.stack[Cause::stationary_load] == 4 * 16);
        CHECK(result.stack[Cause::fill_drain] == 7 * 16);
        CHECK(result.stack[Cause::useful] == 8 * 4);
        CHECK(result.traffic.vmem.read.a == 8 * 8);
        CHECK(result.traffic.vmem.read.b == 4);
        CHECK(result.traffic.vmem.read.meta == 1);
    });
}

TEST_CASE("2:4: registers, values and indices") {
    // K = 8 on 4x4: rows 0..3 hold the values of 2 groups. M = 3, N = 2.
    for_each_engine([&](EngineKind engine) {
        const auto& pe = run_from_vmem(ideal_machine(4, 4), sparse(gemm(3, 2, 8)), ws, engine).traffic.pe;
        CHECK(pe.read.a == 3 * 2 * 4); // a MAC reads the activation it has picked, its value, its index
        CHECK(pe.read.b == 3 * 2 * 4);
        CHECK(pe.read.meta == 3 * 2 * 4 * 2 / 8);
        CHECK(pe.write.a == 3 * 2 * 4 * 4);           // each PE sees the 4 activations of its group
        CHECK(pe.write.b == 2 * (1 + 2 + 3 + 4));     // on their way down
        CHECK(pe.write.meta == (2 * 10 * 2 + 7) / 8); // 20 indices of 2 bits
        CHECK(pe.write.psum == 4 * 3 * 2 * 4);
    });
}

TEST_CASE("stored bytes of a sparse B: 1/2 + 1/b of dense for b-bit values") {
    // K = 16, N = 12: 8 * 12 values and 4 * 4 * 12 bits of indices.
    for (const auto& [format, values] :
         {std::pair{Format::int8, 96}, std::pair{Format::bf16, 192}, std::pair{Format::int4, 48}}) {
        auto machine = ideal_machine(4, 4);
        machine.macs_per_pe_cycle = {{format, 1}};
        auto problem = sparse(gemm(4, 12, 16));
        problem.formats = {format, format, format};
        RunOptions options = run_options(EngineKind::tile, ws, DataOrigin::host);
        const auto& t = run_one(machine, problem, options).traffic;
        for (const auto* operand : {&t.pcie.write, &t.hbm.write, &t.hbm.read, &t.vmem.write, &t.vmem.read}) {
            CHECK(operand->b == values);
            CHECK(operand->meta == 24);
        }
    }
}

TEST_CASE("what the array cannot hold or a tile would cut is refused") {
    const auto refused = [](const Machine& machine, const GemmProblem& problem, const RunOptions& options) {
        try {
            run_one(machine, problem, options);
        } catch (const InputError& error) {
            return error.diagnostics().front().message;
        }
        return std::string("accepted");
    };
    auto options = run_options(EngineKind::tile, ws, DataOrigin::vmem);
    CHECK_THAT(refused(ideal_machine(1, 4), sparse(gemm(4, 4, 8)), options), Catch::Contains("--dataflow os"));
    CHECK_THAT(refused(with_rate(ideal_machine(4, 4), 3), sparse(gemm(4, 4, 8)), options),
               Catch::Contains("3 MACs a cycle"));
    CHECK_THAT(refused(ideal_machine(4, 4), sparse(gemm(4, 4, 8), 3, 8), options), Catch::Contains("sparsity 3:8"));
    options.from = DataOrigin::hbm;
    options.tile = Tile{4, 4, 6};
    CHECK_THAT(refused(ideal_machine(4, 4), sparse(gemm(4, 4, 8)), options), Catch::Contains("multiple of 4"));
}
