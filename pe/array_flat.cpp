#include "pe/array_flat.h"

#include <algorithm>
#include <vector>

#include "dataflow/array_timing.h"
#include "pe/array_collector.h"
#include "pe/array_feeder.h"
#include "pe/flat_state.h"

namespace systole {

namespace {

// How long a mark is of interest: until it has crossed the array, the MAC pipeline and, for a drain, shifted out.
std::int64_t history(const ArrayConfig& array) {
    return 2 * (std::int64_t{array.rows} + array.cols) + array.mac_latency + 2;
}

template <typename Lane> // see FlatState
class LaneGrid : public FlatGrid {
  public:
    SC_HAS_PROCESS(LaneGrid);
    LaneGrid(sc_core::sc_module_name name, const ArrayJob& job);

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
    std::vector<FlatState<Lane>> states_;       // one for each array of the core
    std::vector<SkewBuffer<Sum<Lane>>> deskew_; // WS, IS: sums of the last row, by the cycle their vector leaves
    WaveHistory wave_;
    FlatMarks marks_;
    Cycles now_ = -1;
    bool driven_ = false;  // the edges carry words of now_
    bool latched_ = false; // the PEs have taken them, the results wait to be collected
};

template <typename Lane>
LaneGrid<Lane>::LaneGrid(sc_core::sc_module_name name, const ArrayJob& job)
    : FlatGrid(name), array_(job.limits.array), os_(job.mapping.problem.dataflow == Dataflow::output_stationary),
      drain_(drain_cycles(array_, job.mapping.problem.dataflow)), feeder_(job), collector_(job),
      states_(array_.count, FlatState<Lane>(array_, job.mapping.problem.dataflow, job.limits.q,
                                            {job.x_lanes(), job.y_lanes()}, job.math().picking)),
      deskew_(array_.count, SkewBuffer<Sum<Lane>>(array_.cols, 1)),
      wave_(history(array_), std::int64_t{array_.rows} + array_.cols) {
    SC_METHOD(latch);
    sensitive << clock.neg();
    dont_initialize();
}

template <typename Lane>
void LaneGrid<Lane>::start_pass(const Pass& pass, const PassTiming& timing) {
    feeder_.start_pass(pass, timing);
    collector_.start_pass(pass, timing);
}

template <typename Lane>
void LaneGrid<Lane>::drive(Cycles now, const VmemArbiter& vmem) {
    feeder_.drive(now, vmem);
    const bool rested = now != now_ + 1;
    now_ = now;
    driven_ = true;
    const auto& entry = *feeder_.entry(0);
    wave_.record(now, entry.load_row, entry.starts, entry.last, entry.drain);
    for (int index = 0; index < array_.count; ++index) {
        auto& state = states_[index];
        if (rested)
            state.forget();
        feeder_.row_values(index, entry, state.entering_rows(now));
        feeder_.col_values(index, entry, state.entering_cols(now));
        state.feed(now);
    }
}

template <typename Lane>
void LaneGrid<Lane>::latch() {
    if (!driven_)
        return; // another core's array keeps the clock running
    driven_ = false;
    wave_.fill(now_, os_, array_.mac_latency - 1, drain_, marks_);
    for (auto& state : states_)
        state.step(marks_);
    latched_ = true;
}

template <typename Lane>
bool LaneGrid<Lane>::marked(const std::vector<std::int64_t>& skews, Cycles skew) const {
    return std::find(skews.begin(), skews.end(), skew) != skews.end();
}

template <typename Lane>
bool LaneGrid<Lane>::draining(Cycles skew) const {
    return std::any_of(marks_.draining.begin(), marks_.draining.end(),
                       [skew](const auto& range) { return skew >= range.begin && skew < range.end; });
}

template <typename Lane>
void LaneGrid<Lane>::collect(Cycles now) {
    if (!latched_)
        return;
    latched_ = false;
    for (int index = 0; index < array_.count; ++index) {
        if (os_ && array_.drain_axis == DrainAxis::rows) {
            collect_rows(index, now);
        } else if (os_ && array_.drain_axis == DrainAxis::none) {
            collect_cells(index, now);
        } else if (os_) {
            collect_cols(index, now);
        } else {
            collect_vectors(index, now);
        }
    }
}

// The sums of a vector leave the last row column by column; the buffer turns them back into a vector.
template <typename Lane>
void LaneGrid<Lane>::collect_vectors(int index, Cycles now) {
    auto& deskew = deskew_[index];
    deskew.write(now, feeder_.col_skew(1), states_[index].last_row());
    const Cycles across = feeder_.col_skew(array_.cols - 1);
    const auto* entry = feeder_.entry(array_.rows - 1 + across + array_.mac_latency - 1);
    if (entry && entry->vector)
        collector_.take_vector(index, deskew.row(now - across), now);
}

template <typename Lane>
void LaneGrid<Lane>::collect_cols(int index, Cycles now) {
    if (marks_.draining.empty())
        return;
    for (int col = 0; col < array_.cols; ++col) {
        const Cycles skew = array_.rows - 1 + feeder_.col_skew(col);
        if (draining(skew))
            collector_.take_col(index, col, states_[index].foot(col), now);
    }
}

template <typename Lane>
void LaneGrid<Lane>::collect_rows(int index, Cycles now) {
    if (marks_.draining.empty())
        return;
    for (int row = 0; row < array_.rows; ++row) {
        if (draining(row + feeder_.col_skew(array_.cols - 1))) {
            collector_.take_row(index, row, states_[index].end(row), now);
        }
    }
}

template <typename Lane>
void LaneGrid<Lane>::collect_cells(int index, Cycles now) {
    if (marks_.finishing.empty())
        return;
    for (int row = 0; row < array_.rows; ++row) {
        for (int col = 0; col < array_.cols; ++col) {
            if (!marked(marks_.finishing, row + feeder_.col_skew(col)))
                continue;
            collector_.take_cell(index, row, col, states_[index].sum(row, col), now);
        }
    }
}

} // namespace

std::unique_ptr<FlatGrid> make_flat_grid(const char* name, const ArrayJob& job) {
    if (job.accumulation() == Accumulation::int32)
        return std::make_unique<LaneGrid<std::int16_t>>(name, job);
    return std::make_unique<LaneGrid<float>>(name, job);
}

} // namespace systole
