// A mapping that was saved, run again, gives the same run in every number that is reported.
#include "sim/engine/saved_mappings.h"
#include "sim/report/json.h"
#include "sim/workload/lowering.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"
#include "tests/support/networks.h"

using namespace systole;
using namespace systole::test;

namespace {

RunOptions options_of(const Case& drawn) {
    RunOptions options = run_options(EngineKind::tile, drawn.dataflow, drawn.from);
    if (drawn.broadcast) // as good as any number that is drawn: half of the time
        options.dataflow.reset();
    return options;
}

RunOptions replaying(const RunResult& result, RunOptions options) {
    options.fixed = read_mapping_file(mapping_file_text(mappings_of(result)), "saved.toml");
    return options;
}

} // namespace

TEST_CASE("a network replayed from its saved mappings is the same run in every number") {
    DiscardCounter counter;
    check_property("replayed networks", 300, [&] {
        NetworkCase drawn = *any_network();
        drawn.repeats = *rc::gen::inRange(1, 4);
        const Network network = drawn.network();
        const auto lowered = lower(network);
        const auto machine = drawn.machine.machine();
        const auto options = options_of(drawn.machine);
        run_network_or_discard(drawn, EngineKind::tile, counter);
        const auto once = simulate_network(machine, network, lowered, options);
        RC_PRE(!mappings_of(once).empty()); // the vector unit's work has none
        const auto again = simulate_network(machine, network, lowered, replaying(once, options));
        RC_ASSERT(json_report(again) == json_report(once));
    });
    counter.require_at_most(0.6);
}

TEST_CASE("products replayed from their saved mappings are the same run in every number") {
    DiscardCounter counter;
    check_property("replayed products", 300, [&] {
        const Case drawn = *any_case();
        run_or_discard(drawn, EngineKind::tile, counter);
        const auto options = options_of(drawn);
        const std::vector<GemmProblem> problems(2, drawn.problem());
        const auto once = simulate(drawn.machine(), problems, options);
        const auto again = simulate(drawn.machine(), problems, replaying(once, options));
        RC_ASSERT(json_report(again) == json_report(once));
    });
    counter.require_at_most(0.6);
}
