// Compute cycles and percentages of SCALE-Sim v3 on its own machine: serial folds, no drain, memory ideal.
#include <cstdio>
#include <set>

#include <catch2/catch.hpp>

#include "sim/config/load.h"
#include "tests/support/csv.h"
#include "tests/support/engines.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// PE-cycles that an engine gets through in well under a minute; the structural engine is asked for 50 million in all.
constexpr std::int64_t quick_structural = 5'000'000;
constexpr std::int64_t largest_structural = 50'000'000;
constexpr std::int64_t quick_flat = 500'000'000;

std::int64_t pe_cycles(const CsvRow& row) {
    return row.integer("rows") * row.integer("cols") * row.integer("total_cycles");
}

bool equals_printed(double percent, const std::string& printed) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", percent);
    // A last digit that stands on the edge of rounding may fall either way.
    return text == printed || std::abs(percent - std::stod(printed)) <= 0.500001e-4;
}

void check_row(const CsvRow& row, EngineKind engine) {
    INFO(row.text("workload") << " " << row.text("layer") << " " << row.text("rows") << "x" << row.text("cols") << " "
                              << row.text("dataflow") << " on " << name(engine));
    const Machine machine = load_machine(
        "scalesim_like", {"array.rows=" + row.text("rows"), "array.cols=" + row.text("cols")});
    GemmProblem problem = gemm(row.integer("M"), row.integer("N"), row.integer("K"));
    problem.formats = {machine.default_format, machine.default_format, machine.default_format};
    RunOptions options = run_options(engine, parse_dataflow(row.text("dataflow")).value(), DataOrigin::vmem);
    options.verify = false; // products are checked elsewhere; here they would cost more than the run
    options.max_cycles = unlimited;

    const OperatorResult result = run_one(machine, problem, options);

    CHECK(result.cycles == row.integer("total_cycles") + 1);
    CHECK(result.passes == row.integer("folds"));
    CHECK(equals_printed(100 * result.mapping_efficiency(), row.text("mapping_efficiency_pct")));
    const double slots = static_cast<double>(row.integer("rows") * row.integer("cols")) *
                         static_cast<double>(result.cycles - 1); // its index of the last cycle
    CHECK(equals_printed(100 * static_cast<double>(result.macs) / slots, row.text("overall_util_pct")));
    CHECK(result.stack.total() == result.pe_slots);
}

// Layers repeat in a network: the same shape on the same array need not be run twice.
void check_rows(EngineKind engine, std::int64_t from, std::int64_t below) {
    std::set<std::string> seen;
    for (const CsvRow& row : read_csv(test_file("truth/scalesim_cycles.csv"))) {
        std::string shape;
        for (const char* column : {"M", "N", "K", "rows", "cols", "dataflow", "total_cycles", "folds",
                                   "mapping_efficiency_pct", "overall_util_pct"}) {
            shape += row.text(column) + " ";
        }
        if (pe_cycles(row) >= from && pe_cycles(row) < below && seen.insert(shape).second) {
            check_row(row, engine);
        }
    }
    REQUIRE_FALSE(seen.empty());
}

} // namespace

TEST_CASE("the table's utilisations are what its definitions give") {
    // Guards the reading of the table itself, with no engine in between.
    for (const CsvRow& row : read_csv(test_file("truth/scalesim_cycles.csv"))) {
        const std::int64_t r = row.integer("rows"), c = row.integer("cols");
        const std::int64_t m = row.integer("M"), n = row.integer("N"), k = row.integer("K");
        const std::string& dataflow = row.text("dataflow");
        const std::int64_t stationary = dataflow == "ws" ? k * n : dataflow == "is" ? k * m : m * n;
        const double slots = static_cast<double>(r * c);
        CHECK(equals_printed(100.0 * stationary / (row.integer("folds") * slots), row.text("mapping_efficiency_pct")));
        CHECK(equals_printed(100.0 * m * n * k / (slots * row.integer("total_cycles")), row.text("overall_util_pct")));
    }
}

TEST_CASE("SCALE-Sim's cycles and utilisations, structural engine, small layers") {
    check_rows(EngineKind::structural, 0, quick_structural);
}

TEST_CASE("SCALE-Sim's cycles and utilisations, structural engine, layers to 50 million PE-cycles", "[long]") {
    check_rows(EngineKind::structural, quick_structural, largest_structural);
}

TEST_CASE("SCALE-Sim's cycles and utilisations, every layer in closed form") {
    if (has_engine(EngineKind::tile)) {
        check_rows(EngineKind::tile, 0, unlimited);
    }
}

TEST_CASE("SCALE-Sim's cycles and utilisations, flat engine, layers to 500 million PE-cycles") {
    if (has_engine(EngineKind::flat)) {
        check_rows(EngineKind::flat, 0, quick_flat);
    }
}

TEST_CASE("SCALE-Sim's cycles and utilisations, flat engine, the largest layers", "[long]") {
    if (has_engine(EngineKind::flat)) {
        check_rows(EngineKind::flat, quick_flat, unlimited);
    }
}
