// The vector unit behind an array: the results of passes go through it on their way from the accumulators to VMEM
// (Epilogue, dataflow/problem.h), pass by pass, in their order.
#pragma once

#include <algorithm>

#include "dataflow/problem.h"

namespace systole {

class EpilogueUnit {
  public:
    EpilogueUnit(const Epilogue& epilogue, std::int64_t operations_per_cycle)
        : epilogue_(epilogue), operations_per_cycle_(operations_per_cycle) {}

    // The cycles in which the first and the last result of a pass leave for VMEM.
    struct Window {
        Cycles first = 0, last = 0;

        Cycles size() const { return last - first + 1; }
    };

    // `outputs` leave the array in [out.first, out.last]; those of the pass before go first.
    Window take(const Window& out, std::int64_t outputs) {
        if (epilogue_.operations_per_output == 0)
            return out;
        const Cycles first = std::max(out.first, free_);
        const Cycles last = std::max(out.last, first + cycles(outputs) - 1);
        free_ = last + 1;
        read_bytes_ += read_bytes(outputs);
        return {first, last};
    }

    // At the rate of all its ALUs.
    Cycles cycles(std::int64_t outputs) const {
        return ceil_div(outputs * epilogue_.operations_per_output, operations_per_cycle_);
    }
    // Of the further operand, for these outputs; so far.
    Bytes read_bytes(std::int64_t outputs) const {
        constexpr int byte = 8; // bits
        return ceil_div(outputs * epilogue_.read_bits_per_output, byte);
    }
    Bytes read_bytes() const { return read_bytes_; }

  private:
    Epilogue epilogue_;
    std::int64_t operations_per_cycle_;
    Cycles free_ = 0;
    Bytes read_bytes_ = 0;
};

} // namespace systole
