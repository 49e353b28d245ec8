// The flat engine: one SC_MODULE for all PEs of a core. The PEs' registers are arrays, a clock edge sweeps over them
// row by row; every PE moves its operands and does its MAC in every cycle. What the marks of the wave say (switch,
// shift, drain) is the same for all PEs of a diagonal and is read from the feeder instead of being carried along.
#pragma once

#include <vector>

#include <systemc>

#include "pe/array_collector.h"
#include "pe/array_feeder.h"
#include "pe/flat_state.h"

namespace systole {

class FlatGrid : public sc_core::sc_module, public ArrayGrid {
  public:
    sc_core::sc_in<bool> clock;

    SC_HAS_PROCESS(FlatGrid);
    FlatGrid(sc_core::sc_module_name name, const ArrayJob& job);

    void start_load(const Pass& pass, Cycles start) override { feeder_.start_load(pass, start); }
    void start_pass(const Pass& pass, const PassTiming& timing) override;
    void drive(Cycles now, const VmemArbiter& vmem) override;
    void collect(Cycles now) override;
    bool active(Cycles now) const override { return feeder_.active(now); }
    bool idle() const override { return collector_.idle(); }

  private:
    void latch();
    void collect_vectors(int index, Cycles now);
    void collect_cols(int index, Cycles now);
    void collect_rows(int index, Cycles now);
    void collect_cells(int index, Cycles now);
    bool draining(Cycles skew) const;
    bool marked(const std::vector<std::int64_t>& skews, Cycles skew) const;

    ArrayConfig array_;
    bool os_;
    Cycles drain_;
    ArrayFeeder feeder_;
    ArrayCollector collector_;
    std::vector<FlatState> states_;                // one for each array of the core
    std::vector<SkewBuffer<std::int32_t>> deskew_; // WS, IS: sums of the last row, by the cycle their vector leaves
    WaveHistory wave_;
    FlatMarks marks_;
    Cycles now_ = -1;
    bool driven_ = false;  // the edges carry words of now_
    bool latched_ = false; // the PEs have taken them, the results wait to be collected
};

} // namespace systole
