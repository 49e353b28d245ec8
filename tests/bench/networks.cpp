#include "tests/bench/networks.h"

#include <cstdio>
#include <map>
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
    std::map<std::string, std::int64_t> bindings{};
};

constexpr double most_bytes = 200.0 * (1 << 20);

// From the workload's file to its result: cycles.
double run(const Goal& goal) {
    const Machine machine = load_machine("tpu_v5e", goal.settings);
    const OperandFormats formats{Format::bf16, Format::bf16, Format::bf16};
    const Network network = load_network(goal.workload, {formats, std::nullopt, goal.bindings});
    RunOptions options;
    options.engine = EngineKind::tile;
    return static_cast<double>(simulate_network(machine, network, lower(network), options).total.cycles);
}

Measured report(const std::string& what, const Goal& goal) {
    const Measured run = measure([&] { return bench::run(goal); });
    std::printf("%-58s %10.2f ms, %.1f MiB, %.0f cycles\n", what.c_str(), run.seconds * 1e3, run.peak_bytes / (1 << 20),
                run.work);
    return run;
}

void compare(const Goal& goal) {
    const Measured run = report(std::string("tile ") + goal.workload + " on tpu_v5e", goal);
    print_ratio("of its goal of " + std::to_string(static_cast<int>(goal.seconds * 1e3)) + " ms",
                run.seconds / goal.seconds, "goal: at most 1");
    print_ratio("and 200 MiB", run.peak_bytes / most_bytes, "goal: at most 1");
}

} // namespace

void networks() {
    const std::vector<std::string> one_array{"array.count=1"};
    compare({"resnet50", one_array, 0.1});
    compare({"bert_base", one_array, 0.1});
    compare({"llama3_8b_prefill", {}, 5});
    compare({"llama3_8b_decode", {}, 2});
    // Twice the images have twice the passes and twice the rows of memory but for the weights.
    const Measured some = report("tile resnet50, 16 images", {"resnet50", one_array, 0, {{"batch", 16}}});
    const Measured twice = report("tile resnet50, 32 images", {"resnet50", one_array, 0, {{"batch", 32}}});
    print_ratio("time of 32 over 16 images", twice.seconds / some.seconds, "linear: about 2");
}

} // namespace systole::bench
