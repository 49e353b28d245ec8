// Achieved bandwidth and idle latency of HBM: what two public simulators say about fixed request streams. Every row is
// played; one table is printed, the worst row first.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include <catch2/catch.hpp>

#include "memory/dram_player.h"
#include "sim/config/hbm_file.h"
#include "tests/support/csv.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr double latency_tolerance_ns = 1.0;

// What the simulators that ran say about one configuration and pattern.
struct Truth {
    Bytes bytes = 0;
    double efficiency_sum = 0;
    double tolerance = 0;
    double latency_ns = 0;
    int simulators = 0;

    bool is_idle() const { return latency_ns > 0; }
    double efficiency() const { return efficiency_sum / simulators; }
};

using Truths = std::map<std::pair<std::string, std::string>, Truth>;

Truths read_truths() {
    Truths truths;
    for (const CsvRow& row : read_csv(test_file("truth/hbm_truth.csv"))) {
        Truth& truth = truths[{row.text("config"), row.text("pattern")}];
        truth.bytes = row.integer("bytes");
        ++truth.simulators;
        if (!row.text("idle_read_latency_ns").empty()) {
            truth.latency_ns = std::stod(row.text("idle_read_latency_ns"));
        } else {
            truth.efficiency_sum += std::stod(row.text("efficiency"));
            truth.tolerance = std::stod(row.text("relative_tolerance"));
        }
    }
    return truths;
}

struct Line {
    std::string text;
    double error = 0; // in tolerances
};

DramPlay played(const DramConfig& config, const std::string& pattern, MemoryMode mode) {
    const auto requests = make_dram_pattern(pattern, config.organization.access_bytes);
    return play(config, mode, *requests);
}

Line compare(const std::string& name, const std::string& pattern, const Truth& truth, MemoryMode mode) {
    const auto config = load_hbm(name);
    const DramPlay result = played(*config, pattern, mode);
    CHECK(result.bytes == truth.bytes);
    CHECK(result.time.total() == result.cycles);
    char text[160];
    double error = 0;
    if (truth.is_idle()) {
        const double ns = static_cast<double>(result.latency.percentile(50)) * 1e9 / static_cast<double>(config->clock);
        error = std::abs(ns - truth.latency_ns) / latency_tolerance_ns;
        std::snprintf(text, sizeof text, "%-26s %-20s %8.1f ns %8.1f ns  %+7.2f ns", name.c_str(), pattern.c_str(),
                      truth.latency_ns, ns, ns - truth.latency_ns);
    } else {
        const double efficiency = result.efficiency(*config);
        const double relative = efficiency / truth.efficiency() - 1;
        error = std::abs(relative) / truth.tolerance;
        std::snprintf(text, sizeof text, "%-26s %-20s %8.2f %%  %8.2f %%   %+7.2f %% of %2.0f %%", name.c_str(),
                      pattern.c_str(), 100 * truth.efficiency(), 100 * efficiency, 100 * relative,
                      100 * truth.tolerance);
    }
    return {text, error};
}

void check_all(std::vector<Line> lines, const char* title) {
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.error > b.error; });
    std::printf("%s: expected, simulated, error\n", title);
    for (const Line& line : lines) {
        std::printf("  %s\n", line.text.c_str());
        INFO(line.text);
        CHECK(line.error <= 1);
    }
}

// Patterns that clock by clock take no more than a second or so.
bool is_short(const std::string& pattern) {
    return pattern.starts_with("idle") || pattern.starts_with("rand64") || pattern.ends_with("_4M") ||
           pattern == "mix2r1w_4096" || pattern.starts_with("stride");
}

} // namespace

TEST_CASE("HBM reaches the bandwidth and the idle latency of the truth table", "[truth][hbm]") {
    const Truths truths = read_truths();
    REQUIRE(truths.size() == 47); // 59 rows, of which 12 patterns of hbm2_1pc by both simulators
    std::vector<Line> lines;
    for (const auto& [key, truth] : truths) {
        lines.push_back(compare(key.first, key.second, truth, MemoryMode::fast));
    }
    check_all(std::move(lines), "hbm_truth.csv, from event to event");
}

TEST_CASE("HBM clock by clock reaches the same", "[truth][hbm][long]") {
    std::vector<Line> lines;
    for (const auto& [key, truth] : read_truths()) {
        if (!is_short(key.second)) {
            continue;
        }
        lines.push_back(compare(key.first, key.second, truth, MemoryMode::burst));
    }
    REQUIRE(lines.size() > 10);
    check_all(std::move(lines), "hbm_truth.csv, clock by clock");
}
