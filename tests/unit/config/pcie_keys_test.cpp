// The keys of the PCIe link: what they take, what they refuse and how they come back.
#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/config/load.h"
#include "sim/config/pcie_keys.h"

using namespace systole;

namespace {

// All messages, each with its place.
std::string refusal(const std::vector<std::string>& settings) {
    try {
        load_pcie(settings);
    } catch (const InputError& error) {
        std::string text;
        for (const Diagnostic& one : error.diagnostics()) {
            text += (text.empty() ? "" : "\n") + to_string(one.place) + ": " + one.message;
        }
        return text;
    }
    return "accepted";
}

std::string refusal_of_setting(const std::string& setting) {
    const std::string text = refusal({"pcie.generation=4", setting});
    const std::string place = "--set " + setting + ": ";
    return text.starts_with(place) ? text.substr(place.size()) : text;
}

} // namespace

TEST_CASE("all keys of the link arrive", "[config][pcie]") {
    const PcieConfig link = load_pcie(
        {"pcie.generation=5", "pcie.lanes=12", "pcie.max_payload_bytes=1024", "pcie.max_read_request_bytes=4096",
         "pcie.completion_bytes=64", "pcie.header_bytes=12", "pcie.ecrc=true", "pcie.dllp_overhead=0.0625",
         "pcie.tags=768", "pcie.posted_header_credits=32", "pcie.posted_data_credits=256",
         "pcie.completion_header_credits=unlimited", "pcie.completion_data_credits=4", "pcie.round_trip=1 us"});
    PcieConfig expected;
    expected.packets = true;
    expected.generation = 5;
    expected.lanes = 12;
    expected.max_payload_bytes = 1024;
    expected.max_read_request_bytes = 4096;
    expected.completion_bytes = 64;
    expected.header_bytes = 12;
    expected.ecrc = true;
    expected.dllp_overhead = DllpOverhead::fraction;
    expected.dllp_millionths = 62'500;
    expected.tags = 768;
    expected.posted_header_credits = 32;
    expected.posted_data_credits = 256;
    expected.completion_data_credits = 4;
    expected.latency = 500'000;
    // 32 GT/s * 12 * 128/130 / 8 * 0.9375 = 44.308 GB/s; writes carry 1024 of 1024 + 24 bytes (more than reads)
    expected.bandwidth = 43'293'012'332;
    CHECK(link == expected);
}

TEST_CASE("the link's defaults are those of a common host", "[config][pcie]") {
    const PcieConfig link = load_pcie({"pcie.generation=3"});
    CHECK(link.lanes == 16);
    CHECK(link.max_payload_bytes == 256);
    CHECK(link.max_read_request_bytes == 512);
    CHECK(link.header_bytes == 16);
    CHECK(link.tags == 256);
    CHECK(link.dllp_overhead == DllpOverhead::model);
    CHECK(link.posted_data_credits == unlimited);
}

TEST_CASE("what a link cannot have is refused with what it can", "[config][pcie]") {
    CHECK(refusal_of_setting("pcie.generation=7") == "pcie.generation: 7 is out of range (1..6)");
    CHECK(refusal_of_setting("pcie.lanes=3") == "pcie.lanes: 3 is not a link width (1, 2, 4, 8, 12, 16, 32)");
    CHECK(refusal_of_setting("pcie.lanes=64") == "pcie.lanes: 64 is out of range (1..32)");
    CHECK(refusal_of_setting("pcie.max_read_request_bytes=500") ==
          "pcie.max_read_request_bytes: 500 is not a power of two (128, 256, ... 4096)");
    CHECK(refusal_of_setting("pcie.header_bytes=13") == "pcie.header_bytes: 13 is not a header size (12, 16)");
    CHECK(refusal_of_setting("pcie.tags=0") == "pcie.tags: 0 is out of range (1..16384)");
    CHECK(refusal_of_setting("pcie.ecrc=1") == "pcie.ecrc: expected true or false, found 1");
    CHECK(refusal_of_setting("pcie.dllp_overhead=1.0") ==
          "pcie.dllp_overhead: expected \"model\", \"strict\" or a fraction such "
          "as 0.05 (at most 0.999999), found 1.0");
    CHECK(refusal_of_setting("pcie.dllp_overhead=modell") ==
          "pcie.dllp_overhead: expected \"model\", \"strict\" or a fraction "
          "such as 0.05 (at most 0.999999), found 'modell'");
    CHECK(refusal_of_setting("pcie.completion_bytes=512") ==
          "pcie.completion_bytes: 512 is more than pcie.max_payload_bytes (256; lower it, or leave it out for the "
          "largest there is)");
    CHECK(refusal_of_setting("pcie.posted_data_credits=15") ==
          "pcie.posted_data_credits: 15 are too few for a packet of 256 bytes (a credit is 16 bytes; give 16 or more)");
    CHECK(
        refusal({"pcie.generation=4", "pcie.max_payload_bytes=1024", "pcie.completion_bytes=1024"}) ==
        "--set pcie.completion_bytes=1024: pcie.completion_bytes: 1024 is more than pcie.max_read_request_bytes (512; "
        "lower it, or leave it out for the largest there is)");
    CHECK(refusal({"pcie.tags=32"}) == "--set pcie.tags=32: pcie.tags says nothing without pcie.generation (1..6)");
}

TEST_CASE("a link that is printed is read back as the same link", "[config][pcie]") {
    for (const char* chip : {"npu_200t", "tiny_4x4", "scalesim_like"}) {
        const Machine machine = load_machine(chip, {"pcie.round_trip=3 us"});
        std::vector<std::string> settings;
        for (const auto& [key, value] : chip_values(machine)) {
            if (key.starts_with("pcie.")) {
                settings.push_back(key + "=" + value);
            }
        }
        CHECK(load_pcie(settings) == machine.pcie);
    }
    const std::vector<std::string> odd{"pcie.generation=4", "pcie.dllp_overhead=0.05", "pcie.completion_bytes=64",
                                       "pcie.ecrc=true", "pcie.posted_header_credits=7"};
    Machine machine = load_machine("scalesim_like", odd);
    std::vector<std::string> settings;
    for (const auto& [key, value] : chip_values(machine)) {
        if (key.starts_with("pcie.")) {
            settings.push_back(key + "=" + value);
        }
    }
    CHECK(load_pcie(settings) == machine.pcie);
}
