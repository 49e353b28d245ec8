// The processing elements as SC_MODULEs. A PE reads its ports and latches its registers at the falling edge of the
// clock, the end of a core cycle; the edges are driven earlier in the same cycle.
#pragma once

#include <vector>

#include <systemc>

#include "dataflow/array_config.h"
#include "dataflow/pass_counter.h"
#include "pe/word.h"

namespace systole {

// SystemC wants to be able to trace what a signal carries; values are shown by the waveform writer instead.
inline void sc_trace(sc_core::sc_trace_file*, const PeWord&, const std::string&) {}

using PeSignal = sc_core::sc_signal<PeWord>;

// Weight- and input-stationary. west/east: streamed lanes. north/south: a stationary row shifting in (lanes) and the
// partial sum on its way down (sum).
class StationaryPe : public sc_core::sc_module {
  public:
    sc_core::sc_in<bool> clock;
    sc_core::sc_in<PeWord> west, north;
    sc_core::sc_out<PeWord> east, south;

    SC_HAS_PROCESS(StationaryPe);
    StationaryPe(sc_core::sc_module_name name, const ArrayConfig& array, const PeMath& math, RegisterCounts& counts);

    const PeWord& stationary() const { return active_; } // for waveforms

  private:
    struct Product {
        Pattern value = 0;
        bool valid = false;
        bool used = false;
    };

    void latch();
    Product multiply(const PeWord& in);
    Product delayed(const Product& product);

    bool double_buffered_;
    PeMath math_;
    RegisterCounts& counts_;
    PeWord active_, shadow_;
    std::vector<Product> pipeline_; // mac_latency - 1 stages, a ring
    std::size_t oldest_ = 0;
};

// Output-stationary. west/east: A lanes and the marks; north/south: B lanes. Results shift out along the column (south)
// or the row (east) in the sum of the same words, or are complete in place.
class OutputPe : public sc_core::sc_module {
  public:
    sc_core::sc_in<bool> clock;
    sc_core::sc_in<PeWord> west, north;
    sc_core::sc_in<PeWord> behind; // the neighbour on the drain path: above, or to the west
    sc_core::sc_out<PeWord> east, south;

    SC_HAS_PROCESS(OutputPe);
    OutputPe(sc_core::sc_module_name name, const ArrayConfig& array, const PeMath& math, RegisterCounts& counts);

    // drain_axis = "none": a sum became complete in this PE in the cycle that was latched last.
    bool take_complete(Pattern& sum);
    Pattern accumulator() const { return sum_; }

  private:
    struct Stage {
        Pattern product = 0;
        bool valid = false, starts = false, drain = false, last = false, used = false;
    };

    void latch();
    Stage multiply(const PeWord& a, const PeWord& b);
    Stage delayed(const Stage& stage);
    PeWord shift_out(const Stage& stage, const PeWord& arriving);
    void accumulate(const Stage& stage);

    DrainAxis drain_axis_;
    bool direct_chain_;
    PeMath math_;
    RegisterCounts& counts_;
    std::vector<Stage> pipeline_;
    std::size_t oldest_ = 0;
    Pattern sum_ = 0;
    bool sum_used_ = false;
    PeWord chain_;             // the drain register
    bool output_used_ = false; // this PE had a part in the results that are shifting out
    bool complete_ = false;
};

} // namespace systole
