// Bank conflicts of whole runs, derived by hand. From VMEM, A lies in bank 0, B in 1, C in 2 (modulo the banks).
#include <catch2/catch.hpp>

#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("results that share a bank with the streamed operand wait for the stream") {
    // 4x4, weight-stationary, 2 passes of 6 vectors: loads in 0..3 and 4..7, streams in 4..9 and 10..15. Results come
    // out R + C - 2 + E = 7 cycles behind their vectors, 4 B a cycle.
    Machine machine = ideal_machine(4, 4);
    const auto run = [&](std::int64_t banks, int ports, EngineKind engine) {
        machine.vmem.banks = banks;
        machine.vmem.ports = ports;
        return run_from_vmem(machine, gemm(6, 8, 4), ws, engine);
    };
    for_each_engine([&](EngineKind engine) {
        for (const auto& free : {run(3, 1, engine), run(2, 2, engine), run(unlimited, 1, engine)}) {
            CHECK(free.cycles == 23); // results in 11..16 and 17..22
            CHECK(free.stack[Cause::vmem] == 0);
            CHECK(free.vmem_conflict_cycles == 0);
        }
        // Two banks: A and C in bank 0. The first results wait in 11..15, then take 16..21, the second 22..27.
        const auto two = run(2, 1, engine);
        CHECK(two.cycles == 28);
        CHECK(two.vmem_conflict_cycles == 5);
        CHECK(two.stack[Cause::vmem] == 5 * 4 * 4);
        // One bank: streams in 4..9 and, behind the second load in 10..13, in 14..19. The first results come in 11..16
        // and have the bank in 20..25, the second (21..26) in 26..31. The load has waited for 6 cycles, the results for
        // 20 - 11.
        const auto one = run(1, 1, engine);
        CHECK(one.cycles == 32);
        CHECK(one.vmem_conflict_cycles == 6 + 9);
    });
}

TEST_CASE("output-stationary operands in one bank of one port are read in turns") {
    Machine machine = ideal_machine(4, 4);
    machine.vmem.banks = 1;
    for_each_engine([&](EngineKind engine) {
        // 2 cycles a vector, the first of them in the second cycle; D = 4, E = 1.
        machine.vmem.ports = 1;
        const ProbeResult turns = probe(machine, engine, os, 6, 3);
        CHECK(turns.pass_interval == 12);
        CHECK(turns.first_streamed_to_last_result == 3 * 12 - 1 + 4 + 4 - 2 + 4 + 1);
        machine.vmem.ports = 2;
        const ProbeResult at_once = probe(machine, engine, os, 6, 3);
        CHECK(at_once.pass_interval == 6);
        CHECK(at_once.first_streamed_to_last_result == 3 * 6 + 4 + 4 - 2 + 4 + 1);
    });
}

TEST_CASE("the run says where its tiles lie") {
    Machine machine = ideal_machine(4, 4);
    machine.vmem.banks = 8;
    machine.vmem.buffers = 2;
    RunOptions options = run_options(EngineKind::tile, is, DataOrigin::hbm);
    options.tile = Tile{4, 4, 8};
    // 2 x 1 x 1 tiles: two of A (the stationary one) and of C, one of B.
    const auto result = run_one(machine, gemm(8, 4, 8), options);
    CHECK(result.vmem_allocation == std::vector<VmemBuffer>{{"B0", 0, 32, 0, 1},
                                                            {"A0", 32, 32, 1, 1},
                                                            {"A1", 64, 32, 2, 1},
                                                            {"C0", 96, 16, 3, 1},
                                                            {"C1", 112, 16, 4, 1}});
}
