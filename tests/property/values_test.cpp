// Values: on random machines, problems and formats the engines that carry values give the same bits, and these lie as
// near to the product in double precision as the rounding of fp32 lets them.
#include <cmath>
#include <vector>

#include "sim/engine/values.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// The sums themselves: int32 and fp32 are stored as they are.
std::vector<double> sums_of(const Case& drawn, EngineKind engine) {
    std::vector<double> sums;
    auto options = run_options(engine, drawn.dataflow, drawn.from);
    options.take_result = [&](const GemmProblem&, const std::vector<double>& c) { sums = c; };
    run_one(drawn.machine(), drawn.problem(), options);
    return sums;
}

// Of a convolution by the definition of convolutions, not as the product that it is run as.
std::vector<ExactSum> exact_product(const GemmProblem& problem) {
    const auto values = random_values(problem, RunOptions{}.seed);
    if (problem.window)
        return direct_convolution(problem, values);
    std::vector<ExactSum> product(problem.count * problem.m * problem.n);
    std::visit(
        [&](const auto& operands) {
            for (std::int64_t m = 0; m < problem.count * problem.m; ++m) { // rows of all A
                const auto* b = operands.b.data() + m / problem.m * problem.k * problem.n;
                for (std::int64_t n = 0; n < problem.n; ++n) {
                    auto& [sum, magnitude] = product[m * problem.n + n];
                    for (std::int64_t k = 0; k < problem.k; ++k) {
                        const double term = static_cast<double>(operands.a[m * problem.k + k]) * b[k * problem.n + n];
                        sum += term;
                        magnitude += std::fabs(term);
                    }
                }
            }
        },
        values.operands);
    return product;
}

Case case_of_sums(rc::Gen<Case> cases) {
    Case drawn = *std::move(cases);
    const bool integers = is_integer(drawn.a) && is_integer(drawn.b);
    drawn.c = integers ? Format::int32 : Format::fp32;
    return drawn;
}

} // namespace

namespace {

void check_sums(const char* description, const rc::Gen<Case>& cases) {
    check_property(description, 500, [&] {
        const Case drawn = case_of_sums(cases);
        if (!run_if_it_fits(drawn, EngineKind::tile))
            RC_DISCARD("does not fit the machine");
        const auto problem = drawn.problem();
        const auto structural = sums_of(drawn, EngineKind::structural);
        const auto flat = sums_of(drawn, EngineKind::flat);
        RC_ASSERT(structural.size() == static_cast<std::size_t>(problem.count * problem.m * problem.n));
        RC_ASSERT(structural == flat);
        // Each of K products is rounded once and passes at most 2 K additions (along the array and of the passes'
        // sums), each off by at most 2^-24 of it (Higham, "Accuracy and stability of numerical algorithms", 3.1). Sums
        // of integers stay below 2^31: K is at most 125.
        const double steps = 3.0 * static_cast<double>(problem.k) * std::ldexp(1.0, -24);
        const bool floats = problem.formats.accumulation() == Accumulation::fp32;
        const auto exact = exact_product(problem);
        for (std::size_t i = 0; i < exact.size(); ++i) {
            const double bound = floats ? steps / (1 - steps) * exact[i].magnitude : 0;
            RC_ASSERT(std::fabs(flat[i] - exact[i].sum) <= bound);
        }
    });
}

} // namespace

TEST_CASE("engines give the same sums, near the exact ones") { check_sums("values", any_case()); }

TEST_CASE("engines give the sums of convolutions taken pixel by pixel, by every dataflow") {
    check_sums("convolutions", any_convolution_case());
}
