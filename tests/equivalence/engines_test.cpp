// Three engines, one answer: on random machines, problems and policies every engine reports the same counts.
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/engines.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// Engines that compute values have checked their product, so equal to the reference is equal to each other.
void assert_same(const OperatorResult& expected, const OperatorResult& got, EngineKind engine) {
    RC_LOG() << name(engine) << ": " << got.cycles << " cycles, " << name(engines.front()) << ": " << expected.cycles
             << "\n";
    for (const Cause cause : all_causes) {
        if (expected.stack[cause] != got.stack[cause]) {
            RC_LOG() << "  " << name(cause) << ": " << got.stack[cause] << " instead of " << expected.stack[cause]
                     << " slots\n";
        }
    }
    RC_ASSERT(got.cycles == expected.cycles);
    RC_ASSERT(got.seconds == expected.seconds);
    RC_ASSERT(got.pe_slots == expected.pe_slots);
    RC_ASSERT(got.stack == expected.stack);
    RC_ASSERT(got.passes == expected.passes);
    RC_ASSERT(got.tile == expected.tile);
    RC_ASSERT(got.macs == expected.macs);
    RC_ASSERT(got.traffic.pe == expected.traffic.pe);
    RC_ASSERT(got.traffic.accumulator == expected.traffic.accumulator);
    RC_ASSERT(got.traffic.vmem == expected.traffic.vmem);
    RC_ASSERT(got.traffic.hbm == expected.traffic.hbm);
    RC_ASSERT(got.traffic.pcie == expected.traffic.pcie);
    RC_ASSERT(got.pcie == expected.pcie);
    RC_ASSERT(got.hbm == expected.hbm);
}

void check_equivalence(int cases, CaseLimits limits) {
    DiscardCounter counter;
    check_property("engines agree", cases, [&] {
        const Case drawn = *any_case(limits);
        const OperatorResult expected = run_or_discard(drawn, engines.front(), counter);
        for (const EngineKind engine : engines) {
            // The first once more: an engine that does not repeat itself cannot agree with another.
            const std::optional<OperatorResult> got = run_if_it_fits(drawn, engine);
            RC_ASSERT(got.has_value());
            assert_same(expected, *got, engine);
        }
    });
    counter.require_at_most(0.6);
}

void check_probe_equivalence(int cases, CaseLimits limits) {
    check_property("engines agree on probes", cases, [&] {
        const Machine machine = (*any_case(limits)).machine();
        const auto dataflow = *rc::gen::element(ws, os, is).as("dataflow");
        const auto streamed = *rc::gen::inRange<std::int64_t>(1, limits.largest_dimension + 1).as("streamed");
        const auto passes = *rc::gen::inRange<std::int64_t>(1, 7).as("passes");
        const auto idle = *rc::gen::inRange<Cycles>(0, 6).as("idle");
        const bool reuse = dataflow != os && *rc::gen::arbitrary<bool>().as("reuse");
        const ProbeResult expected = probe(machine, engines.front(), dataflow, streamed, passes, idle, reuse);
        for (const EngineKind engine : engines) {
            const ProbeResult got = probe(machine, engine, dataflow, streamed, passes, idle, reuse);
            RC_LOG() << name(engine) << "\n";
            RC_ASSERT(got.first_vmem_read_to_last_result == expected.first_vmem_read_to_last_result);
            RC_ASSERT(got.first_stationary_to_last_result == expected.first_stationary_to_last_result);
            RC_ASSERT(got.first_streamed_to_last_result == expected.first_streamed_to_last_result);
            RC_ASSERT(got.first_bias_to_last_result == expected.first_bias_to_last_result);
            RC_ASSERT(got.pass_interval == expected.pass_interval);
        }
    });
}

} // namespace

TEST_CASE("engines agree on 2,000 random machines, problems and policies") {
    check_equivalence(2'000, {});
}

TEST_CASE("engines agree on 2,000 random probes") {
    check_probe_equivalence(2'000, {});
}

TEST_CASE("engines agree on 20,000 random cases", "[long]") {
    check_equivalence(20'000, {});
}

TEST_CASE("engines agree on larger arrays and problems", "[long]") {
    check_equivalence(500, {.largest_array = 32, .largest_dimension = 150});
    check_probe_equivalence(2'000, {.largest_array = 32, .largest_dimension = 200});
}
