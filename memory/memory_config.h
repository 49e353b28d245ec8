// The parameters of the memory levels. Bandwidths may be `unlimited` (ideal machines).
#pragma once

#include "sim/base/quantities.h"

namespace systole {

struct VmemConfig {
    Bytes capacity = unlimited;
    BytesPerCycle bandwidth = unlimited; // of one core's VMEM, shared by all its clients
    int banks = 2;                       // 1: one client per cycle; >= 2: clients are placed in different banks
    int buffers = 2;                     // tiles of an operand that are held at once (2 = double buffering)
    Cycles read_latency = 0;             // from the read of a row to its arrival at the array
};

struct DmaConfig {
    Bytes burst_bytes = 4096; // one memory request
    int outstanding = 16;     // requests in flight, per direction
};

struct HbmConfig {
    BytesPerSecond bandwidth = unlimited;
    Picoseconds latency = 0;
};

struct PcieConfig {
    BytesPerSecond bandwidth = unlimited; // of each direction, of payload
    Picoseconds latency = 0;              // one way
};

} // namespace systole
