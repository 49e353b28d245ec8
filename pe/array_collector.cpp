#include "pe/array_collector.h"

#include <fmt/format.h>

#include "dataflow/array_timing.h"
#include "pe/flat_kernels.h"
#include "sim/base/error.h"

namespace systole {

ArrayCollector::ArrayCollector(const ArrayJob& job)
    : job_(job), array_(job.limits.array), os_(job.mapping.problem.dataflow == Dataflow::output_stationary),
      accumulation_(job.accumulation()) {
    // A pass takes a cycle at least, so no more are in flight than a wave takes to cross and drain.
    records_.resize(static_cast<std::size_t>(2 * crossing_latency(array_) + array_.rows + 2 * array_.cols + 4));
    const auto count = static_cast<std::size_t>(array_.count);
    cols_.resize(count * array_.cols);
    rows_.resize(count * array_.rows);
    if (os_ && array_.drain_axis == DrainAxis::none)
        cells_.resize(rows_.size() * array_.cols);
}

void ArrayCollector::start_pass(const Pass& pass, const PassTiming& timing) {
    if (os_ && !pass.drains)
        return;
    auto& record = this->record(next_record_++);
    record.pass = pass;
    record.timing = timing;
    record.parts.clear();
    for (int i = 0; i < array_.count; ++i)
        record.parts.push_back(array_part(job_.mapping, array_, pass, i));
    const auto lines = os_ && array_.drain_axis == DrainAxis::rows ? array_.rows : array_.cols;
    expected_ +=
        std::int64_t{array_.count} * lines * (os_ ? std::int64_t{array_.rows} * array_.cols / lines : pass.vectors);
}

ArrayCollector::Record& ArrayCollector::next_of(Edge& edge, std::int64_t steps, std::int64_t& step) {
    if (edge.record >= next_record_)
        throw InternalError("a result left the array that no pass has promised");
    auto& found = record(edge.record);
    step = edge.step++;
    if (edge.step == (steps > 0 ? steps : found.pass.vectors))
        edge = {edge.record + 1, 0};
    --expected_;
    return found;
}

void ArrayCollector::check(const Record& record, Cycles expected, Cycles now) const {
    if (now == expected && now + array_.edge_latency <= record.timing.last_result)
        return;
    throw InternalError(fmt::format("pass {}: a result came out of its PE in cycle {}, planned for {} (last result {})",
                                    record.pass.index, now, expected, record.timing.last_result));
}

void ArrayCollector::add(const Record& record, int index, std::int64_t row, std::int64_t col, Pattern sum) {
    const auto& part = record.parts[index];
    if (row >= part.row_count || col >= part.col_count || !job_.out.data)
        return;
    auto& out = job_.out.of(record.pass.instance)
                    .at(record.pass.row_begin + part.row_offset + row, record.pass.col_begin + part.col_offset + col);
    out = systole::add(accumulation_, out, sum);
}

void ArrayCollector::take_col(int index, int col, Pattern sum, Cycles now) {
    std::int64_t step = 0;
    auto& edge = cols_[static_cast<std::size_t>(index) * array_.cols + col];
    auto& found = next_of(edge, os_ ? array_.rows : 0, step);
    const Cycles foot = array_.rows - 1 + col_skew(col) + array_.mac_latency - 1;
    if (os_) {
        check(found, found.timing.drain_start + step + foot, now);
        add(found, index, array_.rows - 1 - step, col, sum);
    } else {
        if (step == found.pass.vectors - 1)
            check(found, found.timing.stream_end + foot, now);
        add(found, index, step, col, sum);
    }
}

template <typename Sum>
void ArrayCollector::take_vector(int index, const Sum* sums, Cycles now) {
    std::int64_t step = 0;
    const int last_col = array_.cols - 1;
    auto& found = next_of(cols_[static_cast<std::size_t>(index) * array_.cols + last_col], 0, step);
    expected_ -= last_col;
    const Cycles foot = array_.rows - 1 + col_skew(last_col) + array_.mac_latency - 1;
    if (step == found.pass.vectors - 1)
        check(found, found.timing.stream_end + foot, now);
    const auto& part = found.parts[index];
    if (step >= part.row_count || !job_.out.data)
        return;
    const auto row = found.pass.row_begin + part.row_offset + step;
    const auto col = found.pass.col_begin + part.col_offset;
    if (job_.out.col_stride == 1) {
        add_row(part.col_count, sums, &job_.out.of(found.pass.instance).at(row, col));
    } else {
        for (std::int64_t c = 0; c < part.col_count; ++c)
            add(found, index, step, c, pattern_of(sums[c]));
    }
}

template void ArrayCollector::take_vector(int, const std::int32_t*, Cycles);
template void ArrayCollector::take_vector(int, const float*, Cycles);

void ArrayCollector::take_row(int index, int row, Pattern sum, Cycles now) {
    std::int64_t step = 0;
    auto& found = next_of(rows_[static_cast<std::size_t>(index) * array_.rows + row], array_.cols, step);
    const Cycles end = row + col_skew(array_.cols - 1) + array_.mac_latency - 1;
    check(found, found.timing.drain_start + step + end, now);
    add(found, index, row, array_.cols - 1 - step, sum);
}

void ArrayCollector::take_cell(int index, int row, int col, Pattern sum, Cycles now) {
    std::int64_t step = 0;
    const auto cell = (static_cast<std::size_t>(index) * array_.rows + row) * array_.cols + col;
    auto& found = next_of(cells_[cell], 1, step);
    check(found, found.timing.stream_end + row + col_skew(col) + array_.mac_latency - 1, now);
    add(found, index, row, col, sum);
}

} // namespace systole
