#include "pe/array_job.h"

#include <algorithm>

namespace systole {

namespace {

int lanes(SparsePattern pattern, bool sparse, int q) {
    if (pattern.dense())
        return q;
    return sparse ? 2 * q : std::max(1, q / pattern.keep) * pattern.group;
}

} // namespace

PeMath ArrayJob::math() const {
    const auto& problem = mapping.problem;
    const bool x = !problem.x_pattern().dense(), y = !problem.y_pattern().dense();
    return {accumulation(), x ? Picking::x : y ? Picking::y : Picking::none, limits.q};
}

int ArrayJob::x_lanes() const { return lanes(mapping.problem.sparsity, math().picking == Picking::x, limits.q); }

int ArrayJob::y_lanes() const { return lanes(mapping.problem.sparsity, math().picking == Picking::y, limits.q); }

} // namespace systole
