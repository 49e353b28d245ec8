// `probe array`: passes back to back on the array alone. Expected counts derived by hand; E = 1 unless a test says so.
#include <catch2/catch.hpp>

#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("a single weight-stationary pass, from each event") {
    Machine machine = ideal_machine(4, 8);
    machine.vmem.read_latency = 2;
    for_each_engine([&](EngineKind engine) {
        const ProbeResult result = probe(machine, engine, ws, 5, 1);
        CHECK(result.first_streamed_to_last_result == 5 + 4 + 8 - 2 + 1);           // S + R + C - 2 + E
        CHECK(result.first_stationary_to_last_result == 4 + 5 + 4 + 8 - 2 + 1);     // + R
        CHECK(result.first_vmem_read_to_last_result == 2 + 4 + 5 + 4 + 8 - 2 + 1);  // + read latency
        CHECK_FALSE(result.first_bias_to_last_result.has_value());
    });
}

TEST_CASE("a single output-stationary pass, from each event") {
    Machine machine = ideal_machine(4, 8);
    machine.vmem.read_latency = 3;
    for_each_engine([&](EngineKind engine) {
        const ProbeResult result = probe(machine, engine, os, 5, 1);
        const Cycles streamed = 5 + 4 + 8 - 2 + 4 + 1; // S + R + C - 2 + D + E
        CHECK(result.first_streamed_to_last_result == streamed);
        CHECK(result.first_stationary_to_last_result == streamed); // nothing is loaded
        CHECK(result.first_vmem_read_to_last_result == 3 + streamed);
        CHECK(result.first_bias_to_last_result == 4 + streamed); // R rows of bias first
    });
}

TEST_CASE("the smallest array") {
    const Machine machine = ideal_machine(1, 1);
    for_each_engine([&](EngineKind engine) {
        CHECK(probe(machine, engine, ws, 1, 1).first_streamed_to_last_result == 1 + 1 + 1 - 2 + 1);
        CHECK(probe(machine, engine, ws, 1, 6).first_streamed_to_last_result == 5 * 1 + 1 + 1 + 1 - 2 + 1);
        CHECK(probe(machine, engine, is, 3, 2).first_streamed_to_last_result == 1 * 3 + 3 + 1 + 1 - 2 + 1);
        CHECK(probe(machine, engine, os, 1, 1).first_streamed_to_last_result == 1 + 1 + 1 - 2 + 1 + 1);
        CHECK(probe(machine, engine, os, 2, 3).first_streamed_to_last_result == 2 * 2 + 2 + 1 + 1 - 2 + 1 + 1);
    });
}

TEST_CASE("passes back to back, double-buffered: the interval is max(S, R)") {
    for_each_engine([&](EngineKind engine) {
        const ProbeResult long_stream = probe(ideal_machine(3, 5), engine, ws, 7, 4);
        CHECK(long_stream.pass_interval == 7);
        CHECK(long_stream.first_streamed_to_last_result == 3 * 7 + 7 + 3 + 5 - 2 + 1);
        CHECK(long_stream.first_stationary_to_last_result == 3 + 3 * 7 + 7 + 3 + 5 - 2 + 1);
        const ProbeResult short_stream = probe(ideal_machine(16, 16), engine, ws, 4, 4);
        CHECK(short_stream.pass_interval == 16);
        CHECK(short_stream.first_streamed_to_last_result == 3 * 16 + 4 + 16 + 16 - 2 + 1);
        CHECK(probe(ideal_machine(4, 8), engine, is, 2, 3).first_streamed_to_last_result == 2 * 4 + 2 + 4 + 8 - 2 + 1);
    });
}

TEST_CASE("passes back to back with one weight buffer") {
    Machine machine = ideal_machine(3, 5);
    machine.array.weight_buffers = 1;
    for_each_engine([&](EngineKind engine) {
        const ProbeResult result = probe(machine, engine, ws, 7, 4);
        // T * (R + S + R + C - 2 + E) - R
        CHECK(result.first_streamed_to_last_result == 4 * (3 + 7 + 3 + 5 - 2 + 1) - 3);
        CHECK(result.first_stationary_to_last_result == 4 * (3 + 7 + 3 + 5 - 2 + 1));
        CHECK(result.pass_interval == 3 + 7 + 3 + 5 - 2 + 1);
    });
}

TEST_CASE("a drained swap: the interval is max(S, P)") {
    Machine machine = ideal_machine(4, 4);
    machine.array.swap = Swap::drained;
    machine.array.swap_period = 11;
    for_each_engine([&](EngineKind engine) {
        const ProbeResult short_stream = probe(machine, engine, ws, 4, 3);
        CHECK(short_stream.pass_interval == 11);
        CHECK(short_stream.first_streamed_to_last_result == 2 * 11 + 4 + 4 + 4 - 2 + 1);
        const ProbeResult long_stream = probe(machine, engine, ws, 12, 3);
        CHECK(long_stream.pass_interval == 12);
        CHECK(long_stream.first_streamed_to_last_result == 2 * 12 + 12 + 4 + 4 - 2 + 1);
    });
}

