// A value change dump (IEEE 1364-2001, section 18) of the structural engine: one time stamp a cycle, what every PE
// sees and holds in it, before it latches. Written beside the file and renamed when it is complete.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "pe/array_structural.h"
#include "sim/engine/run.h"

namespace systole {

class Waveform {
  public:
    // Throws EnvironmentError if the file cannot be written. clock: of the core, for the time stamps.
    Waveform(const WaveformOptions& options, Hertz clock, const std::vector<const StructuralGrid*>& grids);
    ~Waveform(); // an unfinished file is removed

    void sample(Cycles cycle);
    void finish(Cycles cycles); // the run took this many

  private:
    void write_header();
    void write_value(std::size_t variable, std::int64_t value);
    std::int64_t picoseconds(Cycles cycle) const;

    WaveformOptions options_;
    Hertz clock_;
    std::vector<const StructuralGrid*> grids_;
    std::string partial_;
    std::ofstream out_;
    std::vector<WaveVariable> variables_;
    std::vector<std::int64_t> values_, written_;
    bool any_ = false;
    bool finished_ = false;
};

} // namespace systole
