#include "pe/array_structural.h"

#include <fmt/format.h>

namespace systole {

StructuralGrid::StructuralGrid(sc_core::sc_module_name name, const ArrayJob& job)
    : sc_module(name), clock("clock"), array_(job.limits.array),
      os_(job.mapping.problem.dataflow == Dataflow::output_stationary), feeder_(job), collector_(job) {
    for (int index = 0; index < array_.count; ++index) build_array(index);
}

PeSignal& StructuralGrid::across(int index, int row, int col) {
    return *across_[(static_cast<std::size_t>(index) * array_.rows + row) * (array_.cols + 1) + col];
}

PeSignal& StructuralGrid::down(int index, int row, int col) {
    return *down_[(static_cast<std::size_t>(index) * (array_.rows + 1) + row) * array_.cols + col];
}

template <typename Pe>
void StructuralGrid::build_pe(std::vector<std::unique_ptr<Pe>>& pes, int index, int row, int col) {
    auto pe = std::make_unique<Pe>(fmt::format("array{}_pe_{}_{}", index, row, col).c_str(), array_, counts_);
    const bool broadcast = array_.propagation == Propagation::broadcast_rows;
    pe->clock(clock);
    pe->west(across(index, row, broadcast ? 0 : col));
    pe->east(across(index, row, col + 1));
    pe->north(down(index, row, col));
    pe->south(down(index, row + 1, col));
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
        for (int row = 0; row < array_.rows; ++row) across(index, row, 0).write(feeder_.row_word(index, row));
        for (int col = 0; col < array_.cols; ++col) down(index, 0, col).write(feeder_.col_word(index, col));
    }
}

void StructuralGrid::collect(Cycles now) {
    for (int index = 0; index < array_.count; ++index) {
        if (os_ && array_.drain_axis == DrainAxis::rows) {
            for (int row = 0; row < array_.rows; ++row) {
                const auto& word = across(index, row, array_.cols).read();
                if (word.sum_valid) collector_.take_row(index, row, word.sum, now);
            }
            continue;
        }
        if (os_ && array_.drain_axis == DrainAxis::none) {
            for (int row = 0; row < array_.rows; ++row) {
                for (int col = 0; col < array_.cols; ++col) {
                    const auto cell = (static_cast<std::size_t>(index) * array_.rows + row) * array_.cols + col;
                    std::int32_t sum = 0;
                    if (output_pes_[cell]->take_complete(sum)) collector_.take_cell(index, row, col, sum, now);
                }
            }
            continue;
        }
        for (int col = 0; col < array_.cols; ++col) {
            const auto& word = down(index, array_.rows, col).read();
            if (word.sum_valid) collector_.take_col(index, col, word.sum, now);
        }
    }
}

} // namespace systole
