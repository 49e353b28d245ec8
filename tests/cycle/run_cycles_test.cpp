// Whole runs with operands resident in an ideal VMEM: expected cycles derived by hand, term by term.
//
// E = edge_latency + mac_latency - 1 = 1 unless a test says otherwise. Weight- and input-stationary terms, in order:
// load of the first stationary tile, intervals of all passes but the last, last pass's vectors, R + C - 2, E.
#include <catch2/catch.hpp>

#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

void check_cycles(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, std::int64_t passes,
                  Cycles expected) {
    for_each_engine([&](EngineKind engine) {
        const OperatorResult result = run_from_vmem(machine, problem, dataflow, engine);
        INFO(problem.m << "x" << problem.n << "x" << problem.k << " " << short_name(dataflow) << " on "
                       << machine.array.rows << "x" << machine.array.cols);
        CHECK(result.passes == passes);
        CHECK(result.cycles == expected);
    });
}

} // namespace

TEST_CASE("weight-stationary, a single pass") {
    // load R, then S + R + C - 2 + E
    check_cycles(ideal_machine(1, 1), gemm(1, 1, 1), ws, 1, 1 + 1 + 1 + 1 - 2 + 1);       // 3
    check_cycles(ideal_machine(2, 2), gemm(1, 2, 2), ws, 1, 2 + 1 + 2 + 2 - 2 + 1);       // 6
    check_cycles(ideal_machine(3, 3), gemm(7, 3, 3), ws, 1, 3 + 7 + 3 + 3 - 2 + 1);       // 15
    check_cycles(ideal_machine(4, 4), gemm(4, 4, 4), ws, 1, 4 + 4 + 4 + 4 - 2 + 1);       // 15
    check_cycles(ideal_machine(4, 8), gemm(5, 8, 4), ws, 1, 4 + 5 + 4 + 8 - 2 + 1);       // 20
    check_cycles(ideal_machine(8, 4), gemm(5, 4, 8), ws, 1, 8 + 5 + 8 + 4 - 2 + 1);       // 24
    check_cycles(ideal_machine(16, 16), gemm(16, 16, 16), ws, 1, 16 + 16 + 16 + 16 - 2 + 1); // 63
    check_cycles(ideal_machine(1, 16), gemm(9, 16, 1), ws, 1, 1 + 9 + 1 + 16 - 2 + 1);    // 26
    check_cycles(ideal_machine(16, 1), gemm(9, 1, 16), ws, 1, 16 + 9 + 16 + 1 - 2 + 1);   // 41
}

TEST_CASE("weight-stationary, a tile smaller than the array still crosses all of it") {
    // K = 2 of 4 rows, N = 3 of 8 columns: the terms are those of the full 4x8 array.
    check_cycles(ideal_machine(4, 8), gemm(5, 3, 2), ws, 1, 4 + 5 + 4 + 8 - 2 + 1);
    check_cycles(ideal_machine(16, 16), gemm(1, 1, 1), ws, 1, 16 + 1 + 16 + 16 - 2 + 1);
}

TEST_CASE("weight-stationary, passes back to back, double-buffered") {
    // passes = ceil(K/R) * ceil(N/C); interval max(S, R)
    check_cycles(ideal_machine(1, 1), gemm(5, 2, 3), ws, 3 * 2, 1 + 5 * 5 + 5 + 1 + 1 - 2 + 1);
    check_cycles(ideal_machine(2, 2), gemm(3, 5, 5), ws, 3 * 3, 2 + 8 * 3 + 3 + 2 + 2 - 2 + 1);
    check_cycles(ideal_machine(3, 3), gemm(6, 6, 3), ws, 1 * 2, 3 + 1 * 6 + 6 + 3 + 3 - 2 + 1);
    check_cycles(ideal_machine(4, 4), gemm(10, 12, 8), ws, 2 * 3, 4 + 5 * 10 + 10 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 8), gemm(10, 20, 9), ws, 3 * 3, 4 + 8 * 10 + 10 + 4 + 8 - 2 + 1);
    check_cycles(ideal_machine(8, 4), gemm(9, 9, 20), ws, 3 * 3, 8 + 8 * 9 + 9 + 8 + 4 - 2 + 1);
    check_cycles(ideal_machine(16, 16), gemm(20, 48, 32), ws, 2 * 3, 16 + 5 * 20 + 20 + 16 + 16 - 2 + 1);
}

