// What holds for the run of any network on any machine, from HBM.
#include <cmath>

#include "sim/engine/network_tasks.h"
#include "tests/support/check_property.h"
#include "tests/support/engines.h"
#include "tests/support/machines.h"
#include "tests/support/networks.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr auto tile_engine = EngineKind::tile;

Bytes prefetched(const RunResult& run) {
    Bytes sum = 0;
    for (const auto& one : run.operators)
        sum += one.prefetched;
    return sum;
}

void require_same(const OperatorResult& got, const OperatorResult& expected) {
    RC_LOG() << expected.name << "\n";
    RC_ASSERT(got.cycles == expected.cycles);
    RC_ASSERT(got.pe_slots == expected.pe_slots);
    RC_ASSERT(got.stack == expected.stack);
    RC_ASSERT(got.traffic == expected.traffic);
    RC_ASSERT(got.macs == expected.macs);
    RC_ASSERT(got.prefetched == expected.prefetched);
}

void require_same(const RunResult& got, const RunResult& expected) {
    RC_ASSERT(got.operators.size() == expected.operators.size());
    for (std::size_t i = 0; i < expected.operators.size(); ++i)
        require_same(got.operators[i], expected.operators[i]);
    require_same(got.total, expected.total);
}

} // namespace

TEST_CASE("tasks that are alike, simulated once, give what each of them gives when simulated for itself") {
    DiscardCounter counter;
    check_property("alike once", 300, [&] {
        NetworkCase drawn = *any_network();
        drawn.repeats = 3;
        const auto once = run_network_or_discard(drawn, tile_engine, counter);
        const auto each = run_network(drawn, tile_engine, {.alike_once = false});
        require_same(once, each);
        RC_ASSERT(once.total.kernel_events == each.total.kernel_events);
        RC_ASSERT(once.total.hbm == each.total.hbm);
    });
    counter.require_at_most(0.6);
}

TEST_CASE("engines agree on random networks of all kinds of operators, and every product is right") {
    DiscardCounter counter;
    check_property("engines agree on networks of operators", 150, [&] {
        const NetworkCase drawn = *any_network();
        const auto expected = run_network_or_discard(drawn, tile_engine, counter);
        for (const auto engine : {EngineKind::structural, EngineKind::flat}) {
            RC_LOG() << name(engine) << "\n";
            const auto got = run_network(drawn, engine);
            require_same(got, expected);
            for (const auto& one : got.operators)
                RC_ASSERT(one.verified.value_or(true));
        }
    });
    counter.require_at_most(0.6);
}

TEST_CASE("operators of a network sum to its cycles and MACs, causes to its PE-slots, and it never beats its roof") {
    DiscardCounter counter;
    check_property("laws of networks", 400, [&] {
        const NetworkCase drawn = *any_network();
        const auto run = run_network_or_discard(drawn, tile_engine, counter);
        const auto lowered = lower(drawn.network());
        Cycles cycles = 0;
        for (const auto& one : run.operators) {
            RC_ASSERT(one.stack.total() == one.pe_slots);
            cycles += one.cycles;
        }
        const auto& total = run.total;
        RC_ASSERT(total.cycles == cycles);
        RC_ASSERT(total.stack.total() == total.pe_slots);
        RC_ASSERT(total.macs == lowered.macs);
        RC_ASSERT(total.stack[Cause::useful] == lowered.macs);
        RC_ASSERT(total.seconds >= total.roofline.lower_bound_s * (1 - 1e-12));
    });
    counter.require_at_most(0.6);
}

TEST_CASE("a network moves what its mappings say, what was fetched ahead included once, and no less than it must") {
    DiscardCounter counter;
    check_property("bytes of networks", 400, [&] {
        const NetworkCase drawn = *any_network();
        const auto run = run_network_or_discard(drawn, tile_engine, counter);
        const auto& hbm = run.total.traffic.hbm;
        Bytes tiled = prefetched(run);
        for (const auto& one : run.operators) {
            const auto level = one.roofline.levels.find("hbm");
            tiled += level == one.roofline.levels.end() ? 0 : level->second.tiled_bytes;
        }
        RC_ASSERT(hbm.total() == tiled);
        const auto least = compulsory_bytes(lower(drawn.network()));
        RC_ASSERT(hbm.write.total() >= least.written);
        if (drawn.tokens > 0) // a window may leave pixels out
            RC_ASSERT(hbm.read.total() >= least.read);
    });
    counter.require_at_most(0.6);
}

