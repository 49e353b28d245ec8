// systole_bench [TOPOLOGY.csv]...: how fast the engines are, in one run beside what the same computer can do at best.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/config/load.h"
#include "sim/engine/run.h"
#include "tests/bench/baselines.h"
#include "tests/bench/formats.h"
#include "tests/bench/hbm.h"
#include "tests/bench/measure.h"
#include "tests/bench/networks.h"
#include "tests/bench/topology.h"
#include "tests/support/engines.h"

using namespace systole;
using namespace systole::bench;

namespace {

Machine square_machine(int side) {
    Machine machine;
    machine.name = "bench";
    machine.array.rows = side;
    machine.array.cols = side;
    machine.macs_per_pe_cycle = {{Format::int8, 1}};
    return machine;
}

RunOptions options_for(EngineKind engine, DataOrigin from) {
    RunOptions options;
    options.engine = engine;
    options.from = from;
    options.verify = false;
    options.max_cycles = unlimited;
    return options;
}

// PE-cycles of one weight-stationary pass of `vectors` vectors that fills the array.
double run_square(EngineKind engine, int side, std::int64_t vectors) {
    GemmProblem problem;
    problem.m = vectors;
    problem.n = side;
    problem.k = side;
    const RunResult result = simulate(square_machine(side), {problem}, options_for(engine, DataOrigin::vmem));
    return static_cast<double>(side) * side * static_cast<double>(result.total.cycles);
}

Measured measure_square(EngineKind engine, int side, std::int64_t vectors) {
    return measure([=] { return run_square(engine, side, vectors); });
}

void structural() {
    const Measured empty = measure([] { return empty_sc_methods(32 * 32, 20'000); }, 1);
    const Measured engine = measure_square(EngineKind::structural, 32, 4'000);
    print_rate("empty SC_METHOD, 1024 of them on one clock", empty.per_second(), "activations");
    print_rate("structural 32x32, weight-stationary", engine.per_second(), "PE-cycles");
    print_ratio("PE-cycles per empty activation", engine.per_second() / empty.per_second(), "higher is better");
    print_ratio("structural over its goal of 5 million PE-cycles/s", engine.per_second() / 5e6, "goal: at least 1");
}

void flat() {
    const Measured bare128 = measure([] { return bare_loop(128, 128, 40'000); });
    const Measured bare256 = measure([] { return bare_loop(256, 256, 10'000); });
    const Measured flat64 = measure_square(EngineKind::flat, 64, 100'000);
    const Measured flat128 = measure_square(EngineKind::flat, 128, 40'000);
    const Measured flat256 = measure_square(EngineKind::flat, 256, 10'000);
    const Measured structural64 = measure_square(EngineKind::structural, 64, 1'000);
    print_rate("bare loop 128x128", bare128.per_second(), "PE-cycles");
    print_rate("bare loop 256x256", bare256.per_second(), "PE-cycles");
    print_rate("flat 128x128, weight-stationary", flat128.per_second(), "PE-cycles");
    print_rate("flat 256x256, weight-stationary", flat256.per_second(), "PE-cycles");
    print_rate("flat 64x64, weight-stationary", flat64.per_second(), "PE-cycles");
    print_rate("structural 64x64, weight-stationary", structural64.per_second(), "PE-cycles");
    print_ratio("flat 128x128 over its goal of 1500 million", flat128.per_second() / 1.5e9, "goal: at least 1");
    print_ratio("flat 128x128 over the bare loop", flat128.per_second() / bare128.per_second(), "goal: at least 0.5");
    print_ratio("flat 256x256 over flat 128x128, per PE", flat256.per_second() / flat128.per_second(),
                "goal: at least 0.75");
    print_ratio("flat over structural at 64x64", flat64.per_second() / structural64.per_second(), "goal: at least 100");
}

// All levels on: bounded VMEM, HBM and PCIe, operands in host memory.
double run_large_gemm() {
    Machine machine = square_machine(128);
    machine.accumulator_capacity = 4 << 20;
    machine.vmem.capacity = 16 << 20;
    machine.vmem.bandwidth = 1024;
    machine.vmem.read_latency = 4;
    machine.hbm.bandwidth = 819'000'000'000;
    machine.hbm.latency = 100'000;
    machine.pcie.bandwidth = 32'000'000'000;
    machine.pcie.latency = 500'000;
    GemmProblem problem;
    problem.m = problem.n = problem.k = 4096;
    return static_cast<double>(
        simulate(machine, {problem}, options_for(EngineKind::tile, DataOrigin::host)).total.cycles);
}

void tile() {
    const Measured gemm = measure(run_large_gemm);
    std::printf("%-58s %10.2f ms, %.1f MiB\n", "tile 4096x4096x4096 on 128x128, from host", gemm.seconds * 1e3,
                gemm.peak_bytes / (1 << 20));
    print_ratio("of its goals of 50 ms", gemm.seconds / 50e-3, "goal: at most 1");
    print_ratio("and 100 MiB", gemm.peak_bytes / (100 << 20), "goal: at most 1");
}

void topology(const std::string& file) {
    const Machine machine = load_machine("scalesim_like", {"array.rows=128", "array.cols=128"});
    const std::vector<GemmProblem> network = read_topology(file, machine.default_format);
    const Measured run = measure([&] {
        return static_cast<double>(
            simulate(machine, network, options_for(EngineKind::tile, DataOrigin::vmem)).total.cycles);
    });
    std::printf("%-58s %10.2f ms, %.1f MiB, %.0f cycles, %zu layers\n", ("tile " + file).c_str(), run.seconds * 1e3,
                run.peak_bytes / (1 << 20), run.work, network.size());
}

void run_all(const std::vector<std::string>& topologies) {
    structural();
    hbm();
    if (test::has_engine(EngineKind::flat)) {
        flat();
        formats();
    }
    if (test::has_engine(EngineKind::tile)) {
        tile();
        networks();
        for (const std::string& file : topologies) {
            topology(file);
        }
    } else if (!topologies.empty()) {
        throw std::runtime_error("topologies are timed on the tile engine, which this build has not");
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        run_all({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "systole_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