TEST_CASE("a reused stationary tile needs no load: the interval is S") {
    Machine machine = ideal_machine(8, 4);
    const Cycles reused = 8 + 3 * 2 + 2 + 8 + 4 - 2 + 1; // R once, (T-1)*S, S, R + C - 2, E
    for_each_engine([&](EngineKind engine) {
        const ProbeResult double_buffered = probe(machine, engine, ws, 2, 4, 0, true);
        CHECK(double_buffered.pass_interval == 2);
        CHECK(double_buffered.first_stationary_to_last_result == reused);
        Machine drained = machine;
        drained.array.swap = Swap::drained;
        drained.array.swap_period = 19;
        CHECK(probe(drained, engine, ws, 2, 4, 0, true).first_stationary_to_last_result == reused);
        Machine single_buffered = machine;
        single_buffered.array.weight_buffers = 1;
        CHECK(probe(single_buffered, engine, ws, 2, 4, 0, true).first_stationary_to_last_result == reused);
    });
}

TEST_CASE("idle cycles after every pass: the interval is max(S + I, R)") {
    const Machine machine = ideal_machine(4, 4);
    for_each_engine([&](EngineKind engine) {
        // 6 + 5 = 11 > R = 4; nothing follows the last pass, so its idle cycles are not counted
        const ProbeResult result = probe(machine, engine, ws, 6, 3, 5);
        CHECK(result.pass_interval == 11);
        CHECK(result.first_streamed_to_last_result == 2 * 11 + 6 + 4 + 4 - 2 + 1);
        // 2 + 1 = 3 < R = 4: hidden behind the load
        CHECK(probe(machine, engine, ws, 2, 3, 1).first_streamed_to_last_result == 2 * 4 + 2 + 4 + 4 - 2 + 1);
        CHECK(probe(machine, engine, ws, 2, 3, 1, true).first_streamed_to_last_result == 2 * 3 + 2 + 4 + 4 - 2 + 1);
        CHECK(probe(machine, engine, os, 6, 3, 5).first_streamed_to_last_result == 2 * 11 + 6 + 4 + 4 - 2 + 4 + 1);
    });
}

TEST_CASE("min_rows is the least interval between two passes of a probe, reused tiles included") {
    Machine machine = ideal_machine(2, 2);
    machine.array.min_rows = 5;
    for_each_engine([&](EngineKind engine) {
        CHECK(probe(machine, engine, ws, 1, 4).pass_interval == 5);
        CHECK(probe(machine, engine, ws, 1, 4).first_streamed_to_last_result == 3 * 5 + 1 + 2 + 2 - 2 + 1);
        CHECK(probe(machine, engine, ws, 1, 4, 0, true).pass_interval == 5);
        CHECK(probe(machine, engine, ws, 6, 4).pass_interval == 6);
        CHECK(probe(machine, engine, os, 3, 2).pass_interval == 5);
    });
}

TEST_CASE("output-stationary passes: the drain hides behind the next pass, or does not") {
    Machine machine = ideal_machine(4, 8);
    for_each_engine([&](EngineKind engine) {
        // D = R = 4 < S = 6
        CHECK(probe(machine, engine, os, 6, 3).first_streamed_to_last_result == 2 * 6 + 6 + 4 + 8 - 2 + 4 + 1);
        Machine along_rows = machine;
        along_rows.array.drain_axis = DrainAxis::rows; // D = C = 8 > S = 6
        CHECK(probe(along_rows, engine, os, 6, 3).first_streamed_to_last_result == 2 * 8 + 6 + 4 + 8 - 2 + 8 + 1);
        CHECK(probe(along_rows, engine, os, 6, 3).pass_interval == 8);
        Machine no_drain = machine;
        no_drain.array.drain_axis = DrainAxis::none;
        CHECK(probe(no_drain, engine, os, 6, 3).first_streamed_to_last_result == 2 * 6 + 6 + 4 + 8 - 2 + 0 + 1);
        Machine single = machine;
        single.array.accumulator_buffers = 1;
        CHECK(probe(single, engine, os, 6, 3).first_streamed_to_last_result == 3 * (6 + 4 + 8 - 2 + 4 + 1));
        CHECK(probe(single, engine, os, 6, 3).pass_interval == 6 + 4 + 8 - 2 + 4 + 1);
    });
}

TEST_CASE("broadcast rows, pipeline stages and edge registers in a probe") {
    Machine machine = ideal_machine(4, 8);
    machine.array.propagation = Propagation::broadcast_rows;
    machine.array.edge_latency = 3;
    machine.array.mac_latency = 2; // E = 3 + 2 - 1 = 4
    for_each_engine([&](EngineKind engine) {
        CHECK(probe(machine, engine, ws, 5, 1).first_streamed_to_last_result == 5 + 4 - 1 + 4); // S + R - 1 + E
        CHECK(probe(machine, engine, ws, 5, 3).first_streamed_to_last_result == 2 * 5 + 5 + 4 - 1 + 4);
    });
}

