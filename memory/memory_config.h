// The parameters of the memory levels. Bandwidths may be `unlimited` (ideal machines).
#pragma once

#include <memory>

#include "memory/dram_config.h"
#include "memory/pcie_config.h"
#include "sim/base/quantities.h"

namespace systole {

struct VmemConfig {
    Bytes capacity = unlimited;
    BytesPerCycle bandwidth = unlimited; // of one core's VMEM, shared by all its clients
    std::int64_t banks = unlimited;      // tiles are dealt to them (vmem_allocator.h); unlimited: clients never meet
    int ports = 1;                       // of a bank: the clients that it serves in a cycle
    int buffers = 2;                     // tiles of an operand that are held at once (2 = double buffering)
    Cycles read_latency = 0;             // from the read of a row to its arrival at the array
};

struct DmaConfig {
    Bytes burst_bytes = 4096;  // one memory request
    int outstanding = 16;      // requests in flight, per engine and direction
    int engines = 1;           // of one core
    Cycles issue_interval = 1; // from one request to the next, per engine and direction; 0: any number in a cycle

    int in_flight() const { return engines * outstanding; } // per direction
};

struct HbmConfig {
    BytesPerSecond bandwidth = unlimited; // of all stacks' pins: their data rate is scaled to it
    Picoseconds latency = 0;              // between DMA and memory controllers and back, on top of the DRAM's own
    // What the stacks are; none: an ideal memory that moves `bandwidth` bytes a second and answers after `latency`.
    std::shared_ptr<const DramConfig> dram;
    int stacks = 1;
    MemoryMode mode = MemoryMode::fast;
};

} // namespace systole
