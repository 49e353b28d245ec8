#include "pe/pe_module.h"

#include <algorithm>

namespace systole {

namespace {

// A MAC reads one element of each operand, and the index that picks; a register takes a word as it is.
void count_macs(RegisterCounts& counts, Picking picking, std::int64_t macs) {
    counts.x_read += macs;
    counts.y_read += macs;
    counts.index_read += picking == Picking::none ? 0 : macs;
}

} // namespace

StationaryPe::StationaryPe(sc_core::sc_module_name name, const ArrayConfig& array, const PeMath& math,
                           RegisterCounts& counts)
    : sc_module(name), clock("clock"), west("west"), north("north"), east("east"), south("south"),
      double_buffered_(array.weight_buffers == 2), math_(math), counts_(counts), pipeline_(array.mac_latency - 1) {
    SC_METHOD(latch);
    sensitive << clock.neg();
    dont_initialize();
}

StationaryPe::Product StationaryPe::multiply(const PeWord& in) {
    if (!in.valid)
        return {};
    const int macs = math_.macs(in.real, active_.real);
    count_macs(counts_, math_.picking, macs);
    counts_.x_written += math_.picking == Picking::y && macs > 0 ? in.real : macs;
    counts_.index_written += math_.picking == Picking::x ? macs : 0;
    return {math_.product(in.lanes, active_.lanes, macs), true, macs > 0};
}

StationaryPe::Product StationaryPe::delayed(const Product& product) {
    if (pipeline_.empty())
        return product;
    const Product out = pipeline_[oldest_];
    pipeline_[oldest_] = product;
    oldest_ = (oldest_ + 1) % pipeline_.size();
    return out;
}

void StationaryPe::latch() {
    const PeWord& in = west.read();
    const PeWord& above = north.read();
    if (in.starts && double_buffered_)
        active_ = shadow_;
    if (in.starts)
        (double_buffered_ ? shadow_ : active_).fresh = false;
    const Product product = delayed(multiply(in));

    PeWord below;
    if (product.valid) {
        below.sum = add(math_.accumulation, above.sum, product.value);
        below.sum_valid = true;
        counts_.psum_read += product.used;
        counts_.psum_written += product.used;
    }
    if (above.valid) { // one row of the next stationary tile moves down
        PeWord& held = double_buffered_ ? shadow_ : active_;
        below.lanes = held.lanes;
        below.real = held.real;
        below.valid = true;
        below.fresh = held.fresh;
        held.lanes = above.lanes;
        held.real = above.real;
        held.fresh = above.fresh;
        const int written = above.fresh ? above.real : 0;
        counts_.y_written += written;
        counts_.index_written += math_.picking == Picking::y ? written : 0;
    }
    south.write(below);
    east.write(in);
}

OutputPe::OutputPe(sc_core::sc_module_name name, const ArrayConfig& array, const PeMath& math, RegisterCounts& counts)
    : sc_module(name), clock("clock"), west("west"), north("north"), behind("behind"), east("east"), south("south"),
      drain_axis_(array.drain_axis),
      direct_chain_(array.drain_axis == DrainAxis::rows && array.propagation == Propagation::broadcast_rows),
      math_(math), counts_(counts), pipeline_(array.mac_latency - 1) {
    SC_METHOD(latch);
    sensitive << clock.neg();
    dont_initialize();
}

OutputPe::Stage OutputPe::multiply(const PeWord& a, const PeWord& b) {
    Stage stage{.product = 0, .valid = a.valid, .starts = a.starts, .drain = a.drain, .last = a.last, .used = false};
    if (!a.valid)
        return stage;
    const int macs = math_.macs(a.real, b.real);
    stage.product = math_.product(a.lanes, b.lanes, macs);
    stage.used = macs > 0;
    count_macs(counts_, math_.picking, macs);
    counts_.x_written += math_.picking == Picking::y && macs > 0 ? a.real : macs;
    counts_.y_written += macs;
    counts_.index_written += math_.picking == Picking::none ? 0 : macs;
    return stage;
}

OutputPe::Stage OutputPe::delayed(const Stage& stage) {
    if (pipeline_.empty())
        return stage;
    const Stage out = pipeline_[oldest_];
    pipeline_[oldest_] = stage;
    oldest_ = (oldest_ + 1) % pipeline_.size();
    return out;
}

// The wave takes a cycle from PE to PE, so a word that is sent on at once arrives in the neighbour's same wave cycle;
// the chain register holds it for the next one. Where the wave reaches all columns at once, the hop itself is that
// cycle.
PeWord OutputPe::shift_out(const Stage& stage, const PeWord& arriving) {
    PeWord out;
    if (stage.drain) {
        out.sum = sum_;
        out.sum_valid = true;
        out.sum_real = output_used_ = sum_used_;
    } else {
        const PeWord& held = direct_chain_ ? arriving : chain_;
        out.sum = held.sum;
        out.sum_valid = held.sum_valid;
        out.sum_real = held.sum_real;
    }
    chain_ = arriving;
    if (out.sum_valid && out.sum_real && output_used_)
        ++counts_.psum_written;
    return out;
}

void OutputPe::accumulate(const Stage& stage) {
    if (!stage.valid)
        return;
    if (stage.starts)
        sum_used_ = false;
    sum_ = add(math_.accumulation, stage.starts ? Pattern{0} : sum_, stage.product);
    if (stage.used) {
        sum_used_ = true;
        ++counts_.psum_read;
        ++counts_.psum_written;
    }
    complete_ = stage.last;
}

void OutputPe::latch() {
    const PeWord& a = west.read();
    const PeWord& b = north.read();
    const Stage stage = delayed(multiply(a, b));
    PeWord to_east = a;
    PeWord to_south = b;
    if (drain_axis_ != DrainAxis::none) {
        const bool along_rows = drain_axis_ == DrainAxis::rows;
        const PeWord out = shift_out(stage, behind.read());
        PeWord& carrier = along_rows ? to_east : to_south;
        carrier.sum = out.sum;
        carrier.sum_valid = out.sum_valid;
        carrier.sum_real = out.sum_real;
    }
    accumulate(stage);
    east.write(to_east);
    south.write(to_south);
}

bool OutputPe::take_complete(Pattern& sum) {
    if (!complete_)
        return false;
    complete_ = false;
    sum = sum_;
    return true;
}

} // namespace systole
