// Better hardware never takes more seconds, beyond a scheduling anomaly of 1 % or one cycle per clock crossing.
#include <algorithm>

#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/for_each_engine.h"

using namespace systole;
using namespace systole::test;

namespace {

// Levels that the data crosses on its way in and out.
int crossings(DataOrigin from) { return from == DataOrigin::vmem ? 0 : from == DataOrigin::hbm ? 2 : 4; }

// Scheduling anomalies (docs/model.md): how many comparisons may be beyond 1 %, and how far.
constexpr double most_anomalies = 0.01;
constexpr double worst_anomaly = 1.07;

double allowed_seconds(const Case& drawn, double before) {
    const double one_cycle = 1.0 / static_cast<double>(drawn.clock);
    return before + std::max(0.01 * before, crossings(drawn.from) * one_cycle) + 1e-15;
}

// `improve` returns false if the drawn machine has nothing to improve.
template <typename Improve>
void never_slower(const std::string& description, Improve&& improve) {
    for_each_engine([&](EngineKind engine) {
        DiscardCounter counter;
        int compared = 0, slower = 0;
        check_property(description, 200, [&] {
            Case drawn = (*any_case()).plain();
            drawn.vmem_banks = 0; // banks that clients share: vmem_banks_test.cpp
            drawn.hbm_stacks = 0; // row hits come and go with the order of requests: dram_laws_test.cpp
            Case better = drawn;
            RC_PRE(improve(better));
            const OperatorResult before = run_or_discard(drawn, engine, counter);
            const OperatorResult after = run_if_it_fits(better, engine).value();
            RC_LOG() << before.cycles << " cycles at " << drawn.clock << " Hz, then " << after.cycles << " at "
                     << better.clock << " Hz; tiles " << before.tile.m << "x" << before.tile.n << "x" << before.tile.k
                     << ", then " << after.tile.m << "x" << after.tile.n << "x" << after.tile.k << "\n";
            ++compared;
            slower += after.seconds > allowed_seconds(drawn, before.seconds);
            RC_ASSERT(after.seconds <= allowed_seconds(drawn, before.seconds * worst_anomaly));
        });
        INFO(description << ": " << slower << " of " << compared << " slower by more than 1 %");
        CHECK(slower <= most_anomalies * compared);
        counter.require_at_most(0.6);
    });
}

bool doubled(std::int64_t& value) {
    value *= 2;
    return value > 0;
}

bool halved(std::int64_t& value) {
    const bool improvable = value > 0;
    value /= 2;
    return improvable;
}

} // namespace

TEST_CASE("twice the HBM bandwidth never takes longer") {
    never_slower("HBM bandwidth", [](Case& t) { return t.from != DataOrigin::vmem && doubled(t.hbm_bandwidth); });
}

TEST_CASE("half the HBM latency never takes longer") {
    never_slower("HBM latency", [](Case& t) { return t.from != DataOrigin::vmem && halved(t.hbm_latency); });
}

TEST_CASE("twice the PCIe bandwidth never takes longer") {
    never_slower("PCIe bandwidth", [](Case& t) { return t.from == DataOrigin::host && doubled(t.pcie_bandwidth); });
}

TEST_CASE("half the PCIe latency never takes longer") {
    never_slower("PCIe latency", [](Case& t) { return t.from == DataOrigin::host && halved(t.pcie_latency); });
}

TEST_CASE("twice the VMEM bandwidth never takes longer") {
    never_slower("VMEM bandwidth", [](Case& t) { return doubled(t.vmem_bandwidth); });
}

TEST_CASE("twice the VMEM never takes longer") {
    never_slower("VMEM capacity", [](Case& t) { return doubled(t.vmem_capacity); });
}

TEST_CASE("twice the accumulators never take longer") {
    never_slower("accumulator capacity", [](Case& t) { return doubled(t.accumulator_capacity); });
}

TEST_CASE("twice the clock never takes longer") {
    never_slower("clock", [](Case& t) { return doubled(t.clock); });
}

TEST_CASE("unlimited memories never take longer than bounded ones") {
    never_slower("ideal memories", [](Case& t) {
        const bool bounded = t.hbm_bandwidth > 0 || t.vmem_bandwidth > 0 || t.pcie_bandwidth > 0;
        t.hbm_bandwidth = t.vmem_bandwidth = t.pcie_bandwidth = 0;
        return bounded;
    });
}
