// What a timeline shows, cycle by cycle, derived by hand.
#include <optional>
#include <set>

#include "sim/config/hbm_file.h"
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"
#include "tests/support/timeline_log.h"

using namespace systole;
using namespace systole::test;

namespace {

struct Shown {
    TimelineLog log;
    OperatorResult result;
};

Shown watch(const Machine& machine, const GemmProblem& problem, RunOptions options) {
    Shown shown;
    options.timeline = &shown.log;
    shown.result = run_one(machine, problem, options);
    REQUIRE(shown.log.operators().size() == 1);
    const auto& array = machine.array;
    const auto slots = std::int64_t{array.rows} * array.cols * array.count;
    CHECK(disagreement(shown.log, shown.log.operators().front(), shown.result, slots) == "");
    return shown;
}

struct Cells {
    std::string name;
    Cycles from, to;
};

void check_track(const LoggedOperator& timeline, const std::string& track, const std::vector<Cells>& expected) {
    INFO(track);
    const auto slices = timeline.on(track);
    REQUIRE(slices.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(slices[i].name == expected[i].name);
        CHECK(slices[i].from == expected[i].from * timeline.clock.ticks_per_cycle);
        CHECK(slices[i].to == expected[i].to * timeline.clock.ticks_per_cycle);
    }
}

} // namespace

TEST_CASE("the timeline of one weight-stationary pass from VMEM") {
    // R = C = S = 2, E = 1: the tile shifts in in cycles 0 and 1, two vectors enter in 2 and 3. The first result needs
    // R + C - 2 + E = 3 cycles: they come out in 5 and 6, are in VMEM at once, and the run ends with cycle 7.
    for_each_engine([](EngineKind engine) {
        const auto shown = watch(ideal_machine(2, 2), gemm(2, 2, 2), run_options(engine, ws, DataOrigin::vmem));
        const auto& timeline = shown.log.operators().front();
        CHECK(shown.result.cycles == 7);
        check_track(timeline, "core 0/array",
                    {{"waits: stationary_load", 0, 2}, {"ws pass", 2, 4}, {"waits: fill_drain", 4, 7}});
        check_track(timeline, "core 0/stationary tile", {{"load", 0, 2}});
        check_track(timeline, "core 0/write-back", {{"results", 5, 7}});
        CHECK(timeline.slices.size() == 5);
        CHECK(timeline.levels.empty());
    });
}

TEST_CASE("the timeline of the same pass from HBM") {
    // HBM moves 1 byte a cycle of 1 ns and answers 3 ns later; into or out of VMEM is one cycle more. B, 4 bytes, is
    // asked for in cycle 0, moves in 0 to 3 and is in VMEM from 4 + 3 + 1 on; A moves in 4 to 7 and is there from 12
    // on. B shifts in in 8 and 9; the vectors enter in 12 and 13 and their results, 3 cycles later, are in VMEM with
    // cycle 16. C is asked of VMEM in 17, moves in 18 to 21 and is accepted 3 cycles later.
    for_each_engine([](EngineKind engine) {
        auto machine = ideal_machine(2, 2);
        machine.clock = 1'000'000'000;
        machine.hbm.bandwidth = 1'000'000'000;
        machine.hbm.latency = 3000;
        auto options = run_options(engine, ws, DataOrigin::hbm);
        options.tile = Tile{2, 2, 2};
        const auto shown = watch(machine, gemm(2, 2, 2), options);
        const auto& timeline = shown.log.operators().front();
        CHECK(shown.result.cycles == 25);
        check_track(timeline, "core 0/stationary tile", {{"load", 8, 10}});
        check_track(timeline, "core 0/array",
                    {{"waits: hbm_bandwidth", 0, 12}, {"ws pass", 12, 14}, {"waits: hbm_bandwidth", 14, 25}});
        check_track(timeline, "core 0/write-back", {{"results", 15, 17}});
        check_track(timeline, "HBM/data", {{"read", 0, 8}, {"write", 18, 22}});
        check_track(timeline, "core 0/DMA 0", {{"reads B", 0, 8}, {"reads A", 0, 12}, {"writes C", 17, 25}});
        CHECK(timeline.on("HBM/data").front().number("bytes") == 8);
        CHECK(timeline.on("HBM/data").front().number("pieces") == 2);
        // VMEM: B and A are given room when they are asked for; B gives it back once it is in the array, A when its
        // last vector has entered.
        const auto cycle = timeline.clock.ticks_per_cycle;
        const std::vector<LoggedLevel> levels{{"core 0/VMEM", 0, 4},          {"core 0/VMEM", 0, 8},
                                              {"core 0/VMEM", 12 * cycle, 4}, {"core 0/VMEM", 14 * cycle, 0},
                                              {"core 0/VMEM", 17 * cycle, 4}, {"core 0/VMEM", 25 * cycle, 0}};
        CHECK(timeline.levels == levels);
    });
}

TEST_CASE("transfers of several DMA engines are on tracks of their own") {
    auto machine = ideal_machine(2, 2);
    machine.dma.engines = 3;
    const auto shown = watch(machine, gemm(8, 8, 8), run_options(EngineKind::tile, os, DataOrigin::hbm));
    std::set<std::string> engines;
    for (const auto& slice : shown.log.operators().front().slices) {
        if (slice.track.find("DMA") != std::string::npos)
            engines.insert(slice.track);
    }
    CHECK(engines == std::set<std::string>{"core 0/DMA 0", "core 0/DMA 1", "core 0/DMA 2"});
}

TEST_CASE("each pseudo-channel of HBM has a track, and engines agree on these too") {
    auto machine = ideal_machine(4, 4);
    machine.hbm.dram = load_hbm("hbm3_2pc");
    machine.hbm.bandwidth = machine.hbm.dram->peak();
    std::optional<Shown> first;
    for_each_engine([&](EngineKind engine) {
        auto shown = watch(machine, gemm(48, 64, 40), run_options(engine, ws, DataOrigin::hbm));
        const auto& timeline = shown.log.operators().front();
        CHECK_FALSE(timeline.on("HBM/pseudo-channel 00").empty());
        CHECK_FALSE(timeline.on("HBM/pseudo-channel 01").empty());
        CHECK(timeline.on("HBM/data").empty());
        if (first)
            CHECK(timeline.slices == first->log.operators().front().slices);
        else
            first = std::move(shown);
    });
}

TEST_CASE("both directions of PCIe are shown in runs from the host") {
    auto machine = ideal_machine(2, 2);
    machine.cores = 2;
    machine.pcie.bandwidth = 1'000'000'000;
    const auto shown = watch(machine, gemm(8, 8, 8), run_options(EngineKind::tile, is, DataOrigin::host));
    const auto& timeline = shown.log.operators().front();
    CHECK(timeline.sum("PCIe/to device", "", "bytes") == 128);
    CHECK(timeline.sum("PCIe/to host", "", "bytes") == 64);
    CHECK_FALSE(timeline.on("core 1/array").empty());
}

TEST_CASE("a run that is watched has the cycles of one that is not") {
    const auto machine = ideal_machine(4, 4);
    const auto options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    CHECK(watch(machine, gemm(20, 20, 20), options).result.cycles ==
          run_one(machine, gemm(20, 20, 20), options).cycles);
}
