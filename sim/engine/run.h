// Runs a problem on a machine: the one entry point that the command line, the tests and the sweeps use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataflow/problem.h"
#include "sim/config/machine.h"
#include "sim/engine/values.h"
#include "sim/stats/result.h"
#include "sim/workload/mapping_file.h"

namespace systole {

class ExternalMemory; // sim/engine/external_memory.h; here without SystemC
class TimeBase;       // memory/time_base.h
class Timeline;       // sim/base/timeline.h

enum class EngineKind { structural, flat, tile, automatic };

std::string_view name(EngineKind kind); // "structural", "flat", "tile", "auto"
std::optional<EngineKind> parse_engine(std::string_view text);

// naive: the closed form's choice out of few candidates, nothing is run. automatic: the fastest that a search of many
// finds, which runs the best of them; never slower. docs/model.md, "Mappings".
enum class MappingMode { automatic, naive };

// A value change dump of the structural engine's ports and PEs; cycles of the core clock, inclusive.
struct WaveformOptions {
    std::string file;
    Cycles from = 0;
    Cycles to = unlimited;

    std::string partial() const { return file + ".partial"; } // written first, renamed when it is complete
};

// Makes the memory that takes the HBM's place, for one operator. `time`: converts its times into the kernel's, whose
// unit is a whole fraction of a core cycle and about 1 ps.
using ExternalMemoryFactory = std::function<std::unique_ptr<ExternalMemory>(const TimeBase& time)>;

struct RunOptions {
    EngineKind engine = EngineKind::automatic;
    std::optional<Dataflow> dataflow = Dataflow::weight_stationary; // empty: the fastest of the three
    DataOrigin from = DataOrigin::hbm;
    std::optional<bool> verify; // empty: whatever the engine and the formats can do
    std::optional<Tile> tile;   // empty: what `mapping` says
    MappingMode mapping = MappingMode::automatic;
    std::optional<MappingFile> fixed;      // the mapping of every operator, instead of these
    double settle_events = 1 << 20;        // most that a search runs for an operator: about a microsecond each
    SparsePattern weights = dense_pattern; // of a network: structure of what B of a product is (docs/networks.md)
    bool fuse = false;                     // of a network: elementwise work on the way of a product's results to VMEM
    std::uint64_t seed = 1;                // of the operand values that are not given
    GivenOperands given;                   // of a single problem, on an engine that carries values
    // Called with C, row-major, rounded to its format, when its run is complete and, if it is verified, right.
    std::function<void(const GemmProblem& problem, const std::vector<double>& c)> take_result;
    std::optional<Cycles> max_cycles; // of the whole run; empty: about ten minutes of the chosen engine
    Cycles cycles_before = 0;         // of them, what has run already: set by runs of several operators
    Cycles cycles_left() const { return max_cycles ? *max_cycles - cycles_before : unlimited; }
    std::optional<WaveformOptions> waveform;
    Timeline* timeline = nullptr; // told what every part of the machine does when; null: nobody watches
    std::function<void(Cycles done, Cycles estimate)> progress; // called now and then, may be empty

    // Empty: the HBM of the chip file. Else that HBM is an estimate for the mapping and `dataflow` alone, and its
    // bandwidth the roofline's: state at least the peak of the memory there, or `unlimited`.
    ExternalMemoryFactory external_memory;
};

// Throws InputError (the problem does not fit, a run would take too long, values asked for where there are none, given
// values that do not fit the problem, an external memory that is faster than hbm.bandwidth), EnvironmentError (an
// external memory stopped answering), InternalError (a law of the model broken, a deadlock). A wrong product is no
// exception: `verified` is false.
RunResult simulate(const Machine& machine, const std::vector<GemmProblem>& problems, const RunOptions& options);

// The engine that `automatic` stands for: one that carries values if these are asked for.
EngineKind resolve_engine(const RunOptions& options);

// `systole probe array`: passes back to back on the array alone, operands in VMEM.
struct ProbeOptions {
    EngineKind engine = EngineKind::structural;
    Dataflow dataflow = Dataflow::weight_stationary;
    std::int64_t streamed = 1; // S, vectors per pass
    std::int64_t passes = 1;   // T
    Cycles idle = 0;           // idle cycles after every pass
    bool reuse = false;        // all passes use the first stationary tile
};

// Inclusive counts: last cycle - first cycle + 1.
struct ProbeResult {
    Cycles first_vmem_read_to_last_result = 0;
    Cycles first_stationary_to_last_result = 0; // OS: equals first_streamed_to_last_result
    Cycles first_streamed_to_last_result = 0;
    std::optional<Cycles> first_bias_to_last_result; // OS alone
    Cycles pass_interval = 0;                        // between the starts of the last two passes; one pass: its own
};

ProbeResult probe_array(const Machine& machine, const ProbeOptions& options);

} // namespace systole
