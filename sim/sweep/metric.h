// What a sweep stores of every point and of every layer: the columns of its tables, what they mean and which way is
// better. This one table makes the database, the CSV, the JSON and the keys of --best-by and --pareto.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/config/machine.h"
#include "sim/stats/result.h"
#include "sim/sweep/cell.h"

namespace systole {

enum class Better { lower, higher, neither };

struct Metric {
    std::string name; // "array_utilization"
    std::string unit; // "cycles", "" for a ratio, "text"
    std::string help; // one line
    Better better = Better::neither;
    std::function<Cell(const Machine&, const OperatorResult&)> value;
};

const std::vector<Metric>& point_metrics(); // of the whole run and of the chip it ran on
const std::vector<Metric>& layer_metrics(); // of one operator

// What the chip costs, as far as its file tells: silicon in PEs. The die photo of the TPU v1 is the only published one
// with both parts measured (Jouppi et al. 2017, "In-Datacenter Performance Analysis of a Tensor Processing Unit",
// fig. 2): 65,536 PEs take 24 % of it, a buffer of 24 MiB takes 29 %. So a PE of 8-bit operands is as large as
// (24 % / 65536) / (29 % / 24 MiB) = 318 bytes of SRAM. A proxy to rank machines of one family with: wider formats,
// HBM and links are not in it.
inline constexpr double sram_bytes_per_pe = 318;

Cell sram_bytes(const Machine& machine); // VMEM and accumulators of all cores; nothing if one of them is unlimited
Cell area(const Machine& machine);       // PEs + SRAM bytes / 318; nothing if the SRAM is unlimited

} // namespace systole
