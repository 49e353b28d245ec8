#include "tests/support/closed_form.h"

#include <algorithm>

#include "tests/support/machines.h"

namespace systole::test {

ClosedForm closed_form(const ArrayConfig& array, Dataflow dataflow, Cycles streamed) {
    const Cycles r = array.rows;
    const Cycles c = array.cols;
    const Cycles e = array.edge_latency + array.mac_latency - 1;
    const Cycles across = array.propagation == Propagation::broadcast_rows ? 0 : c - 1;
    const Cycles d = dataflow != os                           ? 0
                     : array.drain_axis == DrainAxis::columns ? r
                     : array.drain_axis == DrainAxis::rows    ? c
                                                              : 0;
    ClosedForm form;
    form.load = dataflow == os ? 0 : r;
    form.tail = r - 1 + across + e + d;
    if (dataflow == os) {
        form.interval = array.accumulator_buffers == 1 ? streamed + form.tail : std::max(streamed, d);
    } else if (array.weight_buffers == 1) {
        form.interval = r + streamed + form.tail;
    } else {
        form.interval = std::max(streamed, array.swap == Swap::drained ? array.swap_period : r);
    }
    form.interval = std::max<Cycles>(form.interval, array.min_rows);
    return form;
}

Cycles back_to_back(const ClosedForm& form, std::int64_t passes, Cycles streamed) {
    return form.load + (passes - 1) * form.interval + streamed + form.tail;
}

std::int64_t positions(const Case& t) {
    const auto [keep, group] = t.sparsity();
    std::int64_t count = 0;
    for (std::int64_t begin = 0; begin < t.k; begin += group)
        count += std::min<std::int64_t>(keep, std::min<std::int64_t>(group, t.k - begin));
    return count;
}

PassCount pass_count(const Case& t) {
    const auto [keep, group] = t.sparsity();
    const std::int64_t groups_of_a_pass =
        std::max<std::int64_t>(1, std::int64_t{t.rate} * t.rows / keep); // OS: no matter
    const std::int64_t along_k = ceil_div(ceil_div(t.k, group), groups_of_a_pass);
    switch (t.dataflow) {
    case Dataflow::weight_stationary:
        return {t.m, along_k * ceil_div(t.n, t.cols)};
    case Dataflow::input_stationary:
        return {t.n, along_k * ceil_div(t.m, t.cols)};
    case Dataflow::output_stationary:
        break;
    }
    return {ceil_div(positions(t), t.rate), ceil_div(t.m, t.rows) * ceil_div(t.n, t.cols)};
}

} // namespace systole::test
