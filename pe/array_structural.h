// The structural engine: one SC_MODULE per PE, signals between them, for all arrays of a core.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "pe/array_collector.h"
#include "pe/array_feeder.h"
#include "pe/pe_module.h"

namespace systole {

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
    bool idle() const { return collector_.idle(); }

  private:
    void build_array(int index);
    template <typename Pe>
    void build_pe(std::vector<std::unique_ptr<Pe>>& pes, int index, int row, int col);
    PeSignal& across(int index, int row, int col); // the word that enters PE (row, col) from the west
    PeSignal& down(int index, int row, int col);   // ... from the north

    ArrayConfig array_;
    bool os_;
    RegisterCounts counts_;
    ArrayFeeder feeder_;
    ArrayCollector collector_;
    std::vector<std::unique_ptr<PeSignal>> across_; // [index][row][0..cols], the last of a row leaves it
    std::vector<std::unique_ptr<PeSignal>> down_;   // [index][0..rows][col]
    std::vector<std::unique_ptr<StationaryPe>> stationary_pes_;
    std::vector<std::unique_ptr<OutputPe>> output_pes_;
};

} // namespace systole
