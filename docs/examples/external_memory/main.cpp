// Runs one matrix product on the chip edge_16x16 three times: with an ideal HBM, with an SRAM that is just as ideal,
// and with an SRAM that takes one request a cycle. Exits with 1 if the first two do not take the same cycles.
#include <cstdio>
#include <exception>
#include <memory>

#include "sim/config/load.h"
#include "sim/engine/run.h"
#include "sram.h"

namespace {

systole::OperatorResult run(const systole::Machine& machine, const systole::ExternalMemoryFactory& memory) {
    systole::GemmProblem problem;
    problem.name = "example";
    problem.m = 8;
    problem.n = 128;
    problem.k = 128;
    problem.formats = {systole::Format::int8, systole::Format::int8, systole::Format::int8};
    systole::RunOptions options;
    options.engine = systole::EngineKind::flat; // carries values and compares the product
    options.external_memory = memory;
    options.tile = systole::Tile{8, 64, 16}; // the same for all three: what is compared is the memory
    return systole::simulate(machine, {problem}, options).operators.front();
}

void print(const char* memory, const systole::OperatorResult& result) {
    std::printf("%-28s %6lld cycles, product %s\n", memory, static_cast<long long>(result.cycles),
                result.verified.value_or(false) ? "equal to the reference" : "WRONG");
}

int compare() {
    // The bandwidth is what the roofline goes by: at least that of the memory that is put in.
    // With bursts of 16 B, one of them a cycle is too little: each weight is used for eight rows of A alone.
    const auto machine = systole::load_machine(CONFIGS_DIR "/chips/edge_16x16.toml",
                                               {"hbm.bandwidth=unlimited", "hbm.latency=35 ns", "dma.burst=16 B"});
    SramConfig config{.latency = machine.hbm.latency};
    SramCounts counts;
    const auto sram = [&](const systole::TimeBase& time) {
        return std::make_unique<Sram>("sram", config, time, counts);
    };
    const auto built_in = run(machine, {});
    print("ideal HBM of the chip file", built_in);
    const auto ideal = run(machine, sram);
    print("ideal SRAM", ideal);
    std::printf("%-28s %lld reads, %lld writes, %lld bytes\n", "  it has seen", static_cast<long long>(counts.reads),
                static_cast<long long>(counts.writes), static_cast<long long>(counts.bytes));
    const bool all_seen = counts.reads + counts.writes == ideal.traffic.hbm.accesses;
    config.one_request_a_cycle = true;
    const auto narrow = run(machine, sram);
    print("SRAM, one request a cycle", narrow);
    const bool good = ideal.cycles == built_in.cycles && narrow.cycles > ideal.cycles && all_seen;
    std::puts(good ? "as expected" : "NOT AS EXPECTED");
    return good ? 0 : 1;
}

} // namespace

int main() {
    try {
        return compare();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
