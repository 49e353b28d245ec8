// Payload bandwidth of PCIe links: the pcie-bench model and the bound by the letter of the specification. Every row is
// simulated packet by packet; one table is printed, the worst row first.
#include <algorithm>
#include <cstdio>

#include <catch2/catch.hpp>

#include "memory/pcie_probe.h"
#include "sim/config/pcie_keys.h"
#include "tests/support/csv.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr double tolerance = 0.01;
constexpr Bytes long_transfer = Bytes{256} << 20;

struct Line {
    std::string text;
    double error = 0;
};

// What a direction of the table asks for beyond the link itself.
struct Question {
    PcieTransfer transfer = PcieTransfer::read;
    Bytes bytes = long_transfer;
    std::vector<std::string> settings;
};

Question question_of(const std::string& direction) {
    if (direction == "write") {
        return {PcieTransfer::write, long_transfer, {}};
    }
    if (direction == "duplex_each_way") {
        return {PcieTransfer::duplex, long_transfer, {}};
    }
    if (direction == "read_32_tags_rtt_1us") {
        return {PcieTransfer::read, long_transfer, {"pcie.tags=32", "pcie.round_trip=1 us"}};
    }
    if (direction == "read_64KiB_rtt_1us") {
        return {PcieTransfer::read, 65536, {"pcie.round_trip=1 us"}};
    }
    REQUIRE(direction == "read");
    return {};
}

double simulated(const CsvRow& row, const char* overhead) {
    Question question = question_of(row.text("direction"));
    std::vector<std::string> settings{"pcie.generation=" + row.text("generation"),
                                      "pcie.lanes=" + row.text("lanes"),
                                      "pcie.max_payload_bytes=" + row.text("max_payload_B"),
                                      "pcie.max_read_request_bytes=" + row.text("max_read_request_B"),
                                      "pcie.completion_bytes=" + row.text("completion_B"),
                                      std::string("pcie.dllp_overhead=") + overhead};
    settings.insert(settings.end(), question.settings.begin(), question.settings.end());
    const PcieProbeResult result = probe_pcie(load_pcie(settings), question.transfer, question.bytes);
    return static_cast<double>(question.bytes) / static_cast<double>(result.duration) * 1e3; // bytes/ps -> GB/s
}

} // namespace

TEST_CASE("PCIe bandwidth is that of the truth table, packet by packet", "[truth][pcie]") {
    const std::pair<const char*, const char*> columns[] = {{"model", "model_GBps"}, {"strict", "strict_bound_GBps"}};
    std::vector<Line> lines;
    for (const CsvRow& row : read_csv(test_file("truth/pcie_truth.csv"))) {
        for (const auto& [overhead, column] : columns) {
            if (row.text(column).empty()) {
                continue;
            }
            const double expected = std::stod(row.text(column));
            const double got = simulated(row, overhead);
            char text[160];
            std::snprintf(text, sizeof text, "gen %s x%s payload %4s request %4s completion %4s %-20s %-6s %8.2f %8.2f",
                          row.text("generation").c_str(), row.text("lanes").c_str(), row.text("max_payload_B").c_str(),
                          row.text("max_read_request_B").c_str(), row.text("completion_B").c_str(),
                          row.text("direction").c_str(), overhead, expected, got);
            lines.push_back({text, got / expected - 1});
        }
    }
    REQUIRE(lines.size() == 28); // 15 rows; 2 of them without a strict bound
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return std::abs(a.error) > std::abs(b.error); });
    std::printf("pcie_truth.csv in GB/s: expected, simulated, error\n");
    for (const Line& line : lines) {
        std::printf("  %s %+7.3f %%\n", line.text.c_str(), 100 * line.error);
        INFO(line.text);
        CHECK(std::abs(line.error) <= tolerance);
    }
}
