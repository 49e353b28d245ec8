// What is fetched for a later operator while an earlier one runs: it is there when the later one begins, it costs its
// bytes once, and what did not come in time is fetched by the later one.
#include <catch2/catch.hpp>

#include "sim/engine/operator_run.h"
#include "tests/support/engines.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// A 4x4 array, one byte a cycle from a memory that answers at once: weights of 4x4 come in 16 cycles.
Machine slow_memory() {
    Machine machine = ideal_machine(4, 4);
    machine.hbm.bandwidth = machine.clock;
    return machine;
}

RunOptions tile_run(Dataflow dataflow) {
    RunOptions options = run_options(EngineKind::tile, dataflow, DataOrigin::hbm);
    options.mapping = MappingMode::naive; // what comes ahead is looked at, not what a search makes of the rest
    return options;
}

struct Pair {
    OperatorRun first, second;

    Bytes b_bytes() const { return first.result.traffic.hbm.read.b + second.result.traffic.hbm.read.b; }
};

// Two products one behind the other, the second one's B ahead in as much as `room` holds.
Pair run_pair(const Machine& machine, const GemmProblem& first, const GemmProblem& second, Bytes room,
              EngineKind engine = EngineKind::tile, Dataflow dataflow = ws) {
    const auto options = tile_run(dataflow);
    const Plan plan = make_plan(machine, first, options);
    const Plan later = make_plan(machine, second, options);
    const auto lists = ahead_units(machine, machine_run(later, engine, options), room);
    auto run = run_operator(machine, plan, engine, options, {{}, lists});
    auto next = run_operator(machine, later, engine, options, {run.ahead, {}});
    return {std::move(run), std::move(next)};
}

Cycles alone(const Machine& machine, const GemmProblem& problem, Dataflow dataflow = ws) {
    const auto options = tile_run(dataflow);
    return run_operator(machine, make_plan(machine, problem, options), EngineKind::tile, options).result.cycles;
}

// All operands in VMEM: the first one uses the memory for nothing.
GemmProblem resident(std::int64_t m, std::int64_t n, std::int64_t k) {
    GemmProblem problem = gemm(m, n, k);
    problem.homes = {Home::vmem, Home::vmem, Home::vmem};
    return problem;
}

} // namespace

TEST_CASE("weights that came while an operator ran need not be waited for") {
    const Machine machine = slow_memory();
    GemmProblem second = gemm(4, 4, 4);
    second.homes = {Home::vmem, Home::origin, Home::vmem};
    // Alone: 16 cycles for the 16 bytes of B and one into VMEM, then 4 to shift in, 4 vectors, 3 + 3 + E to cross.
    CHECK(alone(machine, second) == 16 + 1 + 4 + 4 + 7);
    const auto pair = run_pair(machine, resident(100, 4, 4), second, unlimited);
    CHECK(pair.first.result.cycles == 4 + 100 + 7);
    CHECK(pair.first.result.traffic.hbm.read.b == 16);
    CHECK(pair.second.result.cycles == 4 + 4 + 7);
    CHECK(pair.second.result.prefetched == 16);
    CHECK(pair.second.result.traffic.hbm.read.b == 0);
    CHECK(pair.second.result.roofline.levels.at("hbm").compulsory_bytes == 0);
}

TEST_CASE("what did not come in time is fetched by the later operator, each byte once") {
    Machine machine = slow_memory();
    machine.dma.burst_bytes = 4;
    machine.dma.outstanding = 1;
    GemmProblem second = gemm(4, 16, 16);
    second.homes = {Home::vmem, Home::origin, Home::vmem};
    // 4 + 10 + 7 cycles. One request at a time of 4 bytes takes 4 of the memory and one into VMEM: 4 are whole, and the
    // fifth, on its way, is made again.
    const auto pair = run_pair(machine, resident(10, 4, 4), second, unlimited);
    CHECK(pair.first.result.cycles == 21);
    CHECK(pair.first.result.traffic.hbm.read.b == 4 * 4);
    CHECK(pair.second.result.prefetched == 4 * 4);
    CHECK(pair.b_bytes() == 256);
    CHECK(pair.second.result.cycles < alone(machine, second));
}

TEST_CASE("no more is fetched ahead than there is room for, in whole units") {
    const Machine machine = slow_memory();
    GemmProblem second = gemm(4, 16, 16);
    second.homes = {Home::vmem, Home::origin, Home::vmem};
    const auto pair = run_pair(machine, resident(1000, 4, 4), second, 40); // two units of 16 bytes
    CHECK(pair.second.result.prefetched == 32);
    CHECK(pair.b_bytes() == 256);
}

TEST_CASE("what is fetched ahead costs an operator no more than its bytes, as results wait behind it in the memory") {
    const Machine machine = slow_memory();
    const GemmProblem first = gemm(20, 8, 8);
    const auto pair = run_pair(machine, first, gemm(4, 4, 4), unlimited);
    CHECK(pair.first.result.traffic.hbm.read.b == 8 * 8 + 4 * 4);
    CHECK(pair.first.result.cycles <= alone(machine, first) + 4 * 4);
    CHECK(pair.first.result.cycles + pair.second.result.cycles < alone(machine, first) + alone(machine, gemm(4, 4, 4)));
}

TEST_CASE("engines agree on operators with weights ahead") {
    Machine machine = slow_memory();
    machine.dma.burst_bytes = 16;
    machine.vmem.bandwidth = 12;
    for (const auto dataflow : {ws, os, is}) {
        const GemmProblem first = gemm(9, 7, 8), second = gemm(6, 10, 12);
        const auto expected = run_pair(machine, first, second, 64, EngineKind::tile, dataflow);
        for (const auto engine : engines) {
            INFO(name(engine) << " " << short_name(dataflow));
            const auto got = run_pair(machine, first, second, 64, engine, dataflow);
            CHECK(got.first.result.cycles == expected.first.result.cycles);
            CHECK(got.second.result.cycles == expected.second.result.cycles);
            CHECK(got.second.result.stack == expected.second.result.stack);
            CHECK(got.second.result.traffic == expected.second.result.traffic);
            CHECK(got.b_bytes() == 7 * 8 + 10 * 12);
        }
    }
}
