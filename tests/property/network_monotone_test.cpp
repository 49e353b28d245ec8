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

double latency(const Case& drawn) {
    return std::ceil(1e-12 * static_cast<double>(drawn.hbm_latency) * static_cast<double>(drawn.clock));
}

// A weight that is on its way as an operator ends is asked for again by its own; a longer operator would have got it.
// So each may lose, once, a latency and the bytes in flight.
double given_up(const Case& drawn, const OperatorResult& one) {
    if (drawn.hbm_bandwidth == 0)
        return latency(drawn);
    const auto in_flight = drawn.dma_burst * drawn.dma_outstanding * drawn.dma_engines;
    const auto bytes = std::min(in_flight, one.traffic.hbm.read.b + one.prefetched);
    return latency(drawn) +
           static_cast<double>(bytes) * static_cast<double>(drawn.clock) / static_cast<double>(drawn.hbm_bandwidth);
}

// Scheduling anomalies (docs/model.md): how many comparisons may be beyond 1 % or a refresh, and how far.
constexpr double most_anomalies = 0.005;
constexpr double worst_anomaly = 1.05;

class Anomalies {
  public:
    // `more`: cycles with more work or less memory. `allowed`: cycles that do not count.
    void compare(const Case& drawn, const RunResult& more, const RunResult& less, double allowed) {
        const auto most = static_cast<double>(less.total.cycles) - allowed;
        const auto cycles = static_cast<double>(more.total.cycles);
        RC_LOG() << "more work or less memory: " << more.total.cycles << " cycles, else " << less.total.cycles << "\n";
        ++compared_;
        faster_ += cycles < most - std::max(0.01 * most, one_refresh(drawn));
        RC_ASSERT(cycles >= most / worst_anomaly - one_refresh(drawn));
    }
    void require_few() const {
        INFO(faster_ << " of " << compared_ << " faster by more than 1 % or a refresh");
        CHECK(faster_ <= most_anomalies * compared_);
    }

  private:
    int compared_ = 0, faster_ = 0;
};

double all_given_up(const Case& drawn, const RunResult& result) {
    double sum = 0;
    for (const auto& one : result.operators)
        sum += given_up(drawn, one);
    return sum;
}

// Blocks of the vector unit are its share of the work halved, so that a larger share, or one for a smaller VMEM, may be
// cut finer and overlap its transfers better (docs/model.md): a quarter of what its operators take.
double coarse_blocks(const RunResult& result) {
    Cycles vector = 0;
    for (const auto& one : result.operators)
        vector += one.macs == 0 ? one.cycles : 0;
    return static_cast<double>(vector) / 4;
}

// Of operators that fetch nothing for each other.
constexpr NetworkWays by_themselves{.weights_ahead = false};

} // namespace

TEST_CASE("half the VMEM never means fewer bytes from HBM or less time for a network") {
    DiscardCounter counter;
    Anomalies anomalies, ahead;
    check_property("VMEM of networks halved", 400, [&] {
        NetworkCase drawn = *any_network();
        RC_PRE(drawn.machine.vmem_capacity > 0);
        NetworkCase halved = drawn;
        halved.machine.vmem_capacity /= 2;
        const auto less = run_network_or_discard(halved, EngineKind::tile, counter, by_themselves);
        const auto more = run_network(drawn, EngineKind::tile, by_themselves);
        RC_ASSERT(less.total.traffic.hbm.total() >= more.total.traffic.hbm.total());
        anomalies.compare(drawn.machine, less, more, coarse_blocks(more));
        const auto less_ahead = run_network(halved, EngineKind::tile);
        const auto more_ahead = run_network(drawn, EngineKind::tile);
        RC_ASSERT(less_ahead.total.traffic.hbm.total() >= more_ahead.total.traffic.hbm.total());
        ahead.compare(drawn.machine, less_ahead, more_ahead,
                      all_given_up(drawn.machine, more_ahead) + coarse_blocks(more_ahead));
    });
    anomalies.require_few();
    ahead.require_few();
    counter.require_at_most(0.7);
}

TEST_CASE("twice the batch never means less time for a network") {
    DiscardCounter counter;
    Anomalies anomalies, ahead;
    check_property("batch of networks doubled", 400, [&] {
        NetworkCase drawn = *any_network();
        drawn.machine.vmem_banks = 0; // banks that clients share: vmem_banks_test.cpp
        drawn.machine.hbm_stacks = 0; // row hits come and go with the order of requests: dram_laws_test.cpp
        NetworkCase doubled = drawn;
        doubled.batch *= 2;
        const auto more = run_network_or_discard(doubled, EngineKind::tile, counter, by_themselves);
        const auto less = run_network_or_discard(drawn, EngineKind::tile, counter, by_themselves);
        anomalies.compare(drawn.machine, more, less, latency(drawn.machine) + coarse_blocks(less));
        const auto more_ahead = run_network(doubled, EngineKind::tile);
        const auto less_ahead = run_network(drawn, EngineKind::tile);
        ahead.compare(drawn.machine, more_ahead, less_ahead,
                      all_given_up(drawn.machine, less_ahead) + coarse_blocks(less_ahead));
    });
    anomalies.require_few();
    ahead.require_few();
    counter.require_at_most(0.6);
}
