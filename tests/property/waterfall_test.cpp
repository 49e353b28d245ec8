// On 2,000 random runs of every kind of operator: the causes sum to the PE-slots and the waterfall to the cycles, no
// run is under its roof, and every cycle that is not mathematics is explained.
#include <sstream>

#include "sim/base/error.h"
#include "sim/report/compare.h"
#include "sim/report/explain.h"
#include "sim/roofline/roofline.h"
#include "sim/stats/waterfall.h"
#include "sim/workload/scalesim_topology.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr int cases = 2'000;
constexpr double most_discarded = 0.6;

void assert_waterfall(const OperatorResult& result) {
    Cycles sum = 0;
    for (const WaterfallBar& bar : waterfall(result)) {
        RC_ASSERT(bar.cycles >= 0);
        sum += bar.cycles;
    }
    RC_ASSERT(sum == result.cycles);
    // The first bar is T_math in whole cycles, from the definition and not from the stack.
    const std::int64_t per_cycle = result.pe_slots / result.cycles;
    RC_ASSERT(result.pe_slots == per_cycle * result.cycles);
    RC_ASSERT(waterfall(result).front().cycles == result.macs / per_cycle);
}

void assert_laws(const Machine& machine, const GemmProblem& problem, const OperatorResult& result) {
    RC_ASSERT(result.stack.total() == result.pe_slots);
    for (const Cause cause : all_causes) {
        RC_ASSERT(result.stack[cause] >= 0);
    }
    RC_ASSERT(result.stack[Cause::useful] == problem.macs());
    const Roofline roofline = analyze(machine, problem, result.from, {});
    RC_ASSERT(result.seconds * (1 + 1e-12) >= roofline.lower_bound_s);
    RC_ASSERT(result.roofline_gap() >= -1e-12);
    RC_ASSERT(result.roofline_gap() < 1);
    assert_waterfall(result);
}

bool is_number_free_of_nonsense(const std::string& text) {
    for (const char* const word : {"nan", "inf ", "-1", "e+"}) {
        if (text.find(word) != std::string::npos) {
            return false;
        }
    }
    return !text.empty();
}

void assert_explained(const Machine& machine, const OperatorResult& result) {
    Cycles explained = waterfall(result).front().cycles;
    Cycles before = unlimited;
    for (const Explanation& one : explain(machine, result)) {
        RC_LOG() << name(one.cause) << ": " << one.what << " / " << one.cure << "\n";
        RC_ASSERT(one.cycles > 0);
        RC_ASSERT(one.cycles <= before); // the largest first
        RC_ASSERT(is_number_free_of_nonsense(one.what));
        RC_ASSERT(is_number_free_of_nonsense(one.cure));
        before = one.cycles;
        explained += one.cycles;
    }
    RC_ASSERT(explained == result.cycles);
}

void assert_fits_80_columns(const Machine& machine, const RunResult& run) {
    std::istringstream lines(compare_text({machine, run, true, {}}));
    for (std::string line; std::getline(lines, line);) {
        RC_LOG() << line << "\n";
        RC_ASSERT(line.size() <= 80);
    }
}

RunOptions options_of(const Case& drawn) { return run_options(EngineKind::tile, drawn.dataflow, drawn.from); }

// A layer that a GEMM of moderate size is made of, as a line of a topology.
std::string any_layer() {
    const auto filter_height = *rc::gen::inRange(1, 6).as("filter height");
    const auto filter_width = *rc::gen::inRange(1, 6).as("filter width");
    const auto more_height = *rc::gen::inRange(0, 6).as("height - filter height");
    const auto more_width = *rc::gen::inRange(0, 6).as("width - filter width");
    const auto channels = *rc::gen::inRange(1, 9).as("channels");
    const auto filters = *rc::gen::inRange(1, 33).as("filters");
    const auto stride = *rc::gen::inRange(1, 4).as("stride");
    std::ostringstream line;
    line << "conv, " << filter_height + more_height << ", " << filter_width + more_width << ", " << filter_height
         << ", " << filter_width << ", " << channels << ", " << filters << ", " << stride << ",\n";
    return line.str();
}

} // namespace

TEST_CASE("2,000 random matrix products: nothing unexplained, nothing under the roof") {
    DiscardCounter counter;
    check_property("gemm", cases, [&] {
        const Case drawn = *any_case();
        const OperatorResult result = run_or_discard(drawn, EngineKind::tile, counter);
        assert_laws(drawn.machine(), drawn.problem(), result);
        assert_explained(drawn.machine(), result);
    });
    counter.require_at_most(most_discarded);
}

TEST_CASE("2,000 random convolutions: nothing unexplained, nothing under the roof") {
    DiscardCounter counter;
    check_property("convolution", cases, [&] {
        Case drawn = *any_case();
        const Workload workload =
            read_scalesim_topology("Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
                                   "Num Filter, Strides,\n" +
                                       any_layer(),
                                   "net.csv", drawn.problem().formats);
        const GemmProblem& problem = workload.operators.front();
        drawn.window.reset();
        drawn.m = problem.m;
        drawn.n = problem.n;
        drawn.k = problem.k;
        const OperatorResult result = run_or_discard(drawn, EngineKind::tile, counter);
        assert_laws(drawn.machine(), drawn.problem(), result); // the layer's, sparse or not as drawn
        assert_explained(drawn.machine(), result);
    });
    counter.require_at_most(most_discarded);
}

TEST_CASE("a network's waterfall ends at the sum of its operators' cycles and fits into 80 columns") {
    DiscardCounter counter;
    check_property("network", 300, [&] {
        const Case drawn = *any_case();
        run_or_discard(drawn, EngineKind::tile, counter);
        GemmProblem other = drawn.problem();
        other.name = "another, with a name that is rather long for a table";
        other.m = *rc::gen::inRange<std::int64_t>(1, 20).as("m of the second");
        const Machine machine = drawn.machine();
        std::optional<RunResult> run;
        try {
            run = simulate(machine, {drawn.problem(), other}, options_of(drawn));
        } catch (const InputError&) {
            RC_PRE(drawn.may_not_fit());
            RC_DISCARD("the second does not fit");
        }
        assert_waterfall(run->total);
        assert_explained(machine, run->total);
        assert_fits_80_columns(machine, *run);
    });
    counter.require_at_most(most_discarded);
}
