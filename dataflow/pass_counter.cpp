#include "dataflow/pass_counter.h"

#include <algorithm>

namespace systole {

ArrayPart array_part(const Mapping& mapping, const ArrayConfig& array, const Pass& pass, int index) {
    ArrayPart part{0, pass.row_count, 0, pass.col_count};
    if (mapping.split_rows) {
        if (mapping.problem.dataflow == Dataflow::output_stationary) { // as they lie on the arrays' rows
            part.row_offset = std::int64_t{array.rows} * index;
            part.row_count = std::clamp<std::int64_t>(pass.row_count - part.row_offset, 0, array.rows);
        } else {
            // Streamed rows are dealt evenly: no array that a later, shorter pass with the same stationary tile needs
            // is left without it now.
            const auto arrays = std::min<std::int64_t>(array.count, pass.row_count);
            const auto least = pass.row_count / arrays;
            const auto more = pass.row_count % arrays;
            part.row_offset = least * index + std::min<std::int64_t>(index, more);
            part.row_count = index < arrays ? least + (index < more ? 1 : 0) : 0;
        }
    } else {
        part.col_offset = std::int64_t{array.cols} * index;
        part.col_count = std::clamp<std::int64_t>(pass.col_count - part.col_offset, 0, array.cols);
    }
    if (part.row_count == 0 || part.col_count == 0)
        part.row_count = part.col_count = 0;
    return part;
}

PassCounter::PassCounter(const Mapping& mapping, const CoreLimits& limits) : mapping_(mapping), limits_(limits) {}

void PassCounter::count(const Pass& pass) {
    macs_ += pass.macs();
    registers_.x_read += pass.macs();
    registers_.y_read += pass.macs();
    registers_.x_written += pass.macs(); // each PE that uses a streamed element holds it once
    if (mapping_.problem.dataflow == Dataflow::output_stationary) {
        count_output_stationary(pass);
    } else {
        count_streamed(pass);
    }
}

void PassCounter::count_results(const Pass& pass, std::int64_t vectors) {
    const Bytes sums = pass.outputs() * accumulator_word;
    accumulator_written_ += sums;
    accumulator_accesses_ += vectors;
    if (pass.adds_to_sums) {
        accumulator_read_ += sums;
        accumulator_accesses_ += vectors;
    }
    if (!pass.last_depth)
        return;
    accumulator_read_ += sums;
    accumulator_accesses_ += vectors;
    out_written_ += pass.out_bytes;
    vmem_accesses_ += vectors;
}

void PassCounter::count_streamed(const Pass& pass) {
    const auto sums = pass.outputs() * pass.stationary_rows; // one addition per PE and vector, whatever q is
    registers_.psum_read += sums;
    registers_.psum_written += sums;
    x_streamed_ += stored_bytes(pass.row_count * pass.depth_count, mapping_.problem.x);
    vmem_accesses_ += pass.vectors;
    count_results(pass, pass.vectors);
    for (int i = 0; i < limits_.array.count; ++i) {
        const auto part = array_part(mapping_, limits_.array, pass, i);
        if (part.col_count == 0)
            continue;
        ++array_passes_;
        if (!pass.new_stationary)
            continue;
        // The row for PE row r is written in rows 0..r on its way: (r + 1) registers for each of its elements.
        const auto q = std::int64_t{limits_.q};
        const auto whole = pass.depth_count / q;
        const auto rest = pass.depth_count % q;
        registers_.y_written += part.col_count * (q * whole * (whole + 1) / 2 + rest * (whole + 1));
    }
    if (!pass.new_stationary)
        return;
    y_streamed_ += pass.stationary_bytes;
    vmem_accesses_ += pass.stationary_rows;
}

void PassCounter::count_output_stationary(const Pass& pass) {
    const auto sums = pass.outputs() * pass.vectors;
    registers_.psum_read += sums;
    registers_.psum_written += sums;
    registers_.y_written += pass.macs();
    x_streamed_ += stored_bytes(pass.row_count * pass.depth_count, mapping_.problem.x);
    y_streamed_ += stored_bytes(pass.depth_count * pass.col_count, mapping_.problem.y);
    vmem_accesses_ += 2 * pass.vectors;
    for (int i = 0; i < limits_.array.count; ++i) {
        const auto part = array_part(mapping_, limits_.array, pass, i);
        if (part.col_count == 0)
            continue;
        ++array_passes_;
        if (!pass.drains)
            continue;
        // A result passes every used PE between its own and the edge: 1 + 2 + ... registers in a column (or row).
        const auto rows = part.row_count, cols = part.col_count;
        if (limits_.array.drain_axis == DrainAxis::columns)
            registers_.psum_written += cols * rows * (rows + 1) / 2;
        if (limits_.array.drain_axis == DrainAxis::rows)
            registers_.psum_written += rows * cols * (cols + 1) / 2;
    }
    if (pass.drains)
        count_results(pass, std::max<std::int64_t>(1, pass.row_count));
}

} // namespace systole
