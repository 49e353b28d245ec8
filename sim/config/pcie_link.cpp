#include "sim/config/pcie_link.h"

namespace systole {

namespace {

// PCI Express Base Specification 6.0: 2.5 and 5 GT/s with 8b/10b (revisions 1 and 2), 8, 16 and 32 GT/s with 128b/130b
// (3, 4, 5), 64 GT/s in FLITs of 256 bytes that carry 236 bytes of packets (6).
struct Generation {
    std::int64_t transfers_per_second; // of a lane, one bit each
    std::int64_t coded_bits;           // of every `line_bits` on the wire, `coded_bits` are packets
    std::int64_t line_bits;
    Bytes packet_overhead; // bytes of a memory write besides its payload
};

// Framing 2 + sequence number 2 + header 16 (64-bit address) + link CRC 4; revision 3 packs framing and sequence
// number into one 4-byte token. FLITs carry sequence numbers and CRC themselves: the header alone.
constexpr Bytes framed_packet = 2 + 2 + 16 + 4;
constexpr Bytes flit_packet = 16;

constexpr Generation generations[] = {
    {2'500'000'000, 8, 10, framed_packet},     {5'000'000'000, 8, 10, framed_packet},
    {8'000'000'000, 128, 130, framed_packet},  {16'000'000'000, 128, 130, framed_packet},
    {32'000'000'000, 128, 130, framed_packet}, {64'000'000'000, 236, 256, flit_packet}};

} // namespace

std::optional<BytesPerSecond> payload_bandwidth(const PcieLink& link) {
    if (link.generation < 1 || link.generation > 6) {
        return std::nullopt;
    }
    const Generation& generation = generations[link.generation - 1];
    // At most 64e9 * 16 * 236 * 4096, which is below 2^63.
    const std::int64_t payload_bits =
        generation.transfers_per_second * link.lanes * generation.coded_bits * link.max_payload_bytes;
    return payload_bits / (8 * generation.line_bits * (link.max_payload_bytes + generation.packet_overhead));
}

} // namespace systole
