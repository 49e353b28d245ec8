// The structural engine: one SC_MODULE per PE, signals between them, for all arrays of a core.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "pe/array_collector.h"
#include "pe/array_feeder.h"
#include "pe/pe_module.h"

namespace systole {

// One line of a waveform: where it hangs, what it is called, how many bits it has.
struct WaveVariable {
    std::vector<std::string> scope;
    std::string name;
    int width = 1;
};

class StructuralGrid : public sc_core::sc_module, public ArrayGrid {
  public:
    sc_core::sc_in<bool> clock; // PEs latch at its falling edge

    StructuralGrid(sc_core::sc_module_name name, const ArrayJob& job);

    void start_load(const Pass& pass, Cycles start) override { feeder_.start_load(pass, start); }
    void start_pass(const Pass& pass, const PassTiming& timing) override;
    void drive(Cycles now, const VmemArbiter& vmem) override;
    void collect(Cycles now) override;
    bool active(Cycles now) const override { return feeder_.active(now); }

    const RegisterCounts& counts() const { return counts_; }
    bool idle() const override { return collector_.idle(); }

    // What a PE shows: the lanes it sees (a, b or the vector), their valid bit, its stationary lanes, the sum it sends
    // on.
    std::vector<WaveVariable> wave_variables() const;
    void append_wave_values(std::vector<std::int64_t>& values) const; // in the order of wave_variables()

  private:
    void build_array(int index);
    template <typename Pe>
    void build_pe(std::vector<std::unique_ptr<Pe>>& pes, int index, int row, int col);
    PeSignal& across(int index, int row, int col) const; // the word that enters PE (row, col) from the west
    PeSignal& down(int index, int row, int col) const;   // ... from the north

    std::size_t cell(int index, int row, int col) const;

    ArrayConfig array_;
    bool os_;
    PeMath math_;
    int x_lanes_, y_lanes_;
    RegisterCounts counts_;
    ArrayFeeder feeder_;
    ArrayCollector collector_;
    std::vector<std::unique_ptr<PeSignal>> across_; // [index][row][0..cols], the last of a row leaves it
    std::vector<std::unique_ptr<PeSignal>> down_;   // [index][0..rows][col]
    std::vector<std::unique_ptr<StationaryPe>> stationary_pes_;
    std::vector<std::unique_ptr<OutputPe>> output_pes_;
};

} // namespace systole
