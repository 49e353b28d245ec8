// One GEMM on one machine with a given mapping: builds the modules, runs the kernel, adds up what was counted.
#pragma once

#include <functional>
#include <vector>

#include "sim/config/machine.h"
#include "sim/engine/run.h"
#include "sim/engine/sequencer.h"
#include "sim/engine/values.h"

namespace systole {

// One core's part of the problem: elements [m0, m0 + m) x [n0, n0 + n) of C, of the products from `instance0` on, and
// how they are mapped.
struct CoreShare {
    std::int64_t m0 = 0, n0 = 0;
    std::int64_t instance0 = 0;
    Mapping mapping;
};

struct MachineRun {
    GemmProblem problem;
    std::vector<CoreShare> shares; // one for each core that has work
    CoreLimits limits;
    DataOrigin from = DataOrigin::hbm;
    EngineKind engine = EngineKind::structural; // resolved
    GemmValues* values = nullptr;               // null: no values flow
    // Of each share, or none: units of B that are in VMEM at the start, and those of a later run's B to bring.
    std::vector<AheadUnits> here, ahead;
    Cycles max_cycles = unlimited;
    Cycles cycles_before = 0;  // of --max-cycles, what has run already
    Cycles idle = 0;           // probe
    bool preload_bias = false; // probe
    std::optional<WaveformOptions> waveform;
    Timeline* timeline = nullptr; // null: nobody watches
    std::function<void(Cycles)> progress;
    ExternalMemoryFactory external_memory;
};

struct MachineOutcome {
    Cycles cycles = 0;
    std::int64_t macs = 0;
    std::int64_t array_passes = 0;
    CycleStack stack; // PE-slots
    Traffic traffic;
    HbmUse hbm;
    PcieUse pcie; // times in cycles
    std::int64_t kernel_events = 0;
    Cycles vmem_conflict_cycles = 0;         // of all cores
    std::vector<VmemBuffer> vmem_allocation; // of the first core
    std::vector<AheadUnits> ahead;           // of each core: what has come of MachineRun::ahead, and what not
    ArrayMarks marks;                        // of the first core
};

// Throws InternalError if the grid disagrees with the sequencer in a cycle or in a count, or if bytes are lost;
// EnvironmentError if an external memory does not answer.
MachineOutcome run_machine(const Machine& machine, const MachineRun& run);

// The cycles of the same run, counted without the kernel; always on the built-in memory. `enough`: as in dry_run().
Cycles cycles_of(const Machine& machine, const MachineRun& run, Cycles enough = unlimited);

// Of each share of a later run: the first units of its B, as many as fit into `room` bytes and into the buffers of its
// mapping. None of a B that is resident or comes from the host.
std::vector<AheadUnits> ahead_units(const Machine& machine, const MachineRun& later, Bytes room);

CoreLimits core_limits(const Machine& machine, const OperandFormats& formats);

// Deals the problem to the cores and maps each part; the mapping is that of the largest part, clipped.
std::vector<CoreShare> share_among_cores(const Machine& machine, const GemmProblem& problem, Dataflow dataflow,
                                         const std::function<Mapping(const OrientedGemm&)>& map);

} // namespace systole
