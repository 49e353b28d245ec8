// Cases with a known answer for "where the cycles go" (docs/model.md): a machine that one level alone holds up, slowed
// there, loses exactly that many cycles to that level's cause and none to another; without the level's limit the cause
// is empty.
#include <array>

#include <catch2/catch.hpp>

#include "sim/config/load.h"
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

struct Run {
    Machine machine;
    GemmProblem problem;
    Dataflow dataflow = ws;
    DataOrigin from = DataOrigin::hbm;
    Tile tile;

    OperatorResult on(EngineKind engine) const {
        RunOptions options = run_options(engine, dataflow, from);
        options.tile = tile;
        return run_one(machine, problem, options);
    }
};

Cycles port_cycles(const OperatorResult& result, Cause cause) {
    return result.stack[cause] * result.cycles / result.pe_slots;
}

// From `fast` to `slow` nothing but `cause` grows, by all of the cycles that `slow` takes longer.
void check_moves(const Run& fast, const Run& slow, Cause cause, Cycles by) {
    for_each_engine([&](EngineKind engine) {
        const OperatorResult before = fast.on(engine);
        const OperatorResult after = slow.on(engine);
        CHECK(after.cycles - before.cycles == by);
        for (const Cause one : all_causes) {
            INFO(name(one) << ": " << before.stack[one] << " -> " << after.stack[one] << " slots");
            const std::int64_t more = one == cause ? after.pe_slots - before.pe_slots : 0;
            CHECK(after.stack[one] - before.stack[one] == more);
        }
    });
}

void check_empty(const Run& run, std::initializer_list<Cause> causes) {
    for_each_engine([&](EngineKind engine) {
        const OperatorResult result = run.on(engine);
        for (const Cause cause : causes) {
            INFO(name(cause));
            CHECK(result.stack[cause] == 0);
        }
    });
}

// 4x4, weights of `tiles` passes that are used once, in tiles of one pass each: B is 16 bytes a pass, A 16 in all, C 16
// a pass.
Run weights_once(std::int64_t tiles) {
    return {ideal_machine(4, 4), gemm(4, 4 * tiles, 4), ws, DataOrigin::hbm, {4, 4, 4}};
}

} // namespace

// 16-byte vectors, four of them: 2 cycles each at 8 bytes a cycle, 4 at 4. The tile's rows are 1 byte: never late.
TEST_CASE("VMEM's rate: half of it costs its cause exactly what the run loses") {
    Run fast{ideal_machine(16, 1), gemm(4, 1, 16), ws, DataOrigin::vmem, {4, 1, 16}};
    fast.machine.vmem.bandwidth = 8;
    Run slow = fast;
    slow.machine.vmem.bandwidth = 4;
    check_moves(fast, slow, Cause::vmem, 4 * 4 - 4 * 2);
    Run free = fast;
    free.machine.vmem.bandwidth = unlimited;
    check_moves(free, fast, Cause::vmem, 4 * 2 - 4);
    check_empty(free, {Cause::vmem});
}

// HBM moves A and B of 16 bytes, then B of every further pass, and C, 16 bytes a pass: 16 + 2 * 16 * 8 = 272 bytes, one
// after the other, with nothing in between: 272 cycles at a byte a cycle. Half the rate is 272 cycles more, all of them
// waits for HBM while it moves bytes.
TEST_CASE("HBM's bandwidth: half of it costs its cause exactly what the run loses") {
    Run fast = weights_once(8);
    fast.machine.hbm.bandwidth = 1'000'000'000;
    Run slow = fast;
    slow.machine.hbm.bandwidth = 500'000'000;
    check_moves(fast, slow, Cause::hbm_bandwidth, 272);
    Run free = fast;
    free.machine.hbm.bandwidth = unlimited;
    check_empty(free, {Cause::hbm_bandwidth, Cause::hbm_latency, Cause::pcie});
}

// The operands of a single pass are asked for at once: the run waits for HBM once before its pass and once for the
// result, 100 cycles each.
TEST_CASE("HBM's latency: twice of it costs its cause exactly what the run loses") {
    Run fast = weights_once(1);
    fast.machine.hbm.latency = 100'000;
    Run slow = fast;
    slow.machine.hbm.latency = 200'000;
    check_moves(fast, slow, Cause::hbm_latency, 2 * 100);
    Run none = fast;
    none.machine.hbm.latency = 0;
    check_moves(none, fast, Cause::hbm_latency, 2 * 100);
    check_empty(none, {Cause::hbm_latency});
}

