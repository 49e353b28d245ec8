#include "tests/bench/networks.h"

#include <cstdio>
#include <string>
#include <vector>

#include "sim/config/load.h"
#include "sim/engine/network_run.h"
#include "sim/workload/workload.h"
#include "tests/bench/measure.h"

namespace systole::bench {

namespace {

struct Goal {
    const char* workload;
    std::vector<std::string> settings; // of tpu_v5e
    double seconds;
};

constexpr double most_bytes = 200.0 * (1 << 20);

// From the workload's file to its result: cycles.
double run(const Goal& goal) {
    const Machine machine = load_machine("tpu_v5e", goal.settings);
    const OperandFormats formats{Format::bf16, Format::bf16, Format::bf16};
    const Network network = load_network(goal.workload, {formats, std::nullopt, {}});
    RunOptions options;
    options.engine = EngineKind::tile;
    return static_cast<double>(simulate_network(machine, network, lower(network), options).total.cycles);
}

void compare(const Goal& goal) {
    const Measured run = measure([&] { return bench::run(goal); });
    std::printf("%-58s %10.2f ms, %.1f MiB, %.0f cycles\n",
                (std::string("tile ") + goal.workload + " on tpu_v5e").c_str(), run.seconds * 1e3,
                run.peak_bytes / (1 << 20), run.work);
    print_ratio("of its goal of " + std::to_string(static_cast<int>(goal.seconds * 1e3)) + " ms",
                run.seconds / goal.seconds, "goal: at most 1");
    print_ratio("and 200 MiB", run.peak_bytes / most_bytes, "goal: at most 1");
}

// The same tiles for any number of rows: passes of the array and accesses of the DRAM.
double run_rows(std::int64_t rows) {
    GemmProblem problem;
    problem.m = rows;
    problem.n = problem.k = 8192;
    problem.formats = {Format::bf16, Format::bf16, Format::bf16};
    RunOptions options;
    options.engine = EngineKind::tile;
    options.tile = Tile{1024, 1024, 1024};
    const auto total = simulate(load_machine("tpu_v5e"), {problem}, options).total;
    return static_cast<double>(total.passes + total.hbm.accesses);
}

Measured report_rows(std::int64_t rows) {
    const Measured run = measure([&] { return run_rows(rows); });
    std::printf("%-58s %10.2f ms, %.0f passes and DRAM accesses\n",
                ("tile " + std::to_string(rows) + "x8192x8192 on tpu_v5e").c_str(), run.seconds * 1e3, run.work);
    return run;
}

} // namespace

void networks() {
    const std::vector<std::string> one_array{"array.count=1"};
    compare({"resnet50", one_array, 0.1});
    compare({"bert_base", one_array, 0.1});
    compare({"llama3_8b_prefill", {}, 5});
    compare({"llama3_8b_decode", {}, 2});
    const Measured once = report_rows(4096);
    const Measured twice = report_rows(8192);
    print_ratio("passes and accesses, twice over once", twice.work / once.work, "about 2");
    print_ratio("time, twice over once", twice.seconds / once.seconds, "linear: about 2");
}

} // namespace systole::bench
