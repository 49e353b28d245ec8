// Rates and packet sizes of a PCIe link, against the specification's tables and hand calculation.
#include <catch2/catch.hpp>

#include "memory/pcie_wire.h"

using namespace systole;

namespace {

PcieConfig link(int generation, int lanes, Bytes payload, DllpOverhead overhead = DllpOverhead::model) {
    PcieConfig config;
    config.packets = true;
    config.generation = generation;
    config.lanes = lanes;
    config.max_payload_bytes = payload;
    config.dllp_overhead = overhead;
    return config;
}

double rate(const PcieConfig& config) {
    const PcieWire wire = pcie_wire(config);
    return static_cast<double>(wire.rate_numerator) / static_cast<double>(wire.rate_denominator);
}

} // namespace

TEST_CASE("acknowledgement limits are those of the specification's tables", "[memory][pcie]") {
    // PCI Express Base Specification, tables 3-7 to 3-9: rows are payloads, columns link widths.
    CHECK(ack_limit(1, 1, 128) == 237);
    CHECK(ack_limit(1, 2, 256) == 217);
    CHECK(ack_limit(1, 4, 512) == 154);
    CHECK(ack_limit(1, 8, 256) == 107);
    CHECK(ack_limit(1, 8, 512) == 86);
    CHECK(ack_limit(1, 12, 128) == 58);
    CHECK(ack_limit(1, 16, 4096) == 534);
    CHECK(ack_limit(1, 32, 1024) == 84);
    CHECK(ack_limit(2, 1, 128) == 288);
    CHECK(ack_limit(2, 16, 256) == 123);
    CHECK(ack_limit(3, 16, 128) == 144);
    CHECK(ack_limit(4, 16, 256) == 168);
    CHECK(ack_limit(5, 8, 512) == 182);
    CHECK(ack_limit(3, 32, 2048) == 244);
}

TEST_CASE("the rate is what line code, acknowledgements, flow control and skips leave", "[memory][pcie]") {
    // Generation 1, one lane: 2.5 GT/s * 8/10 / 8 = 250 MB/s; limit 237: * (1 - 16/237 - 4/1538)
    CHECK(rate(link(1, 1, 128)) == Approx(250e6 * (1 - 16.0 / 237 - 4.0 / 1538)));
    // Generation 4 x16: 16e9 * 16 * 128/130 / 8 = 31.508 GB/s; limit 168; by the letter 168 symbol times of 16 bytes
    const double raw = 16e9 * 16 * 128 / 130 / 8;
    CHECK(rate(link(4, 16, 256)) == Approx(raw * (1 - 16.0 / 168 - 4.0 / 1538)));
    CHECK(rate(link(4, 16, 256, DllpOverhead::strict)) == Approx(raw * (1 - 16.0 / (168 * 16) - 4.0 / 1538)));
    PcieConfig stated = link(4, 16, 256, DllpOverhead::fraction);
    stated.dllp_millionths = 62'500;
    CHECK(rate(stated) == Approx(raw * 0.9375));
    // Generation 6: FLITs carry DLLPs apart from the 236 bytes; the model guesses 242 bytes and charges them on top.
    CHECK(rate(link(6, 16, 256, DllpOverhead::strict)) == Approx(118e9));
    CHECK(rate(link(6, 16, 256)) == Approx(121e9 * (1 - 16.0 / 168 - 4.0 / 1538)));
}

TEST_CASE("packets carry framing, header and CRCs", "[memory][pcie]") {
    PcieConfig config = link(3, 8, 256);
    PcieWire wire = pcie_wire(config);
    CHECK(wire.write_overhead == 24);      // framing 2, sequence number 2, header 16, link CRC 4
    CHECK(wire.request_bytes == 24);       // the same, without payload
    CHECK(wire.completion_overhead == 20); // a header of 12
    CHECK(wire.completion == 256);
    config.header_bytes = 12; // 32-bit addresses; a completion has none
    config.ecrc = true;
    wire = pcie_wire(config);
    CHECK(wire.write_overhead == 24);
    CHECK(wire.request_bytes == 24);
    CHECK(wire.completion_overhead == 24);
    wire = pcie_wire(link(6, 8, 256, DllpOverhead::strict)); // a FLIT has sequence number and CRC: headers alone
    CHECK(wire.write_overhead == 16);
    CHECK(wire.completion_overhead == 12);
}

TEST_CASE("a completion is as large as payload and request allow, or as stated", "[memory][pcie]") {
    PcieConfig config = link(4, 16, 1024);
    CHECK(pcie_wire(config).completion == 512); // of a request of 512
    config.max_read_request_bytes = 4096;
    CHECK(pcie_wire(config).completion == 1024);
    config.completion_bytes = 64;
    CHECK(pcie_wire(config).completion == 64);
}

TEST_CASE("the best payload bandwidth is rounded up and knows the tags", "[memory][pcie]") {
    PcieConfig config = link(6, 16, 256, DllpOverhead::strict);
    // 118e9 * 256/272 = 111058823529.4 and 118e9 * 256/268 = 112716417910.4
    CHECK(best_payload_bandwidth(config).to_host == 111'058'823'530);
    CHECK(best_payload_bandwidth(config).to_device == 112'716'417'911);
    config.tags = 32;
    config.latency = 500'000; // 32 * 512 B in each microsecond
    CHECK(best_payload_bandwidth(config).to_device == 16'384'000'000);
    PcieConfig ideal;
    CHECK(best_payload_bandwidth(ideal).to_host == unlimited);
    ideal.bandwidth = 7;
    CHECK(best_payload_bandwidth(ideal).to_device == 7);
}
