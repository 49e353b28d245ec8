// The registers of one array as plain arrays, and one cycle of all its PEs. No SystemC.
#pragma once

#include <cstdint>
#include <vector>

#include "dataflow/array_config.h"
#include "dataflow/problem.h"
#include "pe/flat_kernels.h"
#include "pe/skew_buffer.h"
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

// Lane: std::int16_t (int8 values, int32 sums) or float (all other formats, fp32 sums).
template <typename Lane>
class FlatState {
  public:
    // Lanes of a word of x and of y: q each, or what Picking needs (pe/word.h).
    struct Words {
        int x = 1, y = 1;
    };
    FlatState(const ArrayConfig& array, Dataflow dataflow, int q, Words words, Picking picking);

    // What entered the wave in `cycle` (values as ArrayFeeder gives them); the edges see it skewed.
    Lane* entering_rows(std::int64_t cycle) { return rows_in_.row(cycle); }
    Lane* entering_cols(std::int64_t cycle) { return cols_in_.row(cycle); }
    void feed(std::int64_t cycle);
    void forget(); // the array has been at rest: nothing is on its way in
    void step(const FlatMarks& marks);

    const Sum<Lane>* last_row() const { return sum_.data() + (rows_ - 1) * pitch_; }
    Pattern foot(int col) const { return pattern_of(out_[(rows_ - 1) * pitch_ + col]); }
    Pattern end(int row) const { return pattern_of(out_[row * pitch_ + cols_ - 1]); }
    Pattern sum(int row, int col) const { return pattern_of(sum_[row * pitch_ + col]); }

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
    // The operands of a row's MACs: what enters from the west, and `other`, of which one may pick from the other.
    struct Factors {
        LaneRow<Lane> a, b;
    };
    Factors factors(std::int64_t row, const Lane* other);
    void delay(std::int64_t row, const Lane* other); // products into the MAC pipeline, delayed ones onto the row's sums
    LaneRow<Lane> seen_row(std::int64_t row) const {
        return {seen_.data() + row * lanes_window_ + window_, window_pitch_};
    }
    Lane* north_row(std::int64_t row); // OS: the B that row `row` sees now

    std::int64_t rows_, cols_, q_, pitch_;
    Words words_;
    Picking picking_;
    std::int64_t lanes_pitch_;
    bool os_, broadcast_, double_buffered_;
    DrainAxis drain_axis_;
    SkewBuffer<Lane> rows_in_, cols_in_;
    int mac_stages_; // pipeline stages in front of the sum
    // The streamed operand. A row's registers are a window that slides by one each cycle over a row of twice the
    // length, so that all elements move one PE on without a copy; at the end the window is copied back to the start.
    std::vector<Lane> seen_;
    std::int64_t window_pitch_, lanes_window_, window_;
    std::vector<Lane> picked_;                    // q lanes of each row, if one operand picks from the other
    std::vector<Lane> active_, shadow_, falling_; // WS, IS: falling: on the way to the row below
    // OS: B moves down a row each cycle: a ring of rows; WS, IS: one row, the stationary row that enters.
    std::vector<Lane> north_;
    std::int64_t north_top_ = 0; // the row of the ring that PE row 0 sees
    std::vector<Sum<Lane>> sum_;
    std::vector<Sum<Lane>> chain_, out_; // OS: drain registers
    std::vector<Sum<Lane>> pipeline_;
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
