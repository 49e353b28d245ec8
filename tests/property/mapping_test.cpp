// Mappings that are searched for: never slower than the naive one, run again as they were, and better off with more.
#include <algorithm>
#include <array>

#include "dataflow/mapping_candidates.h"
#include "sim/base/error.h"
#include "sim/config/load.h"
#include "sim/engine/plan.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr double most_discarded = 0.6;

// As in monotone_test.cpp: how many comparisons may be beyond 1 % or a refresh, and how far.
constexpr double most_anomalies = 0.01;
constexpr double worst_anomaly = 1.04;

RunOptions options_of(const Case& drawn, MappingMode mapping) {
    auto options = run_options(EngineKind::tile, drawn.dataflow, drawn.from);
    options.mapping = mapping;
    return options;
}

Cycles cycles_of_plan(const Machine& machine, const Plan& plan, const RunOptions& options) {
    return cycles_of(machine, machine_run(plan, EngineKind::tile, options));
}

std::optional<Plan> plan_if_it_fits(const Machine& machine, const GemmProblem& problem, const RunOptions& options) {
    try {
        return make_plan(machine, problem, options);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

} // namespace

TEST_CASE("the mapping that is searched for is never slower than the naive one", "[mapping]") {
    DiscardCounter counter;
    int better = 0;
    check_property("auto and naive", 400, [&] {
        const Case drawn = *any_case();
        const Machine machine = drawn.machine();
        auto naive = options_of(drawn, MappingMode::naive);
        auto search = options_of(drawn, MappingMode::automatic);
        if (*rc::gen::inRange(0, 4) == 0)
            naive.dataflow = search.dataflow = std::nullopt;
        const auto plan = plan_if_it_fits(machine, drawn.problem(), naive);
        if (!plan) {
            counter.discarded();
            RC_DISCARD("does not fit the machine");
        }
        counter.kept();
        const Cycles before = cycles_of_plan(machine, *plan, naive);
        const Cycles after = cycles_of_plan(machine, make_plan(machine, drawn.problem(), search), search);
        RC_ASSERT(after <= before);
        better += after < before;
    });
    CHECK(better > 40); // it does find some
    counter.require_at_most(most_discarded);
}

namespace {

// The fewest cycles of all mappings that the search looks at.
Cycles fewest_of_all(const Machine& machine, const GemmProblem& problem, const RunOptions& options, Cycles found) {
    const auto limits = core_limits(machine, problem.formats);
    const auto whole = orient(problem, *options.dataflow);
    for (const auto& mapping : mapping_candidates(whole, options.from, limits, CandidateList::rich)) {
        if (vmem_need(mapping, limits) > limits.vmem_capacity ||
            accumulator_need(mapping, limits) > limits.accumulator_capacity)
            continue;
        const auto plan =
            plan_with(machine, problem, *options.dataflow, options, [&](const OrientedGemm&) { return mapping; });
        found = std::min(found, cycles_of(machine, machine_run(plan, EngineKind::tile, options), found));
    }
    return found;
}

} // namespace

TEST_CASE("of a small product the mapping that is searched for is among the fastest there are", "[mapping]") {
    const Machine machine = load_machine("edge_16x16");
    const Machine fine = load_machine(
        "edge_16x16", {"hbm.bandwidth=unlimited", "hbm.latency=35ns", "dma.burst=32B", "vmem.capacity=32KiB"});
    int compared = 0, optimal = 0, near = 0;
    check_property("all candidates", 80, [&] {
        using rc::gen::inRange;
        const auto& drawn = *inRange(0, 2) == 0 ? machine : fine;
        const auto extent = [] { return std::int64_t{*inRange(1, 13)} << *inRange(0, 4); };
        auto problem = gemm(extent(), extent(), extent());
        const auto options = run_options(EngineKind::tile, *rc::gen::element(ws, os, is),
                                         *rc::gen::element(DataOrigin::hbm, DataOrigin::vmem));
        const Plan plan = make_plan(drawn, problem, options);
        const auto found = cycles_of_plan(drawn, plan, options);
        const auto fewest = fewest_of_all(drawn, problem, options, found);
        ++compared;
        optimal += found <= fewest + fewest / 1000;
        near += found <= fewest + fewest / 50;
        RC_ASSERT(static_cast<double>(found) <= 1.1 * static_cast<double>(fewest));
    });
    INFO(optimal << " as fast as the fastest, " << near << " within 2 %, of " << compared);
    CHECK(optimal >= 0.8 * compared);
    CHECK(near >= 0.9 * compared);
}

TEST_CASE("a mapping that is written to a file is run again as it was", "[mapping]") {
    DiscardCounter counter;
    check_property("fixed", 200, [&] {
        const Case drawn = *any_case();
        const Machine machine = drawn.machine();
        const auto options = options_of(drawn, MappingMode::automatic);
        const GemmProblem problem = drawn.problem();
        const auto plan = plan_if_it_fits(machine, problem, options);
        if (!plan) {
            counter.discarded();
            RC_DISCARD("does not fit the machine");
        }
        counter.kept();
        const SavedMapping saved{{}, problem.name, problem.m, problem.n, problem.k, problem.count, plan->choice};
        const auto file = read_mapping_file(mapping_file_text({saved}), "saved.toml");
        const auto matched = match(file, {problem}, drawn.dataflow);
        const Plan again = make_plan(machine, problem, options, &matched.front());
        RC_ASSERT(again.choice == plan->choice);
        RC_ASSERT(again.dataflow == plan->dataflow);
        RC_ASSERT(cycles_of_plan(machine, again, options) == cycles_of_plan(machine, *plan, options));
    });
    counter.require_at_most(most_discarded);
}

namespace {

struct ChipCase {
    Machine machine;
    GemmProblem problem;
    RunOptions options;
};

// Small enough for a second's worth of them; VMEM from a tenth to twice of what the operands take.
ChipCase any_chip_case() {
    static const std::array machines{load_machine("tpu_v5e"), load_machine("edge_16x16"), load_machine("tpu_v1"),
                                     load_machine("npu_200t"), load_machine("tiny_4x4")};
    using rc::gen::inRange;
    ChipCase drawn;
    drawn.machine = machines[static_cast<std::size_t>(*inRange(0, static_cast<int>(machines.size())))];
    const auto extent = [] { return std::int64_t{*inRange(1, 16)} << *inRange(0, 6); };
    drawn.problem = gemm(extent(), extent(), extent());
    const Format format = drawn.machine.default_format;
    drawn.problem.formats = {format, format, format};
    const auto& p = drawn.problem;
    const Bytes all = stored_bytes(p.m * p.k + p.k * p.n + p.m * p.n, format);
    drawn.machine.vmem.capacity = std::max<Bytes>(4096, all * *inRange(1, 21) / 10);
    drawn.options = run_options(EngineKind::tile, *rc::gen::element(ws, os, is),
                                *rc::gen::element(DataOrigin::hbm, DataOrigin::hbm, DataOrigin::host));
    return drawn;
}

// A refresh of the slowest stack and a crossing of clocks.
Cycles one_refresh(const Machine& machine) {
    const auto& dram = machine.hbm.dram;
    return dram ? dram->timing.rfc * machine.clock / dram->clock + 4 : 4;
}

struct Measured {
    Cycles cycles = 0;
    Bytes moved = 0;
};

Measured measure(const ChipCase& drawn, const Plan& plan) {
    Measured result{cycles_of_plan(drawn.machine, plan, drawn.options), 0};
    for (const auto& share : plan.shares) {
        const auto bytes = mapped_bytes(share.mapping, plan.limits);
        result.moved += bytes.x_fetched + bytes.y_fetched + bytes.out_stored;
    }
    return result;
}

} // namespace

// More bytes are a fair price for less time.
TEST_CASE("half the VMEM never takes less time, nor fewer bytes in the same time, on a shipped chip",
          "[mapping][long]") {
    int compared = 0, anomalies = 0, fewer = 0;
    check_property("VMEM halved", 400, [&] {
        ChipCase drawn = any_chip_case();
        ChipCase half = drawn;
        half.machine.vmem.capacity /= 2;
        const auto less = plan_if_it_fits(half.machine, half.problem, half.options);
        if (!less)
            return;
        const Plan plan = make_plan(drawn.machine, drawn.problem, drawn.options);
        const Measured after = measure(half, *less);
        const Measured before = measure(drawn, plan);
        ++compared;
        anomalies += before.cycles > after.cycles + std::max(after.cycles / 100, one_refresh(drawn.machine));
        RC_ASSERT(static_cast<double>(before.cycles) <=
                  worst_anomaly * static_cast<double>(after.cycles) + static_cast<double>(one_refresh(drawn.machine)));
        fewer += before.moved > after.moved + after.moved / 100 && before.cycles >= after.cycles;
    });
    INFO(anomalies << " slower, " << fewer << " for nothing with more bytes, of " << compared);
    CHECK(compared > 200);
    CHECK(anomalies <= most_anomalies * compared);
    CHECK(fewer == 0);
}

TEST_CASE("twice the batch never takes less time on a shipped chip", "[mapping][long]") {
    int compared = 0, anomalies = 0;
    check_property("batch doubled", 400, [&] {
        ChipCase drawn = any_chip_case();
        ChipCase twice = drawn;
        twice.problem.m *= 2;
        const auto plan = plan_if_it_fits(drawn.machine, drawn.problem, drawn.options);
        const auto more = plan_if_it_fits(twice.machine, twice.problem, twice.options);
        if (!plan || !more)
            return;
        const Measured before = measure(drawn, *plan);
        const Measured after = measure(twice, *more);
        ++compared;
        anomalies += before.cycles > after.cycles + std::max(after.cycles / 100, one_refresh(drawn.machine));
        RC_ASSERT(static_cast<double>(before.cycles) <=
                  worst_anomaly * static_cast<double>(after.cycles) + static_cast<double>(one_refresh(drawn.machine)));
    });
    INFO(anomalies << " of " << compared);
    CHECK(compared > 200);
    CHECK(anomalies <= most_anomalies * compared);
}