// A and B come down the link, 16 + 8 * 16 bytes at a byte a cycle; the results go up meanwhile, all but the last tile
// of 16, which follows when the last pass has ended: (144 + 16) cycles more at half the rate.
TEST_CASE("PCIe's bandwidth: half of it costs its cause exactly what the run loses") {
    Run fast = weights_once(8);
    fast.from = DataOrigin::host;
    fast.machine.pcie.bandwidth = 1'000'000'000;
    Run slow = fast;
    slow.machine.pcie.bandwidth = 500'000'000;
    check_moves(fast, slow, Cause::pcie, 144 + 16);
    Run free = fast;
    free.machine.pcie.bandwidth = unlimited;
    check_empty(free, {Cause::pcie, Cause::hbm_bandwidth, Cause::hbm_latency});
}

// The way through HBM is a pipeline behind the link: its latency shows where nothing follows, not for every unit that
// comes through. HBM is 16 times as fast as the link here, and its latency is that of two and a half units.
TEST_CASE("what the link holds up is not booked to the HBM behind it") {
    for_each_engine([](EngineKind engine) {
        std::array<Cycles, 2> hbm{};
        std::array<Cycles, 2> pcie{};
        std::array<Cycles, 2> cycles{};
        for (const std::size_t i : {0, 1}) {
            Run run = weights_once(i == 0 ? 40 : 80);
            run.from = DataOrigin::host;
            run.machine.pcie.bandwidth = 1'000'000'000;
            run.machine.hbm.bandwidth = 16'000'000'000;
            run.machine.hbm.latency = 40'000;
            run.machine.vmem.buffers = 8; // the way through HBM and back takes no longer than these hide
            const OperatorResult result = run.on(engine);
            hbm[i] = port_cycles(result, Cause::hbm_bandwidth) + port_cycles(result, Cause::hbm_latency);
            pcie[i] = port_cycles(result, Cause::pcie);
            cycles[i] = result.cycles;
        }
        CHECK(cycles[1] - cycles[0] == 40 * 16); // the link's rate
        CHECK(hbm[1] == hbm[0]);
        // Of each of the 40 passes more: 16 cycles at the link, of which 4 hide behind S = 4 vectors and 4 are the
        // load.
        CHECK(pcie[1] - pcie[0] == 40 * (16 - 4 - 4));
    });
}

// The other way round: HBM carries each weight twice (in from the link, out to VMEM) and each result too, at a quarter
// of the link's rate, so the link runs ahead and waits for its place in HBM.
TEST_CASE("what HBM holds up is not booked to the link before it") {
    for_each_engine([](EngineKind engine) {
        Run run = weights_once(40);
        run.from = DataOrigin::host;
        run.machine.pcie.bandwidth = 4'000'000'000;
        run.machine.hbm.bandwidth = 1'000'000'000;
        const OperatorResult result = run.on(engine);
        const Cycles waits = port_cycles(result, Cause::hbm_bandwidth) + port_cycles(result, Cause::hbm_latency) +
                             port_cycles(result, Cause::pcie);
        CHECK(port_cycles(result, Cause::hbm_bandwidth) * 100 >= waits * 95);
    });
}

// HBM answers 20 cycles after it was asked, at any rate; 16 requests of 4 bytes are in flight, and VMEM takes a byte a
// cycle, of which the array uses more than half. The requests wait for VMEM, not for HBM: HBM's latency shows at the
// start and at the end alone.
TEST_CASE("what VMEM holds up is not booked to the HBM before it") {
    for_each_engine([](EngineKind engine) {
        std::array<Cycles, 2> hbm{};
        std::array<Cycles, 2> vmem{};
        std::array<Cycles, 2> cycles{};
        for (const std::size_t i : {0, 1}) {
            Run run = weights_once(i == 0 ? 20 : 40);
            run.machine.vmem.bandwidth = 1;
            run.machine.vmem.buffers = 8;
            run.machine.hbm.latency = 20'000;
            run.machine.dma.burst_bytes = 4;
            const OperatorResult result = run.on(engine);
            hbm[i] = port_cycles(result, Cause::hbm_bandwidth) + port_cycles(result, Cause::hbm_latency);
            vmem[i] = port_cycles(result, Cause::vmem) + port_cycles(result, Cause::stationary_load);
            cycles[i] = result.cycles;
        }
        CHECK(hbm[1] == hbm[0]);
        // Of a pass more VMEM carries 5 * 16 bytes: weights in and out, the stream, results in and out.
        CHECK(cycles[1] - cycles[0] == 20 * 5 * 16);
        CHECK(vmem[1] - vmem[0] == 20 * (5 * 16 - 4)); // but for the cycles in which a vector enters
    });
}