TEST_CASE("weight-stationary, fewer vectors than rows wait for the next tile's load") {
    // S < R: the interval is R
    check_cycles(ideal_machine(3, 3), gemm(2, 6, 3), ws, 2, 3 + 1 * 3 + 2 + 3 + 3 - 2 + 1);
    check_cycles(ideal_machine(4, 4), gemm(1, 8, 8), ws, 4, 4 + 3 * 4 + 1 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(16, 16), gemm(7, 33, 40), ws, 3 * 3, 16 + 8 * 16 + 7 + 16 + 16 - 2 + 1);
    check_cycles(ideal_machine(16, 4), gemm(3, 7, 33), ws, 3 * 2, 16 + 5 * 16 + 3 + 16 + 4 - 2 + 1);
}

TEST_CASE("input-stationary: N is streamed, M lies along the columns") {
    // passes = ceil(K/R) * ceil(M/C), S = N
    check_cycles(ideal_machine(1, 1), gemm(1, 1, 1), is, 1, 1 + 1 + 1 + 1 - 2 + 1);
    check_cycles(ideal_machine(2, 2), gemm(5, 3, 5), is, 3 * 3, 2 + 8 * 3 + 3 + 2 + 2 - 2 + 1);
    check_cycles(ideal_machine(4, 4), gemm(4, 9, 4), is, 1, 4 + 9 + 4 + 4 - 2 + 1);
    check_cycles(ideal_machine(4, 8), gemm(20, 10, 9), is, 3 * 3, 4 + 8 * 10 + 10 + 4 + 8 - 2 + 1);
    check_cycles(ideal_machine(8, 4), gemm(5, 2, 17), is, 3 * 2, 8 + 5 * 8 + 2 + 8 + 4 - 2 + 1);
    check_cycles(ideal_machine(16, 16), gemm(17, 30, 16), is, 2, 16 + 1 * 30 + 30 + 16 + 16 - 2 + 1);
}

TEST_CASE("output-stationary, a single pass, results shift out along the columns") {
    // no load; S = K; S + R + C - 2 + D + E with D = R
    check_cycles(ideal_machine(1, 1), gemm(1, 1, 1), os, 1, 1 + 1 + 1 - 2 + 1 + 1);      // 3
    check_cycles(ideal_machine(2, 2), gemm(2, 2, 5), os, 1, 5 + 2 + 2 - 2 + 2 + 1);      // 10
    check_cycles(ideal_machine(3, 3), gemm(2, 3, 1), os, 1, 1 + 3 + 3 - 2 + 3 + 1);      // 9
    check_cycles(ideal_machine(4, 8), gemm(4, 8, 12), os, 1, 12 + 4 + 8 - 2 + 4 + 1);    // 27
    check_cycles(ideal_machine(16, 16), gemm(16, 16, 16), os, 1, 16 + 16 + 16 - 2 + 16 + 1); // 63
}

TEST_CASE("output-stationary, results shift out behind the next pass") {
    // passes = ceil(M/R) * ceil(N/C); interval max(S, D)
    check_cycles(ideal_machine(1, 1), gemm(2, 2, 3), os, 4, 3 * 3 + 3 + 1 + 1 - 2 + 1 + 1);
    check_cycles(ideal_machine(4, 4), gemm(9, 5, 7), os, 3 * 2, 5 * 7 + 7 + 4 + 4 - 2 + 4 + 1);
    check_cycles(ideal_machine(4, 8), gemm(8, 16, 10), os, 2 * 2, 3 * 10 + 10 + 4 + 8 - 2 + 4 + 1);
    // K = 3 < D = 8: the drain sets the interval
    check_cycles(ideal_machine(8, 4), gemm(16, 8, 3), os, 2 * 2, 3 * 8 + 3 + 8 + 4 - 2 + 8 + 1);
    check_cycles(ideal_machine(16, 16), gemm(17, 33, 5), os, 2 * 3, 5 * 16 + 5 + 16 + 16 - 2 + 16 + 1);
}

TEST_CASE("output-stationary, results shift out along the rows, or are not modelled") {
    Machine machine = ideal_machine(4, 8);
    machine.array.drain_axis = DrainAxis::rows; // D = C = 8
    check_cycles(machine, gemm(4, 8, 12), os, 1, 12 + 4 + 8 - 2 + 8 + 1);
    check_cycles(machine, gemm(8, 8, 3), os, 2, 1 * 8 + 3 + 4 + 8 - 2 + 8 + 1);
    machine.array.drain_axis = DrainAxis::none; // D = 0
    check_cycles(machine, gemm(4, 8, 12), os, 1, 12 + 4 + 8 - 2 + 0 + 1);
    check_cycles(machine, gemm(8, 8, 3), os, 2, 1 * 3 + 3 + 4 + 8 - 2 + 0 + 1);
}

