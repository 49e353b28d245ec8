// Less VMEM or more samples never make a network faster, beyond a scheduling anomaly of 1 % or one refresh.
#include <algorithm>
#include <cmath>

#include "tests/support/check_property.h"
#include "tests/support/engines.h"
#include "tests/support/networks.h"

using namespace systole;
using namespace systole::test;

namespace {

// Of a run from small_dram(), in cycles of the core clock.
double one_refresh(const Case& drawn) {
    if (!drawn.has_dram())
        return 0;
    const auto dram = small_dram(drawn.hbm_refresh);
    return static_cast<double>(dram.timing.rfc) * static_cast<double>(drawn.clock) / static_cast<double>(dram.clock);
}

// In cycles, of the memory. A weight that is on its way as an operator ends is asked for again by its own; a longer
// operator would have got it.
double latency(const Case& drawn) {
    return std::ceil(1e-12 * static_cast<double>(drawn.hbm_latency) * static_cast<double>(drawn.clock));
}

// Scheduling anomalies (docs/model.md): how many comparisons may be beyond 1 % or a refresh, and how far.
constexpr double most_anomalies = 0.01;
constexpr double worst_anomaly = 1.07;

class Anomalies {
  public:
    // `more`: cycles with more work or less memory.
    void compare(const Case& drawn, const RunResult& more, const RunResult& less) {
        const auto most = static_cast<double>(less.total.cycles);
        const auto cycles = static_cast<double>(more.total.cycles);
        RC_LOG() << "more work or less memory: " << more.total.cycles << " cycles, else " << less.total.cycles << "\n";
        ++compared_;
        faster_ += cycles < most - std::max(0.01 * most, one_refresh(drawn));
        const auto again = static_cast<double>(less.operators.size()) * latency(drawn);
        RC_ASSERT(cycles >= most / worst_anomaly - one_refresh(drawn) - again);
    }
    void require_few() const {
        INFO(faster_ << " of " << compared_ << " faster by more than 1 % or a refresh");
        CHECK(faster_ <= most_anomalies * compared_);
    }

  private:
    int compared_ = 0, faster_ = 0;
};

} // namespace

TEST_CASE("half the VMEM never means fewer bytes from HBM or less time for a network") {
    DiscardCounter counter;
    Anomalies anomalies;
    check_property("VMEM of networks halved", 400, [&] {
        NetworkCase drawn = *any_network();
        RC_PRE(drawn.machine.vmem_capacity > 0);
        NetworkCase halved = drawn;
        halved.machine.vmem_capacity /= 2;
        const auto less = run_network_or_discard(halved, EngineKind::tile, counter);
        const auto more = run_network(drawn, EngineKind::tile);
        RC_ASSERT(less.total.traffic.hbm.total() >= more.total.traffic.hbm.total());
        anomalies.compare(drawn.machine, less, more);
    });
    anomalies.require_few();
    counter.require_at_most(0.7);
}

TEST_CASE("twice the batch never means less time for a network") {
    DiscardCounter counter;
    Anomalies anomalies;
    check_property("batch of networks doubled", 400, [&] {
        NetworkCase drawn = *any_network();
        drawn.machine.vmem_banks = 0; // banks that clients share: vmem_banks_test.cpp
        drawn.machine.hbm_stacks = 0; // row hits come and go with the order of requests: dram_laws_test.cpp
        NetworkCase doubled = drawn;
        doubled.batch *= 2;
        const auto more = run_network_or_discard(doubled, EngineKind::tile, counter);
        const auto less = run_network_or_discard(drawn, EngineKind::tile, counter);
        anomalies.compare(drawn.machine, more, less);
    });
    anomalies.require_few();
    counter.require_at_most(0.6);
}