// One bank of one port instead of one for each unit, four passes along K, of S = R = 4, a tile of A and of B each; HBM
// is ideal. Free: operands in VMEM and usable in 1, load in 1..4, passes from 5, 9, 13 and 17, results until 27, stored
// in
// 29. With one bank the load of pass 1 waits for the stream (5..8), 9..12, and pass 1 starts in 13, 4 cycles late. The
// DMA of pass 2 has waited for both streams and the load: its turn is 17, behind stream 1. Load in 18..21, pass 2 from
// 22: 5 waits more. Load 3 is behind stream 2 again: pass 3 from 30, 4 more.
TEST_CASE("VMEM's banks: what clients of one bank wait for each other is vmem, whatever it was that came late") {
    Run free{ideal_machine(4, 4), gemm(4, 4, 16), ws, DataOrigin::hbm, {4, 4, 4}};
    Run one = free;
    one.machine.vmem.banks = 1;
    check_moves(free, one, Cause::vmem, 4 + 5 + 4);
    for_each_engine([&](EngineKind engine) { CHECK(one.on(engine).cycles == 29 + 13); });
}

// Cases of a real chip whose four single-ported banks are shared by five tiles: loads that come late as their tile
// waited behind a stream; results that a stream keeps from being stored, and their buffers from being free. What VMEM
// has held up then comes at HBM's pace, which may show for a while: at least nine tenths of what a second port saves
// are vmem.
TEST_CASE("VMEM's ports: a second one saves what vmem says") {
    struct Shape {
        std::int64_t m, n, k;
        Dataflow dataflow;
        Tile tile;
    };
    for (const auto& shape : {Shape{182, 1242, 14, is, {182, 64, 14}}, Shape{1167, 753, 25, os, {32, 753, 25}},
                              Shape{8, 768, 768, ws, {8, 16, 768}}}) {
        INFO(shape.m << "x" << shape.n << "x" << shape.k);
        Run one{load_machine("edge_16x16"), gemm(shape.m, shape.n, shape.k), shape.dataflow, DataOrigin::hbm,
                shape.tile};
        Run two = one;
        two.machine.vmem.ports = 2;
        const OperatorResult before = one.on(EngineKind::tile);
        const OperatorResult after = two.on(EngineKind::tile);
        const Cycles saved = before.cycles - after.cycles;
        const Cycles vmem = port_cycles(before, Cause::vmem) - port_cycles(after, Cause::vmem);
        CHECK(saved * 10 > before.cycles); // a bottleneck indeed
        CHECK(vmem <= saved);
        CHECK(vmem * 10 >= saved * 9);
    }
}

// One buffer: the next output tile may only begin when the one before has been stored.
TEST_CASE("VMEM's capacity: with a buffer for every tile its cause is empty") {
    Run one = weights_once(8);
    one.machine.vmem.buffers = 1;
    one.machine.hbm.latency = 20'000;
    for_each_engine([&](EngineKind engine) { CHECK(one.on(engine).stack[Cause::vmem_capacity] > 0); });
    Run all = one;
    all.machine.vmem.buffers = 8;
    check_empty(all, {Cause::vmem_capacity});
}

// Three passes of S = 1, started min_rows apart; R - 1 of each interval is the load of the next tile anyway.
TEST_CASE("control: passes kept further apart cost its cause exactly what the run loses") {
    Run fast{ideal_machine(2, 2), gemm(1, 6, 2), ws, DataOrigin::vmem, {1, 6, 2}};
    fast.machine.array.min_rows = 5;
    Run slow = fast;
    slow.machine.array.min_rows = 10;
    check_moves(fast, slow, Cause::control, 2 * (10 - 5));
    Run free = fast;
    free.machine.array.min_rows = 1;
    check_moves(free, fast, Cause::control, 2 * (5 - 2)); // the load keeps them 2 apart
    check_empty(free, {Cause::control});
}

// Four passes of S = 2 on R = 4: with two buffers R - S = 2 cycles of each load show, with one all 4 and the drain of
// the pass before.
TEST_CASE("loads: streams as long as a load leave the first one alone") {
    Run shorter{ideal_machine(4, 4), gemm(2, 16, 4), ws, DataOrigin::vmem, {2, 16, 4}};
    for_each_engine(
        [&](EngineKind engine) { CHECK(port_cycles(shorter.on(engine), Cause::stationary_load) == 4 + 3 * (4 - 2)); });
    Run longer = shorter;
    longer.problem.m = longer.tile.m = 4;
    for_each_engine([&](EngineKind engine) { CHECK(port_cycles(longer.on(engine), Cause::stationary_load) == 4); });
    Run single = shorter;
    single.machine.array.weight_buffers = 1;
    for_each_engine([&](EngineKind engine) { CHECK(port_cycles(single.on(engine), Cause::stationary_load) == 4 * 4); });
}
