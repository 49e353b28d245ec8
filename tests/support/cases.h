// Random machines and problems for property tests. Plain integers where 0 is the ideal value: RapidCheck shrinks a
// failure toward a 1x1 array with everything around it unlimited.
#pragma once

#include <optional>
#include <ostream>

#include <rapidcheck.h>

#include "sim/engine/run.h"
#include "tests/support/check_property.h"

namespace systole {

// How RapidCheck prints a dataflow of a counterexample; found by the type's namespace.
inline void showValue(Dataflow dataflow, std::ostream& out) { out << short_name(dataflow); }

} // namespace systole

namespace systole::test {

struct Case {
    // the array
    int rows = 1;
    int cols = 1;
    int arrays = 1;
    int cores = 1;
    int edge_latency = 0;
    int mac_latency = 1;
    int weight_buffers = 2;
    bool drained = false;     // swap; its period is no shorter than a load:
    int swap_beyond_load = 0; // swap_period - rows
    int accumulator_buffers = 2;
    DrainAxis drain_axis = DrainAxis::columns;
    bool broadcast = false;
    int min_rows = 1;
    bool transposer = false;
    int rate = 1; // q
    // the levels; 0: unlimited (bandwidths, capacities, banks) or none (latencies)
    std::int64_t accumulator_capacity = 0;
    std::int64_t vmem_capacity = 0;
    std::int64_t vmem_bandwidth = 0;
    std::int64_t vmem_banks = 0;
    int vmem_ports = 1;
    int vmem_buffers = 2;
    int vmem_read_latency = 0;
    std::int64_t dma_burst = 4096;
    int dma_outstanding = 16;
    int dma_engines = 1;
    int dma_issue_interval = 0;
    std::int64_t hbm_bandwidth = 0;
    std::int64_t hbm_latency = 0;
    int hbm_stacks = 0; // of small_dram(); 0: an ideal memory, as with unlimited bandwidth
    RefreshMode hbm_refresh = RefreshMode::all_bank;
    MemoryMode memory_mode = MemoryMode::fast;
    std::int64_t pcie_bandwidth = 0;
    std::int64_t pcie_latency = 0;
    std::int64_t clock = 1'000'000'000;
    // the problem
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    Format a = Format::int8;
    Format b = Format::int8;
    Format c = Format::int8;
    std::int64_t count = 1;                  // of products, if dense
    std::optional<ConvolutionWindow> window; // m and k are then those of the window, count the groups
    OperandHomes homes;                      // of those that do not start in VMEM
    std::int64_t epilogue_operations = 0;    // of each output, by the vector unit; 0: there is no epilogue
    std::int64_t epilogue_bits = 0;          // read besides
    int vector_lanes = 4;
    int keep = 1; // of a sparse B; 1:1 is dense
    int group = 1;
    Dataflow dataflow = Dataflow::weight_stationary;
    DataOrigin from = DataOrigin::vmem;

    // One dense or sparse product of matrices, all of which start and end where the data does.
    Case plain() const {
        Case result = *this;
        result.count = 1;
        result.window.reset();
        result.homes = {};
        result.epilogue_operations = 0;
        return result;
    }
    bool has_dram() const { return hbm_stacks > 0 && hbm_bandwidth > 0; }
    int swap_period() const { return drained ? rows + swap_beyond_load : 0; }
    Machine machine() const;
    GemmProblem problem() const;
    // Dense where the array has too few rows for a group, or in groups of a convolution.
    SparsePattern sparsity() const {
        const bool fits = (dataflow == Dataflow::output_stationary || rows * rate >= keep) && !(window && count > 1);
        return fits ? SparsePattern{keep, group} : dense_pattern;
    }
    // True if a memory is bounded, so that a problem may rightly be refused.
    bool may_not_fit() const { return vmem_capacity > 0 || accumulator_capacity > 0; }
};

// A stack of two channels with few and small rows and frequent refreshes, so that short runs meet them all.
DramConfig small_dram(RefreshMode refresh);

// As one would write it on the command line.
std::ostream& operator<<(std::ostream& out, const Case& test_case);

struct CaseLimits {
    int largest_array = 8; // rows and columns
    int largest_dimension = 40;
};

rc::Gen<Case> any_case(CaseLimits limits = {});

// One in four of any_case() are convolutions, all of these.
rc::Gen<Case> any_convolution_case(CaseLimits limits = {});

// The same with everything outside the array ideal and operands in VMEM: the closed forms of the model hold.
rc::Gen<Case> any_ideal_case(CaseLimits limits = {});

// Empty if the problem does not fit the machine. An InputError where nothing is bounded is passed on: it is a failure.
std::optional<OperatorResult> run_if_it_fits(const Case& test_case, EngineKind engine);

// The same, counted; discards the case if it does not fit.
OperatorResult run_or_discard(const Case& test_case, EngineKind engine, DiscardCounter& counter);

} // namespace systole::test
