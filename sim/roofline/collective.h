// Several chips: collectives on a ring, and a matrix product split among them.
//
// A ring of n chips passes pieces of 1/n around: a reduce-scatter or an all-gather takes n - 1 steps, so (n-1)/n of the
// whole array crosses each link; an all-reduce is one after the other (scaling-book, parts 3 and 5; Patarasuk and Yuan,
// JPDC 2009). `bandwidth`: of one link in one direction; a ring that is used both ways at once halves the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dataflow/problem.h"
#include "sim/roofline/roof.h"

namespace systole::analytic {

enum class Collective { all_gather, reduce_scatter, all_reduce };

std::optional<Collective> parse_collective(std::string_view text); // "all-gather", ...

// Bytes that cross one link in one direction; `bytes`: the whole array.
double ring_link_bytes(Collective collective, double bytes, double chips, double directions = 1);
double ring_seconds(Collective collective, double bytes, double chips, double bandwidth, double directions = 1);

// [B,D] x [D,F] over n chips. contraction (D): each chip multiplies its part of D and holds partial sums of the whole
// result, which an all-reduce adds. output (F): each chip makes its columns; with `gather` all get the whole result.
enum class SplitAxis { contraction, output };

std::optional<SplitAxis> parse_split_axis(std::string_view text); // "d", "f"

struct SplitShape {
    std::int64_t batch = 1;
    std::int64_t d = 1;
    std::int64_t f = 1;
    std::int64_t chips = 1;
    SplitAxis axis = SplitAxis::contraction;
    bool gather = false;
    double directions = 1;
    OperandFormats formats;
    SparsePattern sparsity = dense_pattern; // of the weights
};

// What the chip with the largest part does; the partial sums cross the links in C's format. Throws InputError if there
// are more chips than the axis has elements.
Work split_matmul(const SplitShape& shape);

// D from which the math takes longer than the link, whatever B and F: contraction 2 (n-1) peak / bandwidth in a
// two-byte format, output half of that with `gather` and 0 without. General: steps (n-1) c / 2 peak / bandwidth /
// directions, with c bytes per result and 2 steps of an all-reduce, 1 of an all-gather.
double critical_depth(const SplitShape& shape, double peak, double bandwidth);

} // namespace systole::analytic
