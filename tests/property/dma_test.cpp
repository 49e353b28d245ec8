// More of the DMA is never slower, beyond the anomalies that docs/model.md describes.
#include <algorithm>
#include <optional>
#include <utility>

#include "sim/base/error.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

struct Tolerance {
    double share;  // of the comparisons may be beyond 1 %
    double worst;  // slowdown of one of them
    double cycles; // or this many, if they are more
};

// Both machines run with the tile that the naive mapping has chosen for the first: what is compared is the machine.
// Empty: that tile with the better order of loops does not fit.
std::optional<std::pair<OperatorResult, OperatorResult>> run_both(const Case& drawn, const Case& better) {
    auto options = run_options(EngineKind::tile, drawn.dataflow, drawn.from);
    options.mapping = MappingMode::naive;
    try {
        options.tile = run_one(drawn.machine(), drawn.problem(), options).tile;
        return std::pair{run_one(drawn.machine(), drawn.problem(), options),
                         run_one(better.machine(), better.problem(), options)};
    } catch (const InputError&) {
        return std::nullopt;
    }
}

// The HBM is ideal and banks are unlimited (vmem_banks_test.cpp has those that clients share). `improve` returns false
// if there is nothing to improve.
template <typename Improve>
void rarely_slower(const std::string& description, const Tolerance& tolerance, Improve&& improve) {
    int compared = 0, slower = 0;
    double worst = 0;
    check_property(description, 3000, [&] {
        Case drawn = (*any_case()).plain();
        drawn.vmem_banks = 0;
        drawn.hbm_stacks = 0;         // row hits come and go with the order of requests
        drawn.keep = drawn.group = 1; // indices are many small requests of their own
        for (Format* const format : {&drawn.a, &drawn.b, &drawn.c}) {
            if (*format == Format::int4) // rows that begin within a byte are more requests as well
                *format = Format::int8;
        }
        if (drawn.from == DataOrigin::vmem)
            drawn.from = DataOrigin::hbm;
        Case better = drawn;
        RC_PRE(improve(better));
        const auto both = run_both(drawn, better);
        RC_PRE(both.has_value());
        const auto& [before, after] = *both;
        RC_LOG() << before.cycles << " cycles, then " << after.cycles << "\n";
        const auto cycles = static_cast<double>(before.cycles);
        const auto longer = static_cast<double>(after.cycles) - cycles;
        ++compared;
        slower += longer > std::max(0.01 * cycles, 4.0); // one for each crossing from the host and back
        worst = std::max(worst, longer / cycles);
        RC_ASSERT(longer <= std::max(tolerance.worst * cycles, tolerance.cycles));
    });
    INFO(description << ": " << slower << " of " << compared << " slower by more than 1 %, the worst by " << 100 * worst
                     << " %");
    CHECK(compared >= 1000);
    CHECK(slower <= tolerance.share * compared);
}

} // namespace

TEST_CASE("twice the requests in flight rarely take longer") {
    rarely_slower("outstanding", {0.015, 0.15, 16}, [](Case& t) {
        t.dma_outstanding *= 2;
        return true;
    });
}

TEST_CASE("a shorter interval between requests rarely takes longer") {
    rarely_slower("issue interval", {0.015, 0.15, 16}, [](Case& t) { return t.dma_issue_interval-- > 0; });
}

TEST_CASE("one more DMA engine rarely takes longer") {
    rarely_slower("engines", {0.03, 0.3, 16}, [](Case& t) {
        ++t.dma_engines;
        return true;
    });
}
