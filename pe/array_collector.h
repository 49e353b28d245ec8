// The sinks of a group of arrays: takes the results where they leave, in the order the passes promise, adds them to the
// accumulators and checks that each came out in the cycle that the sequencer planned with.
#pragma once

#include <vector>

#include "dataflow/pass_counter.h"
#include "pe/array_grid.h"
#include "pe/array_job.h"

namespace systole {

class ArrayCollector {
  public:
    explicit ArrayCollector(const ArrayJob& job);

    void start_pass(const Pass& pass, const PassTiming& timing);

    // A sum computed in cycle `now` left array `index` at the foot of a column (WS, IS, OS draining along columns), ...
    void take_col(int index, int col, Pattern sum, Cycles now);
    // ... at the end of a row (OS draining along rows), ...
    void take_row(int index, int row, Pattern sum, Cycles now);
    // ... or was complete in its PE (OS without drain).
    void take_cell(int index, int row, int col, Pattern sum, Cycles now);

    // WS, IS: all sums of one streamed vector at once, when that of the last column has come out.
    template <typename Sum> // std::int32_t or float, as the job accumulates
    void take_vector(int index, const Sum* sums, Cycles now);

    bool idle() const { return expected_ == 0; } // every result that was promised has come

  private:
    struct Record {
        Pass pass;
        PassTiming timing;
        std::vector<ArrayPart> parts;
    };
    struct Edge { // how far an edge position has come
        std::int64_t record = 0;
        std::int64_t step = 0;
    };

    Record& record(std::int64_t number) { return records_[static_cast<std::size_t>(number) % records_.size()]; }
    Record& next_of(Edge& edge, std::int64_t steps, std::int64_t& step);
    void add(const Record& record, int index, std::int64_t row, std::int64_t col, Pattern sum);
    void check(const Record& record, Cycles expected, Cycles now) const;
    Cycles col_skew(std::int64_t col) const { return array_.propagation == Propagation::broadcast_rows ? 0 : col; }

    ArrayJob job_;
    ArrayConfig array_;
    bool os_;
    Accumulation accumulation_;
    std::vector<Record> records_;
    std::int64_t next_record_ = 0;
    std::vector<Edge> cols_, rows_, cells_; // [index * extent + position]
    std::int64_t expected_ = 0;
};

} // namespace systole
