// One chip, validated and immutable: what a file under configs/chips/ describes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dataflow/array_config.h"
#include "dataflow/vector_problem.h"
#include "memory/memory_config.h"
#include "pe/format.h"
#include "sim/base/quantities.h"

namespace systole {

// What the data sheet states. Used by `systole roofline` alone, never by the simulator.
struct NominalConfig {
    std::map<Format, FlopPerSecond> flops;        // per format
    FlopPerSecond vector_flops = 0;               // of the vector units of the chip; 0: not stated, as below
    std::map<std::string, BytesPerSecond> levels; // caches between the math and VMEM or HBM, by name ("l2")
    BytesPerSecond vmem_bandwidth = 0;
    BytesPerSecond hbm_bandwidth = 0;
    BytesPerSecond pcie_bandwidth = 0;
};

// Links to neighbouring chips; for the roofline alone, as one chip is simulated.
struct LinkConfig {
    BytesPerSecond bandwidth = 0; // of one link in one direction; 0: none stated
    int count = 1;                // links of one chip
};

struct Machine {
    std::string name;           // of the file, without folder and ending
    std::string description;    // one line
    std::string source;         // where the numbers come from, one line
    std::string file;           // where it was read
    bool roofline_only = false; // data-sheet peaks alone (a GPU, a CPU): nothing of the array below is meant
    Hertz clock = 1'000'000'000;
    int cores = 1;
    ArrayConfig array;
    std::map<Format, int> macs_per_pe_cycle; // q of each format the array takes; empty if roofline_only
    Format default_format = Format::int8;    // the first of array.formats
    Bytes accumulator_capacity = unlimited;  // of one core
    VectorConfig vector;                     // of one core
    VmemConfig vmem;                         // of one core
    DmaConfig dma;                           // of one core
    HbmConfig hbm;                           // of the chip
    PcieConfig pcie;                         // of the chip
    LinkConfig link;                         // of the chip
    NominalConfig nominal;

    std::int64_t pe_count() const { return std::int64_t{array.rows} * array.cols * array.count * cores; }
};

// q for a pair of operand formats: that of the slower one. Throws InputError if the array does not take a format.
int macs_per_pe_cycle(const Machine& machine, const OperandFormats& formats);

// Throws InputError for a chip that can only be asked for its roofline.
void require_simulable(const Machine& machine);

// Peak of the simulated machine, 2*R*C*arrays*cores*clock*q, in FLOP/s.
FlopPerSecond peak_flops(const Machine& machine, int q);

} // namespace systole
