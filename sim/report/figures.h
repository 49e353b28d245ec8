// What the pictures of a run show, as numbers: both the plots and the HTML report draw these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/config/machine.h"
#include "sim/roofline/roof.h"
#include "sim/stats/result.h"

namespace systole {

// A slanted roof: attainable = bandwidth * intensity, up to the peak.
struct BandwidthRoof {
    std::string name;  // "hbm"
    std::string label; // "HBM"
    double bandwidth = 0;
};

// A flat roof. That of N:M sparsity is M/N times the dense one, reached where the array is never short of groups; it
// counts the FLOPs of the dense problem.
struct PeakRoof {
    std::string label; // "bf16", "bf16 2:4", "bf16 2:4, int8"
    double flops = 0;
    bool sparse = false; // of a sparse B alone
};

// An operator at its intensity: FLOPs over the bytes that its slowest memory level has to move (PCIe: in the busier
// direction), so that the analytic point lies on a roof. FLOPs are those of the dense problem.
struct OperatorPoint {
    std::string name;
    std::string level; // the level whose bytes are meant
    double intensity = 0;
    double analytic = 0;             // FLOP/s at the lower bound
    std::optional<double> simulated; // FLOP/s of the run, if there was one

    double lower() const { return simulated.value_or(analytic); } // where a label belongs
};

struct RooflineFigure {
    std::vector<BandwidthRoof> roofs; // fastest first; those without a bandwidth of their own left out
    std::vector<PeakRoof> peaks;      // of the formats and sparsities of the run, the slowest first; equal ones are one
    std::vector<OperatorPoint> points;

    double dense_peak() const; // the slowest
};

// Rates of the simulated machine.
RooflineFigure roofline_figure(const Machine& machine, const RunResult& run);

// Without a run: what the analytic model says of operators. `roofs`: of the whole chip, dense; `sparse`: its peak
// with structured sparsity, where an operator has it.
RooflineFigure roofline_figure(const analytic::Roofs& roofs, const std::optional<PeakRoof>& sparse,
                               const std::string& format, const std::vector<analytic::Result>& results);

// A row of the series of batches: M of one operator.
struct KneePoint {
    std::int64_t m = 0;
    double analytic = 0;  // part of the peak at the lower bound
    double simulated = 0; // part of the peak that the run reached
};

// A run whose operators differ in M alone: where does it turn from memory bound to compute bound?
struct KneeFigure {
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::string format;
    std::string level;             // the one that is slow: "hbm", or "pcie" or "vmem" by where the data starts
    std::vector<KneePoint> points; // by rising M
    double critical_batch = 0;     // exact, infinite if no batch is large enough
    double rule = 0;               // activations neglected: the ridge times bytes of a weight / 2
    // The same question asked of the simulated times: where the line through the times of the M that the roofline calls
    // memory bound meets the line through those that it calls compute bound. Each line is the median of those through
    // two of its points (Theil and Sen), so that a single M with a poor mapping does not turn it. Empty without two M
    // on both sides, and if the lines do not meet between the smallest and the largest M.
    std::optional<double> simulated_knee;
};

// Empty unless there are four operators or more, with N, K, formats and dataflow alike and no M twice.
std::optional<KneeFigure> knee_figure(const Machine& machine, const RunResult& run);

// "VMEM", "HBM", "PCIe" of a level's JSON key.
std::string level_title(const std::string& name);

} // namespace systole
