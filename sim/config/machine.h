// One chip, validated and immutable: what a file under configs/chips/ describes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dataflow/array_config.h"
#include "memory/memory_config.h"
#include "pe/format.h"
#include "sim/base/quantities.h"

namespace systole {

// What the data sheet states. Used by `systole roofline` alone, never by the simulator.
struct NominalConfig {
    std::map<Format, FlopPerSecond> flops; // per format
    BytesPerSecond hbm_bandwidth = 0;      // 0: not stated
    BytesPerSecond pcie_bandwidth = 0;
};

// The link that pcie.bandwidth is derived from (sim/config/pcie_link.h).
struct PcieLink {
    int generation = 0; // 0: none stated
    int lanes = 16;
    Bytes max_payload_bytes = 256;

    bool operator==(const PcieLink&) const = default;
};

struct Machine {
    std::string name;        // of the file, without folder and ending
    std::string description; // one line
    std::string source;      // where the numbers come from, one line
    std::string file;        // where it was read
    Hertz clock = 1'000'000'000;
    int cores = 1;
    ArrayConfig array;
    std::map<Format, int> macs_per_pe_cycle; // q of each format the array takes; never empty
    Format default_format = Format::int8;    // the first of array.formats
    Bytes accumulator_capacity = unlimited;  // of one core
    VmemConfig vmem;                         // of one core
    DmaConfig dma;                           // of one core
    HbmConfig hbm;                           // of the chip
    PcieLink pcie_link;                      // of the chip
    PcieConfig pcie;                         // of the chip
    NominalConfig nominal;

    std::int64_t pe_count() const { return std::int64_t{array.rows} * array.cols * array.count * cores; }
};

// q for a pair of operand formats: that of the slower one. Throws InputError if the array does not take a format.
int macs_per_pe_cycle(const Machine& machine, const OperandFormats& formats);

// Peak of the simulated machine, 2*R*C*arrays*cores*clock*q, in FLOP/s.
FlopPerSecond peak_flops(const Machine& machine, int q);

} // namespace systole
