#include "pe/array_structural.h"

#include <type_traits>

#include <fmt/format.h>

namespace systole {

StructuralGrid::StructuralGrid(sc_core::sc_module_name name, const ArrayJob& job)
    : sc_module(name), clock("clock"), array_(job.limits.array),
      os_(job.mapping.problem.dataflow == Dataflow::output_stationary), math_(job.math()), x_lanes_(job.x_lanes()),
      y_lanes_(job.y_lanes()), feeder_(job), collector_(job) {
    for (int index = 0; index < array_.count; ++index)
        build_array(index);
}

PeSignal& StructuralGrid::across(int index, int row, int col) const {
    return *across_[(static_cast<std::size_t>(index) * array_.rows + row) * (array_.cols + 1) + col];
}

PeSignal& StructuralGrid::down(int index, int row, int col) const {
    return *down_[(static_cast<std::size_t>(index) * (array_.rows + 1) + row) * array_.cols + col];
}

std::size_t StructuralGrid::cell(int index, int row, int col) const {
    return (static_cast<std::size_t>(index) * array_.rows + row) * array_.cols + col;
}

template <typename Pe>
void StructuralGrid::build_pe(std::vector<std::unique_ptr<Pe>>& pes, int index, int row, int col) {
    auto pe = std::make_unique<Pe>(fmt::format("array{}_pe_{}_{}", index, row, col).c_str(), array_, math_, counts_);
    const bool broadcast = array_.propagation == Propagation::broadcast_rows;
    pe->clock(clock);
    pe->west(across(index, row, broadcast ? 0 : col));
    pe->east(across(index, row, col + 1));
    pe->north(down(index, row, col));
    pe->south(down(index, row + 1, col));
    if constexpr (std::is_same_v<Pe, OutputPe>) {
        pe->behind(array_.drain_axis == DrainAxis::rows ? across(index, row, col) : down(index, row, col));
    }
    pes.push_back(std::move(pe));
}

void StructuralGrid::build_array(int index) {
    for (int row = 0; row < array_.rows; ++row) {
        for (int col = 0; col <= array_.cols; ++col) {
            across_.push_back(std::make_unique<PeSignal>(fmt::format("array{}_across_{}_{}", index, row, col).c_str()));
        }
    }
    for (int row = 0; row <= array_.rows; ++row) {
        for (int col = 0; col < array_.cols; ++col) {
            down_.push_back(std::make_unique<PeSignal>(fmt::format("array{}_down_{}_{}", index, row, col).c_str()));
        }
    }
    for (int row = 0; row < array_.rows; ++row) {
        for (int col = 0; col < array_.cols; ++col) {
            if (os_) {
                build_pe(output_pes_, index, row, col);
            } else {
                build_pe(stationary_pes_, index, row, col);
            }
        }
    }
}

void StructuralGrid::start_pass(const Pass& pass, const PassTiming& timing) {
    feeder_.start_pass(pass, timing);
    collector_.start_pass(pass, timing);
}

void StructuralGrid::drive(Cycles now, const VmemArbiter& vmem) {
    feeder_.drive(now, vmem);
    for (int index = 0; index < array_.count; ++index) {
        for (int row = 0; row < array_.rows; ++row)
            across(index, row, 0).write(feeder_.row_word(index, row));
        for (int col = 0; col < array_.cols; ++col)
            down(index, 0, col).write(feeder_.col_word(index, col));
    }
}

void StructuralGrid::collect(Cycles now) {
    for (int index = 0; index < array_.count; ++index) {
        if (os_ && array_.drain_axis == DrainAxis::rows) {
            for (int row = 0; row < array_.rows; ++row) {
                const auto& word = across(index, row, array_.cols).read();
                if (word.sum_valid)
                    collector_.take_row(index, row, word.sum, now);
            }
            continue;
        }
        if (os_ && array_.drain_axis == DrainAxis::none) {
            for (int row = 0; row < array_.rows; ++row) {
                for (int col = 0; col < array_.cols; ++col) {
                    Pattern sum = 0;
                    if (output_pes_[cell(index, row, col)]->take_complete(sum))
                        collector_.take_cell(index, row, col, sum, now);
                }
            }
            continue;
        }
        for (int col = 0; col < array_.cols; ++col) {
            const auto& word = down(index, array_.rows, col).read();
            if (word.sum_valid)
                collector_.take_col(index, col, word.sum, now);
        }
    }
}

std::vector<WaveVariable> StructuralGrid::wave_variables() const {
    std::vector<WaveVariable> variables;
    const int width = math_.accumulation == Accumulation::int32 ? 16 : 32;
    const auto lanes = [&](const std::vector<std::string>& scope, const std::string& name, int count, bool picks) {
        const int values = picks ? math_.q : count;
        for (int lane = 0; lane < count; ++lane) {
            const auto shown = lane < values ? name : name + "_pick";
            variables.push_back(
                {scope, values == 1 ? shown : fmt::format("{}{}", shown, lane % values), lane < values ? width : 16});
        }
    };
    for (int index = 0; index < array_.count; ++index) {
        for (int row = 0; row < array_.rows; ++row) {
            for (int col = 0; col < array_.cols; ++col) {
                const std::vector<std::string> scope{fmt::format("array{}", index),
                                                     fmt::format("pe_r{}_c{}", row, col)};
                lanes(scope, os_ ? "a" : "streamed", x_lanes_, math_.picking == Picking::x);
                variables.push_back({scope, "valid", 1});
                lanes(scope, os_ ? "b" : "stationary", y_lanes_, math_.picking == Picking::y);
                variables.push_back({scope, os_ ? "accumulator" : "psum", 32});
                variables.push_back({scope, os_ ? "draining" : "psum_valid", 1});
            }
        }
    }
    return variables;
}

void StructuralGrid::append_wave_values(std::vector<std::int64_t>& values) const {
    const bool broadcast = array_.propagation == Propagation::broadcast_rows;
    for (int index = 0; index < array_.count; ++index) {
        for (int row = 0; row < array_.rows; ++row) {
            for (int col = 0; col < array_.cols; ++col) {
                const PeWord& in = across(index, row, broadcast ? 0 : col).read();
                const PeWord& out = down(index, row + 1, col).read();
                for (int lane = 0; lane < x_lanes_; ++lane)
                    values.push_back(in.lanes[lane]);
                values.push_back(in.valid);
                const auto at = cell(index, row, col);
                const auto& held = os_ ? down(index, row, col).read() : stationary_pes_[at]->stationary();
                for (int lane = 0; lane < y_lanes_; ++lane)
                    values.push_back(held.lanes[lane]);
                values.push_back(os_ ? output_pes_[at]->accumulator() : out.sum);
                const bool along_rows = array_.drain_axis == DrainAxis::rows;
                values.push_back(os_ && along_rows ? across(index, row, col + 1).read().sum_valid : out.sum_valid);
            }
        }
    }
}

} // namespace systole
