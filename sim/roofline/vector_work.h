// Work of the vector unit: elementwise operators and embedding lookups.
#pragma once

#include <cstdint>

#include "pe/format.h"
#include "sim/roofline/roof.h"

namespace systole::analytic {

struct ElementwiseShape {
    std::int64_t elements = 1;
    double inputs = 2;  // arrays read
    double outputs = 1; // arrays written
    double flops_per_element = 1;
    Format format = Format::fp32;
};

// Intensity flops / ((inputs + outputs) width): an fp32 addition 1/12.
Work elementwise(const ElementwiseShape& shape);

struct EmbeddingShape {
    std::int64_t lookups = 1;
    std::int64_t dim = 1;    // elements of one row
    std::int64_t pooled = 1; // rows that are summed into one; must divide lookups
    std::int64_t index_bytes = 4;
    Format format = Format::bf16;
};

// Rows and their indices in, sums out; (pooled - 1) dim additions for each sum.
Work embedding(const EmbeddingShape& shape);

// With a cache: `hit_rate` of the bytes come at `cache_bandwidth`, the rest at `memory_bandwidth`.
double cached_bandwidth(double hit_rate, double cache_bandwidth, double memory_bandwidth);

} // namespace systole::analytic