TEST_CASE("with room for everything, weights, inputs and results alone cross HBM, once for each task that uses them") {
    check_property("everything resident", 200, [] {
        NetworkCase drawn = *any_network(false);
        if (drawn.machine.a == Format::int4 || drawn.machine.b == Format::int4)
            drawn.machine.a = drawn.machine.b = Format::int8; // units of half bytes are rounded up one by one
        drawn.machine.cores = 1;
        drawn.machine.vmem_capacity = drawn.machine.accumulator_capacity = 0;
        const Network network = drawn.network();
        const auto lowered = lower(network);
        auto options = run_options(tile_engine, drawn.machine.dataflow, DataOrigin::hbm);
        options.tile = Tile{1 << 20, 1 << 20, 1 << 20}; // one tile for each operator: nothing is fetched again
        const auto run = simulate_network(drawn.machine.machine(), network, lowered, options);
        // Of what does not stay in VMEM between tasks: inputs, weights, results. Those of several tasks cross for each.
        const auto crossing = [&](const std::vector<TensorUse>& uses) {
            Bytes sum = 0;
            for (const auto& use : uses) {
                const auto kind = lowered.tensors[static_cast<std::size_t>(use.tensor)].kind;
                const bool stays = kind == TensorKind::activation || kind == TensorKind::scratch;
                sum += stays ? 0 : use.bytes;
            }
            return sum;
        };
        Bytes read = 0;
        Bytes written = 0;
        for (const auto& one : lowered.operators) {
            if (one.flash) { // what its pieces read again stays as well
                read += crossing(one.reads);
                written += crossing(one.writes);
                continue;
            }
            for (const auto& task : one.tasks) {
                read += crossing(reads_of(task));
                written += crossing(writes_of(task));
            }
        }
        RC_ASSERT(run.total.traffic.hbm.read.total() == read);
        RC_ASSERT(run.total.traffic.hbm.write.total() == written);
    });
}

TEST_CASE("weights that are fetched ahead move no other bytes, and cost no more than their time in HBM") {
    DiscardCounter counter;
    check_property("weights ahead", 400, [&] {
        NetworkCase drawn = *any_network();
        drawn.machine.vmem_bandwidth = 0; // what VMEM takes of a burst is rounded up to whole cycles
        drawn.machine.vmem_banks = 0; // clients that meet in a bank, or in a row of a bank of the DRAM, have their own
        drawn.machine.hbm_stacks = 0; // laws: vmem_banks_test.cpp, dram_laws_test.cpp
        // With the same mappings.
        const auto ahead = run_network_or_discard(drawn, tile_engine, counter, {.compared = false});
        const auto without = run_network(drawn, tile_engine, {.weights_ahead = false, .compared = false});
        RC_ASSERT(prefetched(without) == 0);
        RC_ASSERT(ahead.total.traffic.hbm.total() == without.total.traffic.hbm.total());
        const auto bytes = static_cast<double>(prefetched(ahead));
        const auto& machine = drawn.machine;
        const double in_memory = machine.hbm_bandwidth > 0 ? bytes * static_cast<double>(machine.clock) /
                                                                 static_cast<double>(machine.hbm_bandwidth)
                                                           : 0;
        // What is on its way as an operator ends is asked for again, by a request of its own; and cycles are whole.
        const auto operators = static_cast<double>(ahead.operators.size());
        const double latency =
            std::ceil(1e-12 * static_cast<double>(machine.hbm_latency) * static_cast<double>(machine.clock));
        RC_LOG() << ahead.total.cycles << " cycles, " << without.total.cycles
                 << " without; the bytes fetched ahead take " << in_memory << "\n";
        RC_ASSERT(static_cast<double>(ahead.total.cycles) <=
                  1.01 * static_cast<double>(without.total.cycles) + in_memory + operators * (1 + latency));
    });
    counter.require_at_most(0.6);
}
