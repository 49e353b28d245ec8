// Where the cycles of a run go, in PE-slots: each cause derived by hand from docs/model.md, "Where the cycles go".
#include <catch2/catch.hpp>

#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// Cycles of the issue port; what is not named is 0. `useful` is counted in slots already.
struct Expected {
    std::int64_t useful = 0;
    std::int64_t issued = 0; // cycles in which a vector enters: useful + padding
    std::int64_t stationary_load = 0;
    std::int64_t fill_drain = 0;
    std::int64_t vmem = 0;
    std::int64_t control = 0;
};

void check_stack(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, const Expected& expected) {
    const std::int64_t slots = machine.pe_count() * machine.macs_per_pe_cycle.at(Format::int8);
    for_each_engine([&](EngineKind engine) {
        const OperatorResult result = run_from_vmem(machine, problem, dataflow, engine);
        INFO(problem.m << "x" << problem.n << "x" << problem.k << " " << short_name(dataflow));
        CHECK(result.stack[Cause::useful] == expected.useful);
        CHECK(result.stack[Cause::padding] == expected.issued * slots - expected.useful);
        CHECK(result.stack[Cause::stationary_load] == expected.stationary_load * slots);
        CHECK(result.stack[Cause::fill_drain] == expected.fill_drain * slots);
        CHECK(result.stack[Cause::vmem] == expected.vmem * slots);
        CHECK(result.stack[Cause::control] == expected.control * slots);
        CHECK(result.stack.total() == result.pe_slots);
        CHECK(result.pe_slots == result.cycles * slots);
        CHECK(result.macs == problem.macs());
    });
}

} // namespace

TEST_CASE("stack of one weight-stationary pass that fills the array") {
    Expected expected;
    expected.useful = 6 * 4 * 8;             // M * N * K
    expected.issued = 6;                     // S: no PE is without a MAC
    expected.stationary_load = 8;            // R before the first pass
    expected.fill_drain = 8 + 4 - 2 + 1;     // R + C - 2 + E
    check_stack(ideal_machine(8, 4), gemm(6, 4, 8), ws, expected);
}

TEST_CASE("stack of ragged weight-stationary passes") {
    Expected expected; // 4x4; K = 7: tiles of 4 and 3; N = 6: tiles of 4 and 2; S = M = 5 >= R
    expected.useful = 5 * 6 * 7;
    expected.issued = 4 * 5;
    expected.stationary_load = 4;            // the others hide behind 5 vectors
    expected.fill_drain = 4 + 4 - 2 + 1;
    check_stack(ideal_machine(4, 4), gemm(5, 6, 7), ws, expected);
}

TEST_CASE("stack of weight-stationary passes shorter than a load") {
    Expected expected; // 4x4, T = 4, S = 1
    expected.useful = 1 * 8 * 8;
    expected.issued = 4 * 1;
    expected.stationary_load = 4 + 3 * (4 - 1); // R, then max(0, R - S) at each of 3 switches
    expected.fill_drain = 4 + 4 - 2 + 1;
    check_stack(ideal_machine(4, 4), gemm(1, 8, 8), ws, expected);
}

TEST_CASE("stack with one weight buffer: every pass loads, fills and drains") {
    Machine machine = ideal_machine(4, 4);
    machine.array.weight_buffers = 1;
    Expected expected; // T = 4, S = 5
    expected.useful = 5 * 6 * 7;
    expected.issued = 4 * 5;
    expected.stationary_load = 4 * 4;
    expected.fill_drain = 4 * (4 + 4 - 2 + 1);
    check_stack(machine, gemm(5, 6, 7), ws, expected);
}

TEST_CASE("stack with a drained swap: what the period adds to the load is control") {
    Machine machine = ideal_machine(4, 4);
    machine.array.swap = Swap::drained;
    machine.array.swap_period = 11;
    Expected expected; // T = 3, S = 2: intervals of 11 = 2 vectors + 2 of load + 7
    expected.useful = 2 * 12 * 4;
    expected.issued = 3 * 2;
    expected.stationary_load = 4 + 2 * (4 - 2);
    expected.fill_drain = 4 + 4 - 2 + 1;
    expected.control = 2 * (11 - 4);
    check_stack(machine, gemm(2, 12, 4), ws, expected);
}

TEST_CASE("stack with min_rows above the load") {
    Machine machine = ideal_machine(2, 2);
    machine.array.min_rows = 5;
    Expected expected; // T = 3, S = 1: intervals of 5 = 1 vector + 1 of load + 3
    expected.useful = 1 * 6 * 2;
    expected.issued = 3;
    expected.stationary_load = 2 + 2 * (2 - 1);
    expected.fill_drain = 2 + 2 - 2 + 1;
    expected.control = 2 * (5 - 2);
    check_stack(machine, gemm(1, 6, 2), ws, expected);
}

TEST_CASE("stack of an input-stationary run") {
    Expected expected; // 4x8; K = 9: 3 tiles, M = 20: 3 tiles; S = N = 10
    expected.useful = 20 * 10 * 9;
    expected.issued = 9 * 10;
    expected.stationary_load = 4;
    expected.fill_drain = 4 + 8 - 2 + 1;
    check_stack(ideal_machine(4, 8), gemm(20, 10, 9), is, expected);
}