TEST_CASE("a transposer delays an output-stationary pass by R cycles once") {
    Machine machine = ideal_machine(4, 4);
    machine.array.transposer = true;
    machine.vmem.read_latency = 2;
    for_each_engine([&](EngineKind engine) {
        // read latency, R through the transposer, (T-1)*S, S + R + C - 2 + D + E
        CHECK(probe(machine, engine, os, 6, 3).first_vmem_read_to_last_result == 2 + 4 + 2 * 6 + 6 + 4 + 4 - 2 + 4 + 1);
        CHECK(probe(machine, engine, ws, 6, 1).first_vmem_read_to_last_result == 2 + 4 + 6 + 4 + 4 - 2 + 1);
    });
}

TEST_CASE("weights and activations in one bank: their reads serialise") {
    Machine machine = ideal_machine(4, 4);
    machine.vmem.banks = 1;
    for_each_engine([&](EngineKind engine) {
        // interval S + R
        const ProbeResult result = probe(machine, engine, ws, 6, 3);
        CHECK(result.pass_interval == 6 + 4);
        CHECK(result.first_vmem_read_to_last_result == 4 + 2 * (6 + 4) + 6 + 4 + 4 - 2 + 1);
    });
}

TEST_CASE("VMEM narrower than a streamed vector") {
    // A vector of v bytes leaves in the first cycle t of its pass with W*(t+1) >= (s+1)*v.
    Machine machine = ideal_machine(8, 2);
    for_each_engine([&](EngineKind engine) {
        machine.vmem.bandwidth = 4; // v = 8 rows * 1 byte: one vector every 2 cycles
        // load max(R, ceil(16/4)) = 8; ceil(5*8/4) = 10 issue cycles; R + C - 2; E
        const ProbeResult halved = probe(machine, engine, ws, 5, 1);
        CHECK(halved.first_vmem_read_to_last_result == 8 + 10 + 8 + 2 - 2 + 1);
        CHECK(halved.first_streamed_to_last_result == 10 - 1 + 8 + 2 - 2 + 1); // the first left in cycle 1 of its pass
        machine.vmem.bandwidth = 3; // ceil(5*8/3) = 14, the first in cycle ceil(8/3) - 1 = 2
        const ProbeResult thirds = probe(machine, engine, ws, 5, 1);
        CHECK(thirds.first_vmem_read_to_last_result == 8 + 14 + 8 + 2 - 2 + 1);
        CHECK(thirds.first_streamed_to_last_result == 14 - 2 + 8 + 2 - 2 + 1);
        machine.vmem.bandwidth = 1; // load 16 bytes in 16 cycles; 5*8 = 40
        CHECK(probe(machine, engine, ws, 5, 1).first_vmem_read_to_last_result == 16 + 40 + 8 + 2 - 2 + 1);
        machine.vmem.bandwidth = 8; // just enough: a vector a cycle
        CHECK(probe(machine, engine, ws, 5, 1).first_vmem_read_to_last_result == 8 + 5 + 8 + 2 - 2 + 1);
    });
}

TEST_CASE("VMEM that delivers a stationary tile slower than a row a cycle") {
    Machine machine = ideal_machine(2, 16);
    machine.vmem.bandwidth = 8;
    machine.vmem.read_latency = 3;
    for_each_engine([&](EngineKind engine) {
        // latency; 2*16 bytes / 8 = 4 > R = 2; S = 3 vectors of 2 bytes; R + C - 2; E
        CHECK(probe(machine, engine, ws, 3, 1).first_vmem_read_to_last_result == 3 + 4 + 3 + 2 + 16 - 2 + 1);
    });
}

TEST_CASE("VMEM narrower than the vectors of several passes") {
    Machine reusing = ideal_machine(8, 2);
    reusing.vmem.bandwidth = 4;
    Machine stationary_outputs = ideal_machine(4, 4);
    stationary_outputs.vmem.bandwidth = 4;
    for_each_engine([&](EngineKind engine) {
        // 10 issue cycles a pass, as above; nothing else is loaded
        const ProbeResult weights = probe(reusing, engine, ws, 5, 3, 0, true);
        CHECK(weights.first_vmem_read_to_last_result == 8 + 3 * 10 + 8 + 2 - 2 + 1);
        // R + C = 8 bytes of A and B a step: 2 cycles each; D = 4 hides behind 12
        const ProbeResult outputs = probe(stationary_outputs, engine, os, 6, 3);
        CHECK(outputs.first_vmem_read_to_last_result == 3 * 12 + 4 + 4 - 2 + 4 + 1);
    });
}
