// A machine and results made by hand, for the reports. The numbers hang together: every sum and ratio can be checked
// with a pencil.
#pragma once

#include "sim/config/machine.h"
#include "sim/stats/result.h"
#include "sim/stats/total.h"

namespace systole {

inline Machine sample_machine() {
    Machine machine;
    machine.name = "sample_2x4";
    machine.description = "one 2x4 int8 array, for tests";
    machine.file = "sample_2x4.toml";
    machine.clock = 1'000'000'000;
    machine.array.rows = 2;
    machine.array.cols = 4;
    machine.macs_per_pe_cycle = {{Format::int8, 1}};
    machine.vmem.capacity = 64 * 1024;
    machine.vmem.bandwidth = 16;
    machine.hbm.bandwidth = 4'000'000'000;
    machine.pcie.bandwidth = unlimited;
    return machine;
}

// 4 x 4 x 4 on 2 x 4 PEs: 64 MACs, 128 FLOP; 20 cycles = 160 PE-slots at 16 GFLOP/s peak.
inline OperatorResult sample_operator() {
    OperatorResult result;
    result.name = "qk";
    result.m = result.n = result.k = 4;
    result.from = DataOrigin::hbm;
    result.tile = {4, 4, 4};
    result.mapping = MappingChoice{Dataflow::weight_stationary, {4, 4, 4}, LoopOrder::mnk, Sharing::n};
    result.passes = 2;
    result.macs = result.dense_macs = 64;
    result.cycles = 20;
    result.seconds = 20e-9;
    result.pe_slots = 160;
    result.stack[Cause::useful] = 64;
    result.stack[Cause::stationary_load] = 16;
    result.stack[Cause::fill_drain] = 36;
    result.stack[Cause::hbm_bandwidth] = 44;
    result.traffic.pe = {{64, 64, 0, 256}, {64, 16, 0, 256}, 272};
    result.traffic.accumulator = {{0, 0, 64, 64}, {0, 0, 0, 128}, 12};
    result.traffic.vmem = {{16, 16, 16, 0}, {16, 16, 16, 0}, 9};
    result.traffic.hbm = {{32, 16, 0, 0}, {0, 0, 16, 0}, 4};
    result.roofline.peak_flops = 16e9;
    result.roofline.t_math_s = 8e-9;
    result.roofline.lower_bound_s = 12e-9;
    result.roofline.upper_bound_s = 23e-9;
    result.roofline.bound = "hbm";
    result.roofline.levels["vmem"] = {48, 96, 16e9, 128.0 / 48, 128.0 / 96, 1, 3e-9};
    result.roofline.levels["hbm"] = {48, 64, 4e9, 128.0 / 48, 2, 4, 12e-9};
    result.verified = true;
    result.kernel_events = 100;
    result.vmem_conflict_cycles = 3;
    result.vmem_allocation = {{"A0", 0, 16, 0, 1}, {"B0", 16, 16, 1, 1}, {"C0", 32, 16, 0, unlimited}};
    return result;
}

inline RunResult sample_run() {
    RunResult run;
    run.chip = "sample_2x4";
    run.engine = "structural";
    run.clock = 1'000'000'000;
    run.operators = {sample_operator()};
    run.total = total_of(run.operators);
    run.total.roofline = run.operators.front().roofline;
    return run;
}

// Two operators: the sample, and one of another shape, dataflow and format, unchecked.
inline RunResult sample_network() {
    RunResult run = sample_run();
    OperatorResult other = sample_operator();
    other.name = "av, \"second\"";
    other.m = 1;
    other.k = 16;
    other.dataflow = Dataflow::output_stationary;
    other.formats.c = Format::int32;
    other.verified = std::nullopt;
    run.operators.push_back(other);
    run.total = total_of(run.operators);
    run.total.roofline = run.operators.front().roofline;
    return run;
}

} // namespace systole
