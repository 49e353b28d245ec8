// The roofline itself: peaks, levels, intensities, bounds. Everything else in this folder makes a `Work` for it.
//
// Counts are doubles: whole numbers up to 2^53 are exact, and so are the fractions the texts use (bytes saved by a
// factor of reuse). Rates in FLOP/s and bytes/s, times in seconds, intensities and ridges in FLOP per byte. Sources:
// Williams, Waterman, Patterson, "Roofline", CACM 2009 (attainable = min(peak, intensity * bandwidth)); Ilic et al.,
// "Cache-aware Roofline", IEEE CAL 2014, and Yang et al., "Hierarchical Roofline", CCPE 2019 (one roof per level);
// jax-ml.github.io/scaling-book, part 1 (lower bound = max, upper bound = sum of the times). All functions throw
// InputError for an argument that has no meaning (a peak of 0, a negative number of bytes).
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole::analytic {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

// A memory or link by which operands reach the math; bandwidth infinite: never waited for.
struct Level {
    std::string name; // "l2", "vmem", "hbm", "pcie", "link"
    double bandwidth = infinite;
};

// What a chip can do at most, in one number format.
struct Roofs {
    double peak = 0;           // FLOP/s of the matrix unit
    double vector_peak = 0;    // FLOP/s of the vector unit; 0: not stated, vector work is done at the peak above
    bool pe_registers = false; // the math is an array of PEs, each with registers of its own
    std::vector<Level> levels; // nearest to the math first
};

const Level& level_of(const Roofs& roofs, const std::string& name); // throws InputError that lists those there are

// What one operator does and what has to cross the levels for it.
struct Work {
    std::string name;
    std::string kind; // "gemm", "attention", ...
    double flops = 0; // on the matrix unit; a multiply-add is 2
    double vector_flops = 0;
    double in_bytes = 0;                               // compulsory, at every memory level: each operand once
    double out_bytes = 0;                              // results once
    double link_bytes = 0;                             // sent by one chip over one link, in one direction
    double pe_bytes_per_mac = 0;                       // registers a MAC reads and writes; 0: not known
    std::map<std::string, double> tiled_bytes;         // by level, where the tiling is known
    std::vector<std::pair<std::string, double>> shape; // for reports: {"m", 128}, ...

    double bytes() const { return in_bytes + out_bytes; }
};

struct LevelResult {
    std::string name;
    double bandwidth = infinite;
    double compulsory_bytes = 0;
    double limiting_bytes = 0; // of them, those that take the time; PCIe: of the busier direction
    std::optional<double> tiled_bytes;
    double intensity = 0; // FLOP per limiting byte, so that below the ridge the level binds; infinite if none crosses
    std::optional<double> tiled_intensity;
    double ridge = 0;      // peak / bandwidth
    double seconds = 0;    // limiting bytes / bandwidth
    double attainable = 0; // min(peak, intensity * bandwidth)
};

struct Result {
    Work work;
    double peak = 0; // of the unit that does the work: the vector unit's, if it does all of it
    double vector_peak = 0;
    double math_s = 0;
    double vector_s = 0;
    double lower_bound_s = 0; // max over levels, math and vector work: all overlapped
    double upper_bound_s = 0; // their sum: nothing overlapped
    std::string bound;        // "compute", "vector" or a level's name; of equals the one nearest to the math
    double attainable = 0;    // flops / lower bound
    double utilization = 0;   // the longer of math_s and vector_s / lower bound
    std::vector<LevelResult> levels;

    double flops() const { return work.flops + work.vector_flops; }
};

// Level "pe" (registers) is shown where the array is known, with what all PEs together read and write in a cycle. Its
// time is that of the math by construction, so it is no part of the bounds. Level "link" is there if the work uses it.
Result evaluate(const Work& work, const Roofs& roofs);

// Operators one after the other: work and times add, bounds are those of the sums.
Result total(const std::vector<Result>& parts);

double math_seconds(double flops, double peak);
double transfer_seconds(double bytes, double bandwidth);
double ridge(double peak, double bandwidth);
double attainable(double peak, double bandwidth, double intensity);
double utilization(double peak, double bandwidth, double intensity); // attainable / peak
double speedup(double before, double after);                         // of two rates

// Peak of R x C PEs, `arrays` of them, q multiply-adds each per cycle: 2 R C arrays q clock.
double array_peak(double rows, double cols, double arrays, double clock, double macs_per_pe_cycle = 1);
// Peak of a vector unit: lanes * ALUs * clock.
double vector_unit_peak(double lanes, double alus, double clock);
// N:M structured sparsity at dense/kept = 2 (2:4): 2 * efficiency * peak, in dense FLOP/s.
double sparse_peak(double peak, double efficiency, double dense_per_kept = 2);

// Bandwidth counted in elements of `reference_bits` when they are stored in `stored_bits`: int4 doubles that of int8.
double quantized_bandwidth(double bandwidth, double reference_bits, double stored_bits);

// Part of the bytes that a memory of this bandwidth serves.
struct Share {
    double fraction = 1;
    double bandwidth = 0;
};

// Weighted by time, not by rate: 1 / sum(fraction / bandwidth). The fractions must sum to 1.
double effective_bandwidth(const std::vector<Share>& shares);

} // namespace systole::analytic
