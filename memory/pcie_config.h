// The parameters of the PCIe link between host memory and the chip. memory/pcie_wire.h turns them into rates and packet
// sizes, memory/pcie_link.h simulates the link.
#pragma once

#include "sim/base/quantities.h"

namespace systole {

// What acknowledgements, flow-control updates and skip ordered sets take from the raw rate.
enum class DllpOverhead {
    model,   // as the pcie-bench model charges them: the intervals of the specification taken as bytes
    strict,  // the same intervals taken as symbol times, which all lanes of the link have at once
    fraction // PcieConfig::dllp_millionths
};

struct PcieConfig {
    bool packets = false; // false: an ideal link, `bandwidth` each way and nothing of the block below
    // Ideal link: payload of each direction. Packets: the most payload that either direction can carry (derived).
    BytesPerSecond bandwidth = unlimited;
    Picoseconds latency = 0; // one way, half of the round trip of a read request to its last byte

    int generation = 0;      // 1..6; 0: none stated
    std::int64_t lanes = 16; // 1, 2, 4, 8, 12, 16 or 32
    Bytes max_payload_bytes = 256;
    Bytes max_read_request_bytes = 512;
    Bytes completion_bytes = 0; // payload of a read completion; 0: as much as the two above allow
    Bytes header_bytes = 16;    // of a write or a read request: 12 with 32-bit addresses, 16 with 64-bit addresses
    bool ecrc = false;          // 4 bytes at the end of every packet
    DllpOverhead dllp_overhead = DllpOverhead::model;
    std::int64_t dllp_millionths = 0;
    int tags = 256; // read requests in flight
    // Flow-control credits that the receiver grants: headers (packets) and data, in units of 16 bytes.
    std::int64_t posted_header_credits = unlimited;
    std::int64_t posted_data_credits = unlimited;
    std::int64_t completion_header_credits = unlimited;
    std::int64_t completion_data_credits = unlimited;

    bool operator==(const PcieConfig&) const = default;
};

inline constexpr Bytes pcie_credit_bytes = 16; // of payload, for one data credit

} // namespace systole
