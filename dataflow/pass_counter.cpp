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

ActivationRange activations_of(SparsePattern pattern, int q, std::int64_t depth, std::int64_t step) {
    const auto clipped = [depth](std::int64_t begin, std::int64_t count) {
        return ActivationRange{begin, std::clamp<std::int64_t>(depth - begin, 0, count)};
    };
    if (pattern.dense())
        return clipped(step * q, q);
    const auto first = step * q; // position
    if (first >= used_depth(pattern, depth))
        return {};
    const auto groups = std::max(1, q / pattern.keep);
    return clipped(first / pattern.keep * pattern.group, std::int64_t{groups} * pattern.group);
}

namespace {

// Activations of all steps of a pass, once each and times (step + 1): what the registers of PE row r count that pass
// something on to the rows above it on its way.
struct ActivationSums {
    std::int64_t once = 0;
    std::int64_t by_hops = 0;
};

ActivationSums activation_sums(SparsePattern pattern, int q, std::int64_t depth) {
    const auto upto = [](std::int64_t steps) { return steps * (steps + 1) / 2; };
    const auto lanes = std::int64_t{pattern.dense() ? q : std::max(1, q / pattern.keep) * pattern.group};
    if (pattern.dense() || q >= pattern.keep) { // a step sees elements of its own
        const auto whole = depth / lanes;
        return {depth, lanes * upto(whole) + depth % lanes * (whole + 1)};
    }
    // keep / q steps see the same group, fewer a ragged one.
    const auto steps = depth / pattern.group * (pattern.keep / q);
    const auto rest = depth % pattern.group;
    const auto rest_steps = ceil_div(std::min<std::int64_t>(rest, pattern.keep), q);
    return {lanes * steps + rest * rest_steps, lanes * upto(steps) + rest * (upto(steps + rest_steps) - upto(steps))};
}

} // namespace

PassCounter::PassCounter(const Mapping& mapping, const CoreLimits& limits) : mapping_(mapping), limits_(limits) {}

void PassCounter::count(const Pass& pass) {
    macs_ += pass.macs();
    registers_.x_read += pass.macs();
    registers_.y_read += pass.macs();
    const auto& problem = mapping_.problem;
    // Each PE that uses a streamed element holds it once; activations as many as it picks from.
    registers_.x_written += problem.x_pattern().dense()
                                ? pass.outputs() * activation_sums(problem.sparsity, limits_.q, pass.depth_count).once
                                : pass.macs();
    if (!problem.sparsity.dense())
        registers_.index_read += pass.macs();
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
    const auto sums = pass.outputs() * ceil_div(pass.positions, limits_.q); // one per PE and vector, whatever q is
    registers_.psum_read += sums;
    registers_.psum_written += sums;
    x_streamed_ += pass.x.bytes;
    indices_streamed_ += pass.x.index_bytes;
    if (!mapping_.problem.x_pattern().dense())
        registers_.index_written += pass.macs();
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
        const bool sparse_y = !mapping_.problem.y_pattern().dense();
        const auto written =
            part.col_count * (sparse_y ? activation_sums(dense_pattern, limits_.q, pass.positions)
                                       : activation_sums(mapping_.problem.sparsity, limits_.q, pass.depth_count))
                                 .by_hops;
        registers_.y_written += written;
        registers_.index_written += sparse_y ? written : 0;
    }
    if (!pass.new_stationary)
        return;
    y_streamed_ += pass.y.bytes;
    indices_streamed_ += pass.y.index_bytes;
    vmem_accesses_ += pass.stationary_rows;
}

void PassCounter::count_output_stationary(const Pass& pass) {
    const auto sums = pass.outputs() * pass.vectors;
    registers_.psum_read += sums;
    registers_.psum_written += sums;
    registers_.y_written += pass.macs();
    if (!mapping_.problem.sparsity.dense())
        registers_.index_written += pass.macs();
    x_streamed_ += pass.x.bytes;
    y_streamed_ += pass.y.bytes;
    indices_streamed_ += pass.y.index_bytes;
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
