#include "memory/pcie_wire.h"

#include <algorithm>

namespace systole {

namespace {

using Wide = PcieWire::Wide;

struct LineCode {
    std::int64_t transfers_per_second; // of a lane, one bit each
    std::int64_t coded;                // of every `line` bits on the wire, `coded` are packets
    std::int64_t line;
    Bytes framing; // of a packet: framing 2 + sequence number 2 + link CRC 4
};

constexpr Bytes framed = 8;
// Revision 3 packs framing and sequence number into one token of 4 bytes: the sum stays.
constexpr LineCode codes[] = {{2'500'000'000, 8, 10, framed},     {5'000'000'000, 8, 10, framed},
                              {8'000'000'000, 128, 130, framed},  {16'000'000'000, 128, 130, framed},
                              {32'000'000'000, 128, 130, framed}, {64'000'000'000, 236, 256, 0}};
// Revision 6 sends FLITs of 256 bytes: 236 of packets, 6 of DLLPs, 8 of CRC, 6 of error correction; sequence numbers
// and CRC are the FLIT's. The pcie-bench model guesses instead: packets framed as before in 242 of 256 bytes.
constexpr LineCode guessed_flits{64'000'000'000, 242, 256, framed};

constexpr Bytes completion_header = 12;
constexpr Bytes ecrc_bytes = 4;

constexpr std::int64_t dllp_bytes = 8;       // framing 2, body 4, CRC 2
constexpr std::int64_t skip_bytes = 4;       // a skip ordered set, for clock compensation, ...
constexpr std::int64_t skip_interval = 1538; // ... after so many symbols at most
constexpr std::int64_t millionths = 1'000'000;
constexpr int last_framed_generation = 5;

const LineCode& line_code(const PcieConfig& config) {
    const bool guess = config.generation > last_framed_generation && config.dllp_overhead == DllpOverhead::model;
    return guess ? guessed_flits : codes[config.generation - 1];
}

// 1 - 8 / limit - 8 / limit - 4 / 1538, over a common denominator: one acknowledgement and one credit update per limit.
void keep_what_dllps_leave(PcieWire& wire, std::int64_t limit) {
    wire.kept_denominator = limit * skip_interval;
    wire.kept_numerator = wire.kept_denominator - 2 * dllp_bytes * skip_interval - skip_bytes * limit;
}

void charge_dllps(PcieWire& wire, const PcieConfig& config) {
    const std::int64_t limit = ack_limit(config.generation, config.lanes, config.max_payload_bytes);
    switch (config.dllp_overhead) {
    case DllpOverhead::model:
        keep_what_dllps_leave(wire, limit);
        return;
    case DllpOverhead::strict:
        // A symbol time moves a byte on every lane. FLITs carry DLLPs in bytes of their own.
        if (config.generation <= last_framed_generation)
            keep_what_dllps_leave(wire, limit * config.lanes);
        return;
    case DllpOverhead::fraction:
        wire.kept_denominator = millionths;
        wire.kept_numerator = millionths - config.dllp_millionths;
        return;
    }
}

Wide ceil_wide(Wide numerator, Wide denominator) { return (numerator + denominator - 1) / denominator; }

// Payload rate of packets with `payload` bytes each and `overhead` bytes besides.
BytesPerSecond payload_rate(const PcieWire& wire, Bytes payload, Bytes overhead) {
    return static_cast<BytesPerSecond>(
        ceil_wide(wire.rate_numerator * payload, wire.rate_denominator * (payload + overhead)));
}

} // namespace

std::int64_t ack_limit(int generation, std::int64_t lanes, Bytes max_payload) {
    constexpr std::int64_t packet_overhead = 28;
    constexpr std::int64_t internal_delay[] = {19, 70, 115};
    constexpr Bytes large = 512;
    // AckFactor in tenths, of small and of large payloads: tables 3-7 to 3-9.
    const std::int64_t factor = lanes >= 12  ? (max_payload < large ? 30 : 20)
                                : lanes >= 8 ? (max_payload < large ? 25 : 10)
                                             : (max_payload < large ? 14 : 10);
    return (max_payload + packet_overhead) * factor / (10 * lanes) + internal_delay[std::min(generation, 3) - 1];
}

PcieWire pcie_wire(const PcieConfig& config) {
    PcieWire wire;
    if (!config.packets) {
        if (config.bandwidth != unlimited) {
            wire.rate_numerator = config.bandwidth;
            wire.rate_denominator = 1;
        }
        return wire;
    }
    charge_dllps(wire, config);
    const LineCode& code = line_code(config);
    constexpr std::int64_t bits = 8;
    wire.rate_numerator = Wide{code.transfers_per_second} * config.lanes * code.coded * wire.kept_numerator;
    wire.rate_denominator = Wide{bits} * code.line * wire.kept_denominator;
    const Bytes every_packet = code.framing + (config.ecrc ? ecrc_bytes : 0);
    wire.max_payload = config.max_payload_bytes;
    wire.write_overhead = config.header_bytes + every_packet;
    wire.max_request = config.max_read_request_bytes;
    wire.request_bytes = config.header_bytes + every_packet;
    wire.completion = std::min(config.max_payload_bytes, config.max_read_request_bytes);
    if (config.completion_bytes > 0)
        wire.completion = std::min(wire.completion, config.completion_bytes);
    wire.completion_overhead = completion_header + every_packet;
    wire.tags = config.tags;
    return wire;
}

PcieBandwidth best_payload_bandwidth(const PcieConfig& config) {
    if (!config.packets)
        return {config.bandwidth, config.bandwidth};
    const PcieWire wire = pcie_wire(config);
    PcieBandwidth best{payload_rate(wire, wire.completion, wire.completion_overhead),
                       payload_rate(wire, wire.max_payload, wire.write_overhead)};
    if (config.latency > 0) {
        // A tag brings one request per round trip.
        constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;
        const Wide in_flight = Wide{wire.tags} * wire.max_request * picoseconds_per_second;
        const Wide by_tags = ceil_wide(in_flight, Wide{2} * config.latency);
        best.to_device = static_cast<BytesPerSecond>(std::min<Wide>(best.to_device, by_tags));
    }
    return best;
}

} // namespace systole
