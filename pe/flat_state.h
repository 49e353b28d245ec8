// The registers of one array as plain arrays, and one cycle of all its PEs. No SystemC.
#pragma once

#include <cstdint>
#include <vector>

#include "dataflow/array_config.h"
#include "dataflow/problem.h"
#include "pe/word.h"

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

    void feed_row(int row, const Lanes& lanes); // what row `row` sees from the west in this cycle
    void feed_col(int col, const Lanes& lanes); // what column `col` sees from the north
    void step(const FlatMarks& marks);

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
    void multiply_stationary(std::int64_t row);
    void multiply_output(std::int64_t row, const FlatMarks& marks);
    std::int32_t* delay(std::int64_t row); // the products that leave the MAC pipeline now; their place takes new ones

    std::int64_t rows_, cols_, q_, pitch_, lanes_pitch_;
    bool os_, broadcast_, double_buffered_;
    DrainAxis drain_axis_;
    int mac_stages_; // pipeline stages in front of the sum
    std::vector<std::int16_t> seen_, moved_; // streamed operand, now and for the next cycle
    std::vector<std::int16_t> active_, shadow_, falling_; // WS, IS: falling: on the way to the row below
    std::vector<std::int16_t> north_;        // OS: B, rows + 1 rows; WS, IS: the row that enters
    std::vector<std::int32_t> sum_;
    std::vector<std::int32_t> chain_, out_;  // OS: drain registers
    std::vector<std::int32_t> pipeline_, fresh_;
    int oldest_ = 0;
};

// Which cycles of the recent past carried marks; cheap to ask in every cycle.
class WaveHistory {
  public:
    explicit WaveHistory(std::int64_t depth) : depth_(depth) {}

    void record(std::int64_t cycle, bool load_row, bool starts, bool last, bool drain);
    // `stage`: cycles that the sum stage is behind; `drain`: cycles a drain takes.
    void fill(std::int64_t now, bool os, std::int64_t stage, std::int64_t drain, FlatMarks& marks) const;

  private:
    void drop(std::vector<std::int64_t>& cycles, std::int64_t now) const;

    std::int64_t depth_;
    std::vector<SkewRange> loads_; // as cycles
    std::vector<std::int64_t> starts_, lasts_, drains_;
};

} // namespace systole
