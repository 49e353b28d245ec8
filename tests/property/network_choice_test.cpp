// What `auto` takes for a whole network is never slower than anything that can be asked for by name.
#include <optional>

#include "sim/base/error.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"
#include "tests/support/networks.h"

using namespace systole;
using namespace systole::test;

namespace {

// Nothing: it does not fit.
std::optional<RunResult> run(const NetworkCase& drawn, std::optional<Dataflow> dataflow, MappingMode mapping) {
    const Network network = drawn.network();
    auto options = run_options(EngineKind::tile, Dataflow::weight_stationary, drawn.machine.from);
    options.dataflow = dataflow;
    options.mapping = mapping;
    try {
        return simulate_network(drawn.machine.machine(), network, lower(network), options);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

constexpr std::array dataflows{Dataflow::weight_stationary, Dataflow::output_stationary, Dataflow::input_stationary};

} // namespace

TEST_CASE("dataflow auto of a network is never slower than any one dataflow, mapping auto never than naive") {
    int compared = 0;
    check_property("auto of networks", 100, [&] {
        const NetworkCase drawn = *any_network();
        const auto best = run(drawn, std::nullopt, MappingMode::automatic);
        for (const auto dataflow : dataflows) {
            RC_LOG() << short_name(dataflow) << "\n";
            const auto searched = run(drawn, dataflow, MappingMode::automatic);
            RC_ASSERT(!searched || best);
            if (!searched)
                continue;
            ++compared;
            RC_ASSERT(best->total.cycles <= searched->total.cycles);
            const auto naive = run(drawn, dataflow, MappingMode::naive);
            RC_ASSERT(!naive || searched->total.cycles <= naive->total.cycles);
        }
    });
    CHECK(compared > 100);
}

TEST_CASE("another engine runs a network as the fastest of several ways was chosen") {
    int compared = 0;
    check_property("auto of networks on other engines", 50, [&] {
        const NetworkCase drawn = *any_network();
        const auto tile = run(drawn, std::nullopt, MappingMode::automatic);
        if (!tile)
            return;
        ++compared;
        const Network network = drawn.network();
        auto options = run_options(EngineKind::flat, Dataflow::weight_stationary, drawn.machine.from);
        options.dataflow.reset();
        const auto flat = simulate_network(drawn.machine.machine(), network, lower(network), options);
        RC_ASSERT(flat.total.cycles == tile->total.cycles);
        RC_ASSERT(flat.total.traffic == tile->total.traffic);
        RC_ASSERT(flat.engine == "flat");
    });
    CHECK(compared > 10);
}
