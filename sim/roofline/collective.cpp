#include "sim/roofline/collective.h"

#include "sim/roofline/chip_roofs.h"
#include "sim/roofline/matmul.h"
#include "sim/roofline/require.h"

namespace systole::analytic {

namespace {

double steps(Collective collective) { return collective == Collective::all_reduce ? 2 : 1; }

std::optional<Collective> collective_of(const SplitShape& shape) {
    if (shape.axis == SplitAxis::contraction) {
        return Collective::all_reduce;
    }
    return shape.gather ? std::optional(Collective::all_gather) : std::nullopt;
}

void check_directions(double directions) {
    if (directions != 1 && directions != 2) {
        throw InputError("a ring is used in 1 or 2 directions");
    }
}

} // namespace

std::optional<Collective> parse_collective(std::string_view text) {
    if (text == "all-gather") {
        return Collective::all_gather;
    }
    if (text == "reduce-scatter") {
        return Collective::reduce_scatter;
    }
    return text == "all-reduce" ? std::optional(Collective::all_reduce) : std::nullopt;
}

double ring_link_bytes(Collective collective, double bytes, double chips, double directions) {
    require_not_negative(bytes, "the number of bytes");
    require_positive(chips, "the number of chips");
    check_directions(directions);
    return steps(collective) * (chips - 1) / chips * bytes / directions;
}

double ring_seconds(Collective collective, double bytes, double chips, double bandwidth, double directions) {
    return transfer_seconds(ring_link_bytes(collective, bytes, chips, directions), bandwidth);
}

std::optional<SplitAxis> parse_split_axis(std::string_view text) {
    if (text == "d" || text == "D") {
        return SplitAxis::contraction;
    }
    return text == "f" || text == "F" ? std::optional(SplitAxis::output) : std::nullopt;
}

Work split_matmul(const SplitShape& shape) {
    require_positive(static_cast<double>(shape.chips), "the number of chips");
    const bool along_d = shape.axis == SplitAxis::contraction;
    if (shape.chips > (along_d ? shape.d : shape.f)) {
        throw InputError(std::string("there are more chips than ") + (along_d ? "D" : "F") + " has elements");
    }
    GemmProblem part{"split", shape.batch, along_d ? shape.f : ceil_div(shape.f, shape.chips),
                     along_d ? ceil_div(shape.d, shape.chips) : shape.d, shape.formats};
    part.sparsity = shape.sparsity;
    Work work = gemm(part);
    work.kind = "split";
    if (const std::optional<Collective> collective = collective_of(shape)) {
        const double result =
            static_cast<double>(shape.batch) * static_cast<double>(shape.f) * element_bytes(shape.formats.c);
        work.link_bytes = ring_link_bytes(*collective, result, static_cast<double>(shape.chips), shape.directions);
    }
    work.shape = {{"batch", static_cast<double>(shape.batch)},
                  {"d", static_cast<double>(shape.d)},
                  {"f", static_cast<double>(shape.f)},
                  {"chips", static_cast<double>(shape.chips)}};
    return work;
}

double critical_depth(const SplitShape& shape, double peak, double bandwidth) {
    require_positive(static_cast<double>(shape.chips), "the number of chips");
    require_positive(peak, "the peak rate");
    require_positive(bandwidth, "the bandwidth");
    check_directions(shape.directions);
    const std::optional<Collective> collective = collective_of(shape);
    if (!collective) {
        return 0;
    }
    // 2BDF / (n peak) = steps (n-1)/n BFc / (directions bandwidth), solved for D.
    return steps(*collective) * static_cast<double>(shape.chips - 1) * element_bytes(shape.formats.c) / 2 * peak /
           (bandwidth * shape.directions);
}

} // namespace systole::analytic
