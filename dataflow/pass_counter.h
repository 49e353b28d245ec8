// Register, accumulator and VMEM accesses of the array, counted pass by pass in closed form. The structural engine
// counts the registers one by one and must agree.
#pragma once

#include "dataflow/schedule.h"

namespace systole {

// Operands in elements; psum in words; indices of a sparse B one by one. x, y: of the oriented problem.
struct RegisterCounts {
    std::int64_t x_read = 0, y_read = 0, psum_read = 0, index_read = 0;
    std::int64_t x_written = 0, y_written = 0, psum_written = 0, index_written = 0;

    bool operator==(const RegisterCounts&) const = default;
};

class PassCounter {
  public:
    PassCounter(const Mapping& mapping, const CoreLimits& limits);

    void count(const Pass& pass);

    const RegisterCounts& registers() const { return registers_; }
    std::int64_t macs() const { return macs_; }
    std::int64_t array_passes() const { return array_passes_; }
    Bytes x_streamed() const { return x_streamed_; } // values
    Bytes y_streamed() const { return y_streamed_; }
    Bytes indices_streamed() const { return indices_streamed_; }
    Bytes out_written() const { return out_written_; }
    Bytes accumulator_read() const { return accumulator_read_; }
    Bytes accumulator_written() const { return accumulator_written_; }
    std::int64_t vmem_accesses() const { return vmem_accesses_; }
    std::int64_t accumulator_accesses() const { return accumulator_accesses_; }

  private:
    void count_streamed(const Pass& pass);
    void count_output_stationary(const Pass& pass);
    void count_results(const Pass& pass, std::int64_t vectors);

    Mapping mapping_;
    CoreLimits limits_;
    RegisterCounts registers_;
    std::int64_t macs_ = 0, array_passes_ = 0;
    Bytes x_streamed_ = 0, y_streamed_ = 0, indices_streamed_ = 0, out_written_ = 0, accumulator_read_ = 0,
          accumulator_written_ = 0;
    std::int64_t vmem_accesses_ = 0, accumulator_accesses_ = 0;
};

// The activations that a PE sees at `step`, a PE row (WS, IS) or a vector (OS) of q positions of a pass of this depth:
// those of all groups that its positions belong to, from the pass's first element on. Dense: the q elements themselves.
struct ActivationRange {
    std::int64_t begin = 0;
    std::int64_t count = 0; // 0: the step has no position
};

ActivationRange activations_of(SparsePattern pattern, int q, std::int64_t depth, std::int64_t step);

// How a pass is dealt to the arrays of a group: array `index` gets these rows and columns of it (counts may be 0).
struct ArrayPart {
    std::int64_t row_offset = 0, row_count = 0;
    std::int64_t col_offset = 0, col_count = 0;
};

ArrayPart array_part(const Mapping& mapping, const ArrayConfig& array, const Pass& pass, int index);

} // namespace systole