TEST_CASE("output-stationary with one accumulator buffer drains before the next pass") {
    // T * (S + R + C - 2 + D + E)
    Machine machine = ideal_machine(4, 8);
    machine.array.accumulator_buffers = 1;
    check_cycles(machine, gemm(4, 8, 12), os, 1, 1 * (12 + 4 + 8 - 2 + 4 + 1));
    check_cycles(machine, gemm(8, 16, 12), os, 4, 4 * (12 + 4 + 8 - 2 + 4 + 1));
    machine.array.drain_axis = DrainAxis::none;
    check_cycles(machine, gemm(9, 10, 2), os, 3 * 2, 6 * (2 + 4 + 8 - 2 + 0 + 1));
}

TEST_CASE("one weight buffer: load, stream, drain, then the next") {
    // T * (R + S + R + C - 2 + E), counted from the first stationary row
    Machine machine = ideal_machine(4, 8);
    machine.array.weight_buffers = 1;
    check_cycles(machine, gemm(5, 8, 4), ws, 1, 1 * (4 + 5 + 4 + 8 - 2 + 1));
    check_cycles(machine, gemm(10, 20, 9), ws, 9, 9 * (4 + 10 + 4 + 8 - 2 + 1));
    check_cycles(machine, gemm(2, 16, 4), ws, 2, 2 * (4 + 2 + 4 + 8 - 2 + 1));
    check_cycles(machine, gemm(20, 10, 9), is, 9, 9 * (4 + 10 + 4 + 8 - 2 + 1));
}

TEST_CASE("a drained swap keeps two tile switches a period apart") {
    // interval max(S, P)
    Machine machine = ideal_machine(4, 4);
    machine.array.swap = Swap::drained;
    machine.array.swap_period = 2 * 4 + 3; // 11
    check_cycles(machine, gemm(4, 12, 4), ws, 3, 4 + 2 * 11 + 4 + 4 + 4 - 2 + 1);
    check_cycles(machine, gemm(15, 12, 4), ws, 3, 4 + 2 * 15 + 15 + 4 + 4 - 2 + 1);
    check_cycles(machine, gemm(12, 6, 4), is, 3, 4 + 2 * 11 + 6 + 4 + 4 - 2 + 1);
    check_cycles(machine, gemm(4, 4, 4), ws, 1, 4 + 4 + 4 + 4 - 2 + 1); // nothing to switch to
}

TEST_CASE("pipeline stages and edge registers add to the latency once") {
    Machine machine = ideal_machine(4, 4);
    machine.array.edge_latency = 2;
    machine.array.mac_latency = 3; // E = 2 + 3 - 1 = 4
    check_cycles(machine, gemm(6, 4, 4), ws, 1, 4 + 6 + 4 + 4 - 2 + 4);
    check_cycles(machine, gemm(6, 12, 4), ws, 3, 4 + 2 * 6 + 6 + 4 + 4 - 2 + 4);
    check_cycles(machine, gemm(8, 8, 6), os, 4, 3 * 6 + 6 + 4 + 4 - 2 + 4 + 4);
    machine.array.edge_latency = 0;
    machine.array.mac_latency = 1; // E = 0
    check_cycles(machine, gemm(6, 4, 4), ws, 1, 4 + 6 + 4 + 4 - 2 + 0);
    check_cycles(machine, gemm(1, 1, 1), ws, 1, 4 + 1 + 4 + 4 - 2 + 0);
}

TEST_CASE("inputs broadcast along a row save the way across the columns") {
    Machine machine = ideal_machine(4, 8);
    machine.array.propagation = Propagation::broadcast_rows; // R - 1 instead of R + C - 2
    check_cycles(machine, gemm(5, 8, 4), ws, 1, 4 + 5 + 4 - 1 + 1);
    check_cycles(machine, gemm(10, 20, 9), ws, 9, 4 + 8 * 10 + 10 + 4 - 1 + 1);
    check_cycles(machine, gemm(20, 10, 9), is, 9, 4 + 8 * 10 + 10 + 4 - 1 + 1);
    check_cycles(machine, gemm(4, 8, 6), os, 1, 6 + 4 - 1 + 4 + 1);
}

