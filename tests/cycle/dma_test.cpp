// Windows and issue slots of the DMA engines, in whole runs derived by hand.
//
// 8x4x4 on 4x4, weight-stationary, one pass; requests of 4 bytes; an HBM of unlimited bandwidth that answers 10 cycles
// after a request. B is 4 requests, then A is 8, C is 8. A read asked for in cycle t is in VMEM in t + 10 and usable in
// t + 11. The stationary tile shifts in in 4 cycles; the pass streams 8 vectors, and its results are in VMEM
// R + C - 2 + E = 7 cycles after the last of them has entered. A write is read from VMEM in the cycle in which it is
// issued, goes to HBM in the next and is accepted 10 later.
#include <catch2/catch.hpp>

#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

struct Expected {
    Cycles cycles = 0;
    Cycles control = 0, hbm_latency = 0, vmem = 0;
};

void check_run(const DmaConfig& dma, const Expected& expected) {
    Machine machine = ideal_machine(4, 4);
    machine.dma = dma;
    machine.hbm.latency = 10'000; // 10 cycles of 1 GHz
    for_each_engine([&](EngineKind engine) {
        auto options = run_options(engine, ws, DataOrigin::hbm);
        options.tile = Tile{8, 4, 4};
        const OperatorResult result = run_one(machine, gemm(8, 4, 4), options);
        CHECK(result.cycles == expected.cycles);
        CHECK(result.stack[Cause::control] == expected.control * 16);
        CHECK(result.stack[Cause::hbm_latency] == expected.hbm_latency * 16);
        CHECK(result.stack[Cause::hbm_bandwidth] == 0);
        CHECK(result.stack[Cause::vmem] == expected.vmem * 16);
        CHECK(result.stack.total() == result.pe_slots);
    });
}

} // namespace

TEST_CASE("an ideal engine issues all it may in one cycle") {
    // Operands usable in 11, load in 11..14, stream in 15..22, results until 29; writes at 30, to HBM 31, accepted 41.
    // Before the load: 10 cycles of the memory, 1 of VMEM; of the tail 1 of VMEM, 10 of the memory.
    check_run({.burst_bytes = 4, .outstanding = 16, .engines = 1, .issue_interval = 0},
              {.cycles = 41, .control = 0, .hbm_latency = 10 + 10, .vmem = 1 + 1});
}

TEST_CASE("one request a cycle: what waits for its slot while the memory is idle waits for control") {
    // B is asked for in 0..3, A in 4..11: usable in 14 and 22. Load in 14..17, stream in 22..29, results until 36.
    // Writes in 37..44, the last one accepted in 44 + 1 + 10 = 55. The pass waits for the last request of A: 11 cycles
    // for its slot, 10 for its answer, 1 for VMEM. 18 of these 22 are no stationary_load: floors of 18/22 of the
    // running sums, in the order vmem 1, hbm_latency 11, control 22, are 0, 9, 18. The tail: 7 for slots, 1 for VMEM,
    // 10 for the memory.
    check_run({.burst_bytes = 4, .outstanding = 16, .engines = 1, .issue_interval = 1},
              {.cycles = 55, .control = 9 + 7, .hbm_latency = 9 + 10, .vmem = 0 + 1});
}

TEST_CASE("a second engine asks for A while the first asks for B") {
    // B in 0..3, A in 0..7: usable in 14 and 18. Load in 14..17, stream in 18..25, results until 32; writes, one unit
    // and so one engine's, in 33..40, accepted until 51. The load ends as A comes, and stands first among the causes:
    // it waited for the last request of B, 3 cycles for its slot, 10 for its answer, 1 for VMEM. The tail as above.
    check_run({.burst_bytes = 4, .outstanding = 16, .engines = 2, .issue_interval = 1},
              {.cycles = 51, .control = 3 + 7, .hbm_latency = 10 + 10, .vmem = 1 + 1});
}

TEST_CASE("two requests in flight") {
    // A pair of reads every 11 cycles: B in 0 and 11, A in 22, 33, 44, 55, usable in 66. Stream in 66..73, results
    // until
    // 80. Pairs of writes in 81, 92, 103, 114, accepted in 125.
    Machine machine = ideal_machine(4, 4);
    machine.dma = {.burst_bytes = 4, .outstanding = 2, .engines = 1, .issue_interval = 0};
    machine.hbm.latency = 10'000;
    for_each_engine([&](EngineKind engine) {
        auto options = run_options(engine, ws, DataOrigin::hbm);
        options.tile = Tile{8, 4, 4};
        CHECK(run_one(machine, gemm(8, 4, 4), options).cycles == 125);
        // Two such engines: B in 0 and 11, A in 0, 11, 22, 33, usable in 44; C is one unit: 44..51, 58, 59 + 3 * 11
        // + 11.
        machine.dma.engines = 2;
        CHECK(run_one(machine, gemm(8, 4, 4), options).cycles == 103);
        machine.dma.engines = 1;
    });
}
