// What a PCIe link does to a byte: rates as exact fractions and the sizes of packets.
//
// Sources: PCI Express Base Specification 5.0 (line codes, packet formats, the limits of tables 3-7 to 3-9) and the
// pcie-bench model (Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018), whose
// way to charge acknowledgements, flow control and skip ordered sets is DllpOverhead::model.
#pragma once

#include "memory/pcie_config.h"

namespace systole {

struct PcieWire {
    __extension__ using Wide = __int128;

    // Bytes of packets per second; 0 / 0 stands for no limit.
    Wide rate_numerator = 1;
    Wide rate_denominator = 0;
    // That rate over the raw one, which DLLPs and skip ordered sets share.
    std::int64_t kept_numerator = 1;
    std::int64_t kept_denominator = 1;

    Bytes max_payload = unlimited / 2; // of a write; an ideal link sends every transfer as one packet
    Bytes write_overhead = 0;          // bytes of a write besides its payload
    Bytes max_request = unlimited / 2; // what one read request may ask for
    Bytes request_bytes = 0;           // of the request itself
    Bytes completion = unlimited / 2;  // payload of a full completion
    Bytes completion_overhead = 0;
    int tags = 0; // 0: no limit
};

PcieWire pcie_wire(const PcieConfig& config);

// The longest that a receiver may wait with an acknowledgement or a credit update, in symbol times:
// floor((max payload + 28) * AckFactor / lanes) + 19, 70 or 115 (generation 1, 2, later).
std::int64_t ack_limit(int generation, std::int64_t lanes, Bytes max_payload);

// Payload per second that no run can beat, rounded up: back-to-back packets of full size, and for reads all tags in
// use.
struct PcieBandwidth {
    BytesPerSecond to_device = unlimited; // DMA reads
    BytesPerSecond to_host = unlimited;   // DMA writes
};

PcieBandwidth best_payload_bandwidth(const PcieConfig& config);

} // namespace systole
