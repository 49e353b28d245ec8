#include "sim/roofline/vector_work.h"

#include "sim/roofline/matmul.h"
#include "sim/roofline/require.h"

namespace systole::analytic {

Work elementwise(const ElementwiseShape& shape) {
    require_positive(static_cast<double>(shape.elements), "the number of elements");
    require_not_negative(shape.inputs, "the number of inputs");
    require_not_negative(shape.outputs, "the number of outputs");
    require_not_negative(shape.flops_per_element, "the FLOPs per element");
    const auto elements = static_cast<double>(shape.elements);
    Work work;
    work.name = work.kind = "elementwise";
    work.vector_flops = elements * shape.flops_per_element;
    work.in_bytes = elements * shape.inputs * element_bytes(shape.format);
    work.out_bytes = elements * shape.outputs * element_bytes(shape.format);
    work.shape = {{"elements", elements}};
    return work;
}

Work embedding(const EmbeddingShape& shape) {
    require_positive(static_cast<double>(shape.lookups), "the number of lookups");
    require_positive(static_cast<double>(shape.dim), "the length of a row");
    require_positive(static_cast<double>(shape.pooled), "the number of rows that are summed");
    require_not_negative(static_cast<double>(shape.index_bytes), "the size of an index");
    if (shape.lookups % shape.pooled != 0) {
        throw InputError("the number of lookups must be a multiple of the rows that are summed into one");
    }
    const auto lookups = static_cast<double>(shape.lookups);
    const auto dim = static_cast<double>(shape.dim);
    const double sums = lookups / static_cast<double>(shape.pooled);
    Work work;
    work.name = work.kind = "embedding";
    work.vector_flops = (lookups - sums) * dim;
    work.in_bytes = lookups * (dim * element_bytes(shape.format) + static_cast<double>(shape.index_bytes));
    work.out_bytes = sums * dim * element_bytes(shape.format);
    work.shape = {{"lookups", lookups}, {"dim", dim}, {"pooled", static_cast<double>(shape.pooled)}};
    return work;
}

double cached_bandwidth(double hit_rate, double cache_bandwidth, double memory_bandwidth) {
    require_fraction(hit_rate, "the hit rate");
    return effective_bandwidth({{hit_rate, cache_bandwidth}, {1 - hit_rate, memory_bandwidth}});
}

} // namespace systole::analytic
