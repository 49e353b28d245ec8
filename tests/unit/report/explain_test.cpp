#include <catch2/catch.hpp>

#include "sim/report/explain.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Streams of S = 1 through the sample's R = 2 rows: 4 passes load for R + 3 (R - S) = 5 cycles that nothing hides. Of
// 16 cycles 8 are math.
OperatorResult short_streams(Cycles loads, std::int64_t m) {
    constexpr std::int64_t slots = 8; // of a cycle
    OperatorResult result = sample_operator();
    result.m = m;
    result.tile = {1, 4, 4};
    result.passes = 4;
    result.cycles = 8 + loads;
    result.pe_slots = slots * result.cycles;
    result.stack = {};
    result.stack[Cause::useful] = slots * 8;
    result.stack[Cause::stationary_load] = slots * loads;
    return result;
}

Explanation of(Cause cause, const Machine& machine, const OperatorResult& result) {
    for (const Explanation& one : explain(machine, result)) {
        if (one.cause == cause) {
            return one;
        }
    }
    FAIL("not explained");
    return {};
}

Explanation loads_of(const Machine& machine, const OperatorResult& result) {
    return of(Cause::stationary_load, machine, result);
}

} // namespace

TEST_CASE("a larger tile is advised where the operator has one, else a larger operator") {
    const std::string larger_tile = loads_of(sample_machine(), short_streams(5, 4)).cure;
    CHECK(has(larger_tile, "a --tile of more than 1 in M"));
    CHECK_FALSE(has(larger_tile, "a larger M"));
    const std::string larger_batch = loads_of(sample_machine(), short_streams(5, 1)).cure;
    CHECK(has(larger_batch, "a larger M than 1"));
    CHECK_FALSE(has(larger_batch, "--tile"));

    OperatorResult stationary_inputs = short_streams(5, 4);
    stationary_inputs.dataflow = Dataflow::input_stationary;
    stationary_inputs.n = 1;
    stationary_inputs.tile = {4, 1, 4};
    CHECK(has(loads_of(sample_machine(), stationary_inputs).cure, "a larger N than 1, or")); // M is no help
}

TEST_CASE("loads that came late are told from those that short streams cannot hide") {
    CHECK(has(loads_of(sample_machine(), short_streams(5 + 3, 4)).what, "; 3 cycles of it because tiles were not in"));
    CHECK_FALSE(has(loads_of(sample_machine(), short_streams(5, 4)).what, "cycles of it because"));
}

TEST_CASE("a VMEM in whose banks clients met is advised ports before banks") {
    Machine machine = sample_machine();
    machine.vmem.banks = 4;
    OperatorResult result = short_streams(5, 4);
    result.stack[Cause::vmem] = 8;
    result.stack[Cause::useful] -= 8;
    CHECK(of(Cause::vmem, machine, result).cure == "vmem.ports = 2, or several times the 4 vmem.banks");
}

// What the banks hold up is the bar of VMEM, whatever waits for it.
TEST_CASE("waits for buffers and for HBM are not advised more ports") {
    Machine machine = sample_machine();
    machine.vmem.banks = 4;
    OperatorResult result = short_streams(5, 4);
    result.stack[Cause::vmem_capacity] = 8 * 2; // 2 cycles
    result.stack[Cause::hbm_bandwidth] = 8 * 2;
    result.stack[Cause::useful] -= 8 * 4;
    result.traffic.hbm = {{4, 4, 0, 0}, {0, 0, 4, 0}, 3}; // 3 of 13 cycles at 4 bytes a cycle
    result.vmem_conflict_cycles = 100;
    for (const Cause cause : {Cause::vmem_capacity, Cause::hbm_bandwidth}) {
        CHECK_FALSE(has(of(cause, machine, result).cure, "vmem.ports"));
    }
}

// The sample: one array of 2 x 4.
TEST_CASE("padding names the dimensions that leave PEs idle, and no other") {
    const auto cure = [](Dataflow dataflow, std::int64_t m, std::int64_t n, std::int64_t k, Tile tile, int q = 1,
                         SparsePattern sparsity = dense_pattern) {
        OperatorResult result = short_streams(5, m);
        result.dataflow = dataflow;
        result.n = n;
        result.k = k;
        result.tile = tile;
        result.sparsity = sparsity;
        for (const Cause cause : all_causes) {
            result.stack[cause] *= q;
        }
        result.pe_slots = result.stack.total();
        result.stack[Cause::padding] = result.stack[Cause::useful];
        result.stack[Cause::useful] = 0;
        return of(Cause::padding, sample_machine(), result).cure;
    };
    const auto ws = Dataflow::weight_stationary, is = Dataflow::input_stationary, os = Dataflow::output_stationary;
    CHECK(cure(ws, 3, 4, 5, {3, 4, 5}) == "K a multiple of the array's 2 rows would fill it");
    CHECK(cure(ws, 3, 3, 4, {3, 3, 4}) == "N a multiple of the array's 4 columns would fill it");
    CHECK(cure(is, 3, 3, 3, {3, 3, 3}) ==
          "K a multiple of the array's 2 rows and M a multiple of the array's 4 columns would fill it");
    CHECK(cure(os, 3, 4, 5, {3, 4, 5}) == "M a multiple of the array's 2 rows would fill it");
    CHECK(cure(os, 4, 4, 5, {4, 4, 5}, 2) == "K a multiple of the 2 MACs of a PE and cycle would fill it");
    CHECK(cure(ws, 4, 4, 6, {4, 4, 6}, 2) == "K a multiple of 4 (what the array's 2 rows hold) would fill it");
    CHECK(cure(ws, 4, 4, 6, {4, 4, 6}, 1, {2, 4}) == "K a multiple of 4 (what the array's 2 rows hold) would fill it");
    CHECK(cure(ws, 4, 4, 6, {4, 4, 3}) == "a --tile with K a multiple of the array's 2 rows");
    CHECK(cure(ws, 4, 4, 4, {4, 4, 4}) == "a shape that gives all arrays and cores as much to do");
}

// 4 bytes a cycle over 100 cycles: 400 bytes fill the way there and back.
TEST_CASE("more requests are advised where too few are in flight, a shorter way where there are enough") {
    Machine machine = sample_machine();
    machine.hbm.latency = 100'000; // ps
    machine.dma.burst_bytes = 16;
    machine.dma.outstanding = 20; // 320 bytes
    machine.dma.engines = 1;
    OperatorResult result = short_streams(5, 4);
    result.stack[Cause::hbm_latency] = 8;
    result.stack[Cause::useful] -= 8;
    for (const std::int64_t accesses : {0, 8}) { // of an ideal memory, of a DRAM
        result.hbm.accesses = accesses;
        result.hbm.idle = 10;
        machine.dma.outstanding = 20;
        CHECK(has(of(Cause::hbm_latency, machine, result).cure, "dma.outstanding >= 25"));
        machine.dma.outstanding = 25;
        CHECK(has(of(Cause::hbm_latency, machine, result).cure, "a shorter hbm.latency"));
    }
    result.hbm.refresh = 11; // more than the buses were idle
    CHECK(has(of(Cause::hbm_latency, machine, result).cure, "refreshes bank by bank"));
}
