// A PCIe link alone: one long transfer, or one each way at once.
#pragma once

#include "memory/pcie_config.h"
#include "memory/pcie_use.h"

namespace systole {

enum class PcieTransfer { write, read, duplex }; // of the device: to the host, from it, both at once

struct PcieProbeResult {
    Picoseconds duration = 0; // from the first request to the last byte accepted, rounded up
    Picoseconds latency = 0;  // of one packet alone: a full read request (duplex: too), a full write
    PcieUse use;              // times in picoseconds
};

// Moves `bytes` (> 0), each way if duplex, everything asked for at the beginning.
PcieProbeResult probe_pcie(const PcieConfig& config, PcieTransfer transfer, Bytes bytes);

} // namespace systole
