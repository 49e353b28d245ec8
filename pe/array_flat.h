// The flat engine: one SC_MODULE for all PEs of a core. The PEs' registers are arrays, a clock edge sweeps over them
// row by row; every PE moves its operands and does its MAC in every cycle. What the marks of the wave say (switch,
// shift, drain) is the same for all PEs of a diagonal and is read from the feeder instead of being carried along.
#pragma once

#include <memory>

#include <systemc>

#include "pe/array_grid.h"
#include "pe/array_job.h"

namespace systole {

class FlatGrid : public sc_core::sc_module, public ArrayGrid {
  public:
    sc_core::sc_in<bool> clock;

  protected:
    explicit FlatGrid(sc_core::sc_module_name name) : sc_module(name), clock("clock") {}
};

// With lanes as the job's values ask for.
std::unique_ptr<FlatGrid> make_flat_grid(const char* name, const ArrayJob& job);

} // namespace systole