TEST_CASE("min_rows is the least interval between two passes") {
    Machine machine = ideal_machine(2, 2);
    machine.array.min_rows = 5;
    check_cycles(machine, gemm(1, 6, 2), ws, 3, 2 + 2 * 5 + 1 + 2 + 2 - 2 + 1);
    check_cycles(machine, gemm(7, 6, 2), ws, 3, 2 + 2 * 7 + 7 + 2 + 2 - 2 + 1);
    check_cycles(machine, gemm(2, 6, 3), os, 3, 2 * 5 + 3 + 2 + 2 - 2 + 2 + 1);
}

TEST_CASE("the latency of VMEM delays a run once") {
    Machine machine = ideal_machine(4, 4);
    machine.vmem.read_latency = 3;
    check_cycles(machine, gemm(6, 12, 4), ws, 3, 3 + 4 + 2 * 6 + 6 + 4 + 4 - 2 + 1);
    check_cycles(machine, gemm(12, 6, 4), is, 3, 3 + 4 + 2 * 6 + 6 + 4 + 4 - 2 + 1);
    check_cycles(machine, gemm(4, 8, 6), os, 2, 3 + 1 * 6 + 6 + 4 + 4 - 2 + 4 + 1);
}

TEST_CASE("two MACs per PE and cycle halve the passes along K, or the steps of an output-stationary pass") {
    Machine machine = ideal_machine(4, 4);
    machine.macs_per_pe_cycle = {{Format::int8, 2}};
    // K = 16 of 2*4 a pass: 2 passes
    check_cycles(machine, gemm(6, 4, 16), ws, 2, 4 + 1 * 6 + 6 + 4 + 4 - 2 + 1);
    check_cycles(machine, gemm(6, 4, 17), ws, 3, 4 + 2 * 6 + 6 + 4 + 4 - 2 + 1);
    check_cycles(machine, gemm(4, 6, 16), is, 2, 4 + 1 * 6 + 6 + 4 + 4 - 2 + 1);
    // S = ceil(9/2) = 5
    check_cycles(machine, gemm(4, 4, 9), os, 1, 5 + 4 + 4 - 2 + 4 + 1);
}

TEST_CASE("a tile of fewer rows than M costs nothing where its vectors cover the next load") {
    // M = 16 in tiles of 8: twice the passes of half the length; 8 >= R, so every interval is 8.
    Machine machine = ideal_machine(4, 4);
    for_each_engine([&](EngineKind engine) {
        RunOptions options = run_options(engine, ws, DataOrigin::vmem);
        options.tile = Tile{8, 8, 4};
        const OperatorResult result = run_one(machine, gemm(16, 8, 4), options);
        CHECK(result.passes == 4);
        CHECK(result.cycles == 4 + 3 * 8 + 8 + 4 + 4 - 2 + 1);
    });
}

TEST_CASE("arrays of a core and cores of a chip share the columns of a result") {
    // 4 columns each: 2 x 2 arrays do in one pass what one does with N = 4.
    Machine machine = ideal_machine(4, 4);
    machine.array.count = 2;
    for_each_engine([&](EngineKind engine) {
        CHECK(run_from_vmem(machine, gemm(6, 8, 4), ws, engine).cycles == 4 + 6 + 4 + 4 - 2 + 1);
        CHECK(run_from_vmem(machine, gemm(6, 16, 8), ws, engine).cycles == 4 + 3 * 6 + 6 + 4 + 4 - 2 + 1);
        Machine two_cores = machine;
        two_cores.cores = 2;
        CHECK(run_from_vmem(two_cores, gemm(6, 16, 4), ws, engine).cycles == 4 + 6 + 4 + 4 - 2 + 1);
    });
}

TEST_CASE("operators of a network follow one another") {
    const Machine machine = ideal_machine(4, 4);
    for_each_engine([&](EngineKind engine) {
        const RunResult result =
            simulate(machine, {gemm(4, 4, 4), gemm(5, 8, 4)}, run_options(engine, ws, DataOrigin::vmem));
        REQUIRE(result.operators.size() == 2);
        CHECK(result.operators[0].cycles == 4 + 4 + 4 + 4 - 2 + 1);
        CHECK(result.operators[1].cycles == 4 + 1 * 5 + 5 + 4 + 4 - 2 + 1);
        CHECK(result.total.cycles == result.operators[0].cycles + result.operators[1].cycles);
    });
}
