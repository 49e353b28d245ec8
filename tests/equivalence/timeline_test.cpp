// One timeline, whatever engine runs, and nothing in it but what the run has counted.
#include "tests/support/cases.h"
#include "tests/support/engines.h"
#include "tests/support/machines.h"
#include "tests/support/timeline_log.h"

using namespace systole;
using namespace systole::test;

namespace {

// Two operators, the second smaller: it fits where the first does.
RunResult watched(const Case& drawn, EngineKind engine, TimelineLog& log) {
    auto options = run_options(engine, drawn.dataflow, drawn.from);
    options.timeline = &log;
    std::vector<GemmProblem> network(2, drawn.problem());
    network[1].window.reset();
    network[1].m = 1;
    return simulate(drawn.machine(), network, options);
}

std::string in_words(const LoggedSlice& slice) {
    std::string text =
        slice.track + " " + slice.name + " " + std::to_string(slice.from) + " to " + std::to_string(slice.to);
    for (const auto& [key, number] : slice.numbers)
        text += " " + key + "=" + std::to_string(number);
    return text;
}

std::string first_difference(const LoggedOperator& a, const LoggedOperator& b) {
    for (std::size_t i = 0; i < std::max(a.slices.size(), b.slices.size()); ++i) {
        const std::string in_a = i < a.slices.size() ? in_words(a.slices[i]) : "none";
        const std::string in_b = i < b.slices.size() ? in_words(b.slices[i]) : "none";
        if (in_a != in_b)
            return "slice " + std::to_string(i) + ": " + in_a + "; " + in_b;
    }
    return "";
}

void check_timelines(int cases, CaseLimits limits) {
    DiscardCounter counter;
    check_property("engines draw one timeline", cases, [&] {
        const Case drawn = *any_case(limits);
        run_or_discard(drawn, EngineKind::tile, counter);
        TimelineLog expected;
        const auto result = watched(drawn, EngineKind::tile, expected);
        const std::int64_t slots = std::int64_t{drawn.rows} * drawn.cols * drawn.arrays * drawn.rate;
        RC_ASSERT(expected.operators().size() == 2U);
        for (std::size_t i = 0; i < 2; ++i)
            RC_ASSERT(disagreement(expected, expected.operators()[i], result.operators[i], slots) == "");
        for (const EngineKind engine : {EngineKind::structural, EngineKind::flat}) {
            TimelineLog got;
            watched(drawn, engine, got);
            RC_LOG() << name(engine) << "\n";
            for (std::size_t i = 0; i < 2; ++i) {
                const auto& a = expected.operators()[i];
                const auto& b = got.operators()[i];
                RC_ASSERT(a.end == b.end);
                RC_ASSERT(first_difference(a, b) == "");
                RC_ASSERT(a.levels == b.levels);
            }
        }
    });
    counter.require_at_most(0.6);
}

} // namespace

TEST_CASE("all engines draw one timeline, and it adds up to the counts of the run") { check_timelines(500, {}); }

TEST_CASE("all engines draw one timeline for 1,000 larger machines and problems", "[long]") {
    check_timelines(1'000, {.largest_array = 16, .largest_dimension = 100});
}
