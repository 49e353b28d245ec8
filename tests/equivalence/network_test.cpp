// Engines agree on runs of several operators too, where one starts as the one before it ends.
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/engines.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("engines agree on random networks, operator by operator") {
    DiscardCounter counter;
    check_property("engines agree on networks", 300, [&] {
        const Case drawn = *any_case();
        run_or_discard(drawn, engines.front(), counter);
        std::vector<GemmProblem> network(3, drawn.problem());
        network[1].window.reset();
        network[1].m = 1; // a smaller neighbour fits wherever its neighbours do
        const auto run = [&](EngineKind engine) {
            return simulate(drawn.machine(), network, run_options(engine, drawn.dataflow, drawn.from));
        };
        const RunResult expected = run(engines.front());
        for (const EngineKind engine : engines) {
            const RunResult got = run(engine);
            RC_LOG() << name(engine) << "\n";
            RC_ASSERT(got.operators.size() == expected.operators.size());
            for (std::size_t i = 0; i < network.size(); ++i) {
                RC_ASSERT(got.operators[i].cycles == expected.operators[i].cycles);
                RC_ASSERT(got.operators[i].stack == expected.operators[i].stack);
                RC_ASSERT(got.operators[i].traffic == expected.operators[i].traffic);
            }
            RC_ASSERT(got.total.cycles == expected.total.cycles);
        }
    });
    counter.require_at_most(0.6);
}
