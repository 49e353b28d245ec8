// A dense run and a run of the same problem with a sparse B, side by side: what the sparsity gained, and which causes
// ate the rest. Cycles are those of the two results; everything else follows from them.
#pragma once

#include <string>
#include <vector>

#include "sim/report/counters.h"
#include "sim/stats/result.h"

namespace systole {

// Cycles of one cause of the stack. `lost` is what the sparse run has of it beyond N/M of the dense run's: 0 if the
// cause has shrunk as much as the MACs, negative if it has shrunk more. All are differences of cumulated slots rounded
// down, so that the columns sum to the cycles of the runs and to `lost_cycles` exactly.
struct SparsityCause {
    Cause cause = Cause::useful;
    Cycles dense = 0;
    Cycles sparse = 0;
    Cycles lost = 0;

    Cycles saved() const { return dense - sparse; }
    bool operator==(const SparsityCause&) const = default;
};

struct SparsityGain {
    SparsePattern sparsity;
    Cycles dense_cycles = 0;
    Cycles sparse_cycles = 0;
    Cycles lost_cycles = 0;            // sparse_cycles - floor(dense_cycles * N / M)
    double best = 1;                   // M / N: a run of which every cause shrinks like the MACs
    double speed_up = 1;               // dense_cycles / sparse_cycles
    double eta = 1;                    // speed_up / best: effective peak = M / N * eta * peak, for 2:4 2 * eta * peak
    std::vector<SparsityCause> causes; // of every cause with a cycle in either run, in the stack's order
    Bytes dense_b = 0, sparse_b = 0, meta = 0; // bytes of B where the data starts; sparse_b without meta
    Bytes dense_bytes = 0, sparse_bytes = 0;   // of all operands there
    std::vector<std::string> sentences;        // what the numbers say, for people
};

// Both of one problem on one machine from one place; `dense` has no sparsity, `sparse` has. Throws InternalError if
// they are not.
SparsityGain sparsity_gain(const OperatorResult& dense, const OperatorResult& sparse);

std::string sparsity_gain_text(const SparsityGain& gain); // lines of at most 80 columns
Json sparsity_gain_json(const SparsityGain& gain);

// The gains of all operators of two runs, and of the whole if there are several; of networks a table of the operators
// and the gain of the whole. JSON: chip, engine and clock_hz, and
// for each operator and the total the gain's keys and both results under "dense" and "sparse".
std::string sparsity_pair_text(const RunResult& dense, const RunResult& sparse);
std::string sparsity_pair_json(const RunResult& dense, const RunResult& sparse);

} // namespace systole