TEST_CASE("stack of output-stationary passes: no load, the last drain shows") {
    Expected expected; // 4x4; M = 9: 3 tiles, N = 5: 2; S = K = 7 >= D = 4
    expected.useful = 9 * 5 * 7;
    expected.issued = 6 * 7;
    expected.fill_drain = 4 + 4 - 2 + 1 + 4;
    check_stack(ideal_machine(4, 4), gemm(9, 5, 7), os, expected);
}

TEST_CASE("stack of output-stationary passes shorter than their drain: the port waits for the array's control") {
    Expected expected; // 8x4, T = 4, S = 3, D = 8
    expected.useful = 16 * 8 * 3;
    expected.issued = 4 * 3;
    expected.fill_drain = 8 + 4 - 2 + 1 + 8; // once
    expected.control = 3 * (8 - 3);
    check_stack(ideal_machine(8, 4), gemm(16, 8, 3), os, expected);
}

TEST_CASE("stack with one accumulator buffer: every pass fills and drains") {
    Machine machine = ideal_machine(4, 8);
    machine.array.accumulator_buffers = 1;
    Expected expected; // T = 4, S = 12
    expected.useful = 8 * 16 * 12;
    expected.issued = 4 * 12;
    expected.fill_drain = 4 * (4 + 8 - 2 + 1 + 4);
    check_stack(machine, gemm(8, 16, 12), os, expected);
}

TEST_CASE("stack with broadcast rows and a deep pipeline") {
    Machine machine = ideal_machine(4, 8);
    machine.array.propagation = Propagation::broadcast_rows;
    machine.array.mac_latency = 3; // E = 1 + 3 - 1 = 3
    Expected expected;
    expected.useful = 5 * 8 * 4;
    expected.issued = 5;
    expected.stationary_load = 4;
    expected.fill_drain = 4 - 1 + 3;
    check_stack(machine, gemm(5, 8, 4), ws, expected);
}

TEST_CASE("the latency of VMEM before the first row is a wait for VMEM") {
    Machine machine = ideal_machine(4, 4);
    machine.vmem.read_latency = 3;
    Expected expected;
    expected.useful = 5 * 4 * 4;
    expected.issued = 5;
    expected.stationary_load = 4;
    expected.fill_drain = 4 + 4 - 2 + 1;
    expected.vmem = 3;
    check_stack(machine, gemm(5, 4, 4), ws, expected);
}

TEST_CASE("vectors that VMEM delivers too slowly are waits for VMEM") {
    Machine machine = ideal_machine(16, 1);
    machine.vmem.bandwidth = 8;
    Expected expected; // 16-byte vectors at 8 bytes a cycle: 4 vectors in 8 cycles; the tile's 16 bytes load in R = 16
    expected.useful = 4 * 1 * 16;
    expected.issued = 4;
    expected.stationary_load = 16;
    expected.fill_drain = 16 + 1 - 2 + 1;
    expected.vmem = 8 - 4;
    check_stack(machine, gemm(4, 1, 16), ws, expected);
}

TEST_CASE("stack with two MACs per PE and cycle") {
    Machine machine = ideal_machine(4, 4);
    machine.macs_per_pe_cycle = {{Format::int8, 2}};
    Expected expected; // K = 13 of 8 a pass: 2 passes; S = 6. A slot is a MAC that could be done.
    expected.useful = 6 * 4 * 13;
    expected.issued = 2 * 6;
    expected.stationary_load = 4;
    expected.fill_drain = 4 + 4 - 2 + 1;
    check_stack(machine, gemm(6, 4, 13), ws, expected);
}

TEST_CASE("an array with no tile left counts as padding") {
    Machine machine = ideal_machine(4, 4);
    machine.array.count = 2;
    for_each_engine([&](EngineKind engine) {
        // N = 12: three column tiles for two arrays, 2 x 6 issue cycles in which 2 * 16 PEs could work. (A search would
        // let the arrays share M.)
        RunOptions options = run_options(engine, ws, DataOrigin::vmem);
        options.mapping = MappingMode::naive;
        const OperatorResult result = run_one(machine, gemm(6, 12, 4), options);
        CHECK(result.stack[Cause::useful] == 6 * 12 * 4);
        CHECK(result.stack[Cause::padding] == 2 * 6 * 32 - 6 * 12 * 4);
        CHECK(result.stack.total() == result.pe_slots);
        CHECK(result.pe_slots == 32 * result.cycles);
    });
}

TEST_CASE("mapping efficiency and utilisation are ratios of the stack") {
    for_each_engine([&](EngineKind engine) {
        const OperatorResult result = run_from_vmem(ideal_machine(4, 4), gemm(5, 6, 7), ws, engine);
        CHECK(result.mapping_efficiency() == Approx(210.0 / (4 * 5 * 16)));
        CHECK(result.cycles == 4 + 4 * 5 + 4 + 4 - 2 + 1);
        CHECK(result.array_utilization() == Approx(210.0 / (31 * 16)));
    });
}
