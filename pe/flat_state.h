// The registers of one array as plain arrays, and one cycle of all its PEs. No SystemC.
#pragma once

#include <cstdint>
#include <vector>

#include "dataflow/array_config.h"
#include "dataflow/problem.h"
#include "pe/skew_buffer.h"

namespace systole {

// A half-open range of skews: PE (r, c) sees now what entered skew(r, c) cycles ago; skew = r + c, or r where a row's
// inputs reach all its columns at once.
struct SkewRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// The marks that are in the array now, by skew. For the sum stage (behind the MAC pipeline) they are seen
// mac_latency - 1 cycles later than for the operands.
struct FlatMarks {
    std::vector<SkewRange> shifting;     // WS, IS: stationary rows move down
    std::vector<std::int64_t> switching; // WS, IS: the shadow tile becomes the active one
    std::vector<std::int64_t> starting;  // OS, sum stage: sums start from zero
    std::vector<std::int64_t> finishing; // OS, sum stage: the last vector of a sum
    std::vector<SkewRange> draining;     // OS, sum stage: results shift; `begin` of a range = end - cycles since drain
    std::vector<std::int64_t> drained;   // OS, sum stage: results enter the chain
};

class FlatState {
  public:
    FlatState(const ArrayConfig& array, Dataflow dataflow, int q);

    // What entered the wave in `cycle` (values as ArrayFeeder gives them); the edges see it skewed.
    std::int16_t* entering_rows(std::int64_t cycle) { return rows_in_.row(cycle); }
    std::int16_t* entering_cols(std::int64_t cycle) { return cols_in_.row(cycle); }
    void feed(std::int64_t cycle);
    void forget(); // the array has been at rest: nothing is on its way in
    void step(const FlatMarks& marks);

    const std::int32_t* last_row() const { return sum_.data() + (rows_ - 1) * pitch_; }
    std::int32_t foot(int col) const { return out_[(rows_ - 1) * pitch_ + col]; }
    std::int32_t end(int row) const { return out_[row * pitch_ + cols_ - 1]; }
    std::int32_t sum(int row, int col) const { return sum_[row * pitch_ + col]; }

  private:
    struct Cols { // columns of one row whose skew lies in a range
        std::int64_t begin, end;
    };

    Cols cols_of(std::int64_t row, const SkewRange& range) const;
    void step_stationary(const FlatMarks& marks);
    void step_output(const FlatMarks& marks);
    void shift_row(std::int64_t row, const FlatMarks& marks);
    void switch_row(std::int64_t row, const FlatMarks& marks);
    void drain_row(std::int64_t row, const FlatMarks& marks);
    void move_streamed();
    void multiply(std::int64_t row, const std::int16_t* other, const std::int32_t* above);
    const std::int16_t* seen_row(std::int64_t row) const { return seen_.data() + row * lanes_window_ + window_; }
    std::int16_t* north_row(std::int64_t row); // OS: the B that row `row` sees now
    std::int32_t* delay(std::int64_t row); // the products that leave the MAC pipeline now; their place takes new ones

    std::int64_t rows_, cols_, q_, pitch_, lanes_pitch_;
    bool os_, broadcast_, double_buffered_;
    DrainAxis drain_axis_;
    SkewBuffer<std::int16_t> rows_in_, cols_in_;
    int mac_stages_; // pipeline stages in front of the sum
    // The streamed operand. A row's registers are a window that slides by one each cycle over a row of twice the
    // length, so that all elements move one PE on without a copy; at the end the window is copied back to the start.
    std::vector<std::int16_t> seen_;
    std::int64_t window_pitch_, lanes_window_, window_;
    std::vector<std::int16_t> active_, shadow_, falling_; // WS, IS: falling: on the way to the row below
    // OS: B moves down a row each cycle: a ring of rows; WS, IS: one row, the stationary row that enters.
    std::vector<std::int16_t> north_;
    std::int64_t north_top_ = 0; // the row of the ring that PE row 0 sees
    std::vector<std::int32_t> sum_;
    std::vector<std::int32_t> chain_, out_; // OS: drain registers
    std::vector<std::int32_t> pipeline_, fresh_;
    int oldest_ = 0;
};

// Which cycles of the recent past carried marks; cheap to ask in every cycle.
class WaveHistory {
  public:
    // depth: cycles after which a mark is forgotten; reach: skews of the array, beyond which it has passed all PEs.
    WaveHistory(std::int64_t depth, std::int64_t reach) : depth_(depth), reach_(reach) {}

    void record(std::int64_t cycle, bool load_row, bool starts, bool last, bool drain);
    // `stage`: cycles that the sum stage is behind; `drain`: cycles a drain takes.
    void fill(std::int64_t now, bool os, std::int64_t stage, std::int64_t drain, FlatMarks& marks) const;

  private:
    void drop(std::vector<std::int64_t>& cycles, std::int64_t now) const;

    std::int64_t depth_, reach_;
    std::vector<SkewRange> loads_; // as cycles
    std::vector<std::int64_t> starts_, lasts_, drains_;
};

} // namespace systole
