// What a run reports. Every ratio is defined here, once.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataflow/mapping_choice.h"
#include "dataflow/problem.h"
#include "memory/hbm_use.h"
#include "memory/pcie_use.h"
#include "memory/vmem_allocator.h"
#include "sim/base/quantities.h"
#include "sim/stats/cycle_stack.h"

namespace systole {

// Bytes by operand. C is the stored result, psum a partial sum in an accumulator or PE register, meta the indices of a
// sparse B, whose values alone are b, vector what the vector unit reads and leaves.
struct OperandBytes {
    Bytes a = 0;
    Bytes b = 0;
    Bytes c = 0;
    Bytes psum = 0;
    Bytes meta = 0;
    Bytes vector = 0;

    Bytes total() const { return a + b + c + psum + meta + vector; }
    OperandBytes& operator+=(const OperandBytes& other);
    bool operator==(const OperandBytes&) const = default;
};

struct LevelTraffic {
    OperandBytes read;
    OperandBytes write;
    std::int64_t accesses = 0; // PE: register reads + writes; accumulator: vectors; elsewhere: requests

    Bytes total() const { return read.total() + write.total(); }
    LevelTraffic& operator+=(const LevelTraffic& other);
    bool operator==(const LevelTraffic&) const = default;
};

// PCIe: write = host to device (A, B), read = device to host (C).
struct Traffic {
    LevelTraffic pe, accumulator, vmem, hbm, pcie;

    Traffic& operator+=(const Traffic& other);
    bool operator==(const Traffic&) const = default;
};

// One level of the analytic roofline beside the run.
struct RooflineLevel {
    Bytes compulsory_bytes = 0;  // each operand once
    Bytes tiled_bytes = 0;       // what the chosen mapping must move
    double bytes_per_second = 0; // 0: unlimited
    double intensity = 0;        // FLOP per limiting byte
    double tiled_intensity = 0;  // FLOP per tiled byte
    double ridge = 0;            // FLOP/byte at which the level stops to bind; 0: unlimited bandwidth
    double seconds = 0;          // limiting bytes / bandwidth
    Bytes limiting_bytes = 0; // the compulsory bytes that take the time: all, or (PCIe) those of the busier direction
};

struct Roofline {
    double peak_flops = 0; // of the simulated machine
    double t_math_s = 0;
    double t_vector_s = 0; // operations of the vector units / their rate
    double lower_bound_s = 0;
    double upper_bound_s = 0;
    std::string bound; // "compute" | "vector" | "vmem" | "hbm" | "pcie" | "host" | "none": nothing takes time
    std::map<std::string, RooflineLevel> levels; // "vmem", "hbm", "pcie" on the data's way; "host": its stages' time
};

// How a matrix product of a network's operator was laid on the cores.
struct TaskMapping {
    std::string name;
    std::int64_t m = 1, n = 1, k = 1;
    std::int64_t count = 1;
    MappingChoice choice;
};

struct OperatorResult {
    std::string name;
    std::string kind = "gemm";
    std::int64_t tasks = 1; // of the arrays and the vector unit, of which it is the sum
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t count = 1;                    // of such products
    std::optional<ConvolutionWindow> window{}; // of a convolution
    Dataflow dataflow = Dataflow::weight_stationary;
    OperandFormats formats;
    SparsePattern sparsity = dense_pattern; // of B
    DataOrigin from = DataOrigin::hbm;
    Tile tile;                   // of VMEM, in the first core's part
    OperandHomes homes;          // where the operands were, of a network's operator
    Bytes prefetched = 0;        // of B, in VMEM already when the operator began
    std::int64_t passes = 0;     // uses of the array with one stationary tile, summed over arrays and cores
    std::int64_t macs = 0;       // done: of a sparse B at the positions that are stored
    std::int64_t dense_macs = 0; // M*N*K, of all products
    Cycles cycles = 0;
    double seconds = 0;
    std::int64_t pe_slots = 0; // R*C*arrays*cores*q*cycles
    CycleStack stack;          // in PE-slots, sums to pe_slots
    Traffic traffic;
    HbmUse hbm;   // of runs that use it
    PcieUse pcie; // of runs from the host; times in cycles
    Roofline roofline;
    std::optional<MappingChoice> mapping;    // as it can be asked for again; empty in a total
    std::vector<TaskMapping> task_mappings;  // of a network's operator: of each of its products
    std::optional<bool> verified;            // empty: not asked for or not possible
    std::int64_t kernel_events = 0;          // process activations of the SystemC kernel
    Cycles vmem_conflict_cycles = 0;         // in which clients waited for a bank, summed over clients and cores
    std::vector<VmemBuffer> vmem_allocation; // of the first core; empty in a total

    std::int64_t flops() const { return 2 * macs; }
    double array_utilization() const;   // MACs / PE-slots
    double mapping_efficiency() const;  // useful / (useful + padding)
    double roofline_efficiency() const; // lower bound / simulated time; 1 where nothing takes time
    double roofline_gap() const { return 1 - roofline_efficiency(); } // the part of the time that the roof leaves open
};

struct RunResult {
    std::string chip;
    std::string engine;               // "structural", "flat", "tile"
    bool network = false;             // operators of all kinds with tensors between them, not a list of products
    std::vector<std::string> skipped; // operators of an ONNX model that were left out
    Hertz clock = 0;
    std::vector<OperatorResult> operators;
    OperatorResult total; // sums; ratios of the sums
};

} // namespace systole
