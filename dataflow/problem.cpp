#include "dataflow/problem.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "sim/base/error.h"

namespace systole {

namespace {

bool product_fits(std::int64_t a, std::int64_t b, std::int64_t& product) {
    return !__builtin_mul_overflow(a, b, &product);
}

std::string shape(const GemmProblem& problem) {
    return std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" + std::to_string(problem.k);
}

bool counts_fit(const GemmProblem& problem) {
    std::int64_t area = 0;
    std::int64_t macs = 0;
    return product_fits(problem.m, problem.n, area) && product_fits(area, problem.k, macs) &&
           product_fits(macs, problem.count, macs) && macs <= max_macs;
}

} // namespace

std::string_view short_name(Dataflow dataflow) {
    switch (dataflow) {
    case Dataflow::weight_stationary:
        return "ws";
    case Dataflow::output_stationary:
        return "os";
    case Dataflow::input_stationary:
        break;
    }
    return "is";
}

std::string_view long_name(Dataflow dataflow) {
    switch (dataflow) {
    case Dataflow::weight_stationary:
        return "weight-stationary";
    case Dataflow::output_stationary:
        return "output-stationary";
    case Dataflow::input_stationary:
        break;
    }
    return "input-stationary";
}

std::optional<Dataflow> parse_dataflow(std::string_view text) {
    for (const Dataflow dataflow :
         {Dataflow::weight_stationary, Dataflow::output_stationary, Dataflow::input_stationary}) {
        if (short_name(dataflow) == text) {
            return dataflow;
        }
    }
    return std::nullopt;
}

std::string_view name(DataOrigin origin) {
    switch (origin) {
    case DataOrigin::vmem:
        return "vmem";
    case DataOrigin::hbm:
        return "hbm";
    case DataOrigin::host:
        break;
    }
    return "host";
}

std::optional<DataOrigin> parse_data_origin(std::string_view text) {
    for (const DataOrigin origin : {DataOrigin::vmem, DataOrigin::hbm, DataOrigin::host}) {
        if (name(origin) == text) {
            return origin;
        }
    }
    return std::nullopt;
}

std::string name(SparsePattern pattern) {
    return pattern.dense() ? "dense" : std::to_string(pattern.keep) + ":" + std::to_string(pattern.group);
}

std::int64_t used_depth(SparsePattern pattern, std::int64_t depth) {
    const std::int64_t keep = pattern.keep, group = pattern.group;
    return depth / group * keep + std::min(keep, depth % group);
}

namespace {

bool is_supported(SparsePattern pattern) {
    if (pattern.keep < 1 || pattern.group < pattern.keep)
        return false;
    return pattern.dense() || (pattern.group <= most_activations && pattern.group % pattern.keep == 0);
}

// Places along a side, the same with 64 bits to spare.
constexpr std::int64_t largest_side = std::int64_t{1} << 20;

void check_side(const GemmProblem& problem, const char* axis, const WindowSide& side, std::int64_t behind,
                Diagnostics& found) {
    const auto add = [&](const std::string& what) { found.add({}, problem.name + ": " + what); };
    for (const auto& [what, size] : {std::pair{"size", side.pixels},
                                     {"outputs", side.outputs},
                                     {"kernel", side.kernel},
                                     {"stride", side.stride},
                                     {"dilation", side.dilation}}) {
        if (size < 1 || size > largest_side)
            return add(std::string(axis) + " " + what + " = " + std::to_string(size) + " (from 1 to 1048576)");
    }
    for (const auto padding : {side.padding, behind}) {
        if (padding < 0 || padding > largest_side)
            return add(std::string(axis) + " padding = " + std::to_string(padding) + " (from 0 to 1048576)");
    }
    const auto window = side.dilation * (side.kernel - 1) + 1;
    const auto padded = side.padding + side.pixels + behind;
    if ((side.outputs - 1) * side.stride + window > padded) {
        add(std::string(axis) + ": " + std::to_string(side.outputs) + " outputs of a window of " +
            std::to_string(window) + " with stride " + std::to_string(side.stride) + " leave the " +
            std::to_string(padded) + " pixels of the padded map (use fewer outputs, or more padding)");
    }
}

// Whether `size` is the product; without an overflow.
bool is_product(std::int64_t size, std::initializer_list<std::int64_t> factors) {
    std::int64_t product = 1;
    for (const auto factor : factors) {
        if (!product_fits(product, factor, product))
            return false;
    }
    return size == product;
}

void check_window(const GemmProblem& problem, Diagnostics& found) {
    const auto& w = *problem.window;
    const auto add = [&](const std::string& what) { found.add({}, problem.name + ": " + what); };
    for (const auto& [what, size] : {std::pair{"batch", w.batch}, {"channels", w.channels}}) {
        if (size < 1)
            add(std::string(what) + " = " + std::to_string(size) + " (at least 1)");
    }
    check_side(problem, "height", rows_of(w), w.padding.bottom, found);
    check_side(problem, "width", columns_of(w), w.padding.right, found);
    if (!is_product(problem.m, {w.batch, w.outputs[0], w.outputs[1]})) {
        add("M = " + std::to_string(problem.m) + " is not batch * output rows * output columns = " +
            std::to_string(w.batch) + " * " + std::to_string(w.outputs[0]) + " * " + std::to_string(w.outputs[1]) +
            " (a convolution's M comes from its window)");
    }
    if (!is_product(problem.k, {w.channels, w.kernel[0], w.kernel[1]})) {
        add("K = " + std::to_string(problem.k) + " is not channels * kernel = " + std::to_string(w.channels) + " * " +
            std::to_string(w.kernel[0]) + " * " + std::to_string(w.kernel[1]) +
            " (a convolution's K comes from its window)");
    }
    std::int64_t pixels = problem.count;
    for (const auto factor : {w.batch, w.channels, w.height, w.width}) {
        if (!product_fits(pixels, factor, pixels) || pixels > max_macs)
            return add("the feature map has more than 2^50 pixels (make it smaller)");
    }
}

} // namespace

Bytes GemmProblem::epilogue_bytes() const {
    constexpr int byte = 8; // bits
    return epilogue.operations_per_output == 0 ? 0 : (count * m * n * epilogue.read_bits_per_output + byte - 1) / byte;
}

void validate(const GemmProblem& problem) {
    Diagnostics found;
    if (!is_supported(problem.sparsity)) {
        found.add({}, problem.name + ": sparsity " + name(problem.sparsity) +
                          " (N:M needs an N that divides M, and an M of at most " + std::to_string(most_activations) +
                          ", like 2:4)");
    }
    for (const auto& [letter, size] : {std::pair{'M', problem.m}, {'N', problem.n}, {'K', problem.k}}) {
        if (size < 1) {
            found.add({}, problem.name + ": " + letter + " = " + std::to_string(size) +
                              " (every dimension of a GEMM must be at least 1)");
        }
    }
    if (problem.count < 1) {
        found.add({}, problem.name + ": count = " + std::to_string(problem.count) + " (at least 1 product)");
    }
    if (problem.count > 1 && !problem.sparsity.dense()) {
        found.add({}, problem.name + ": " + std::to_string(problem.count) +
                          " products with a sparse B each (use one product, or a dense B)");
    }
    if (problem.window)
        check_window(problem, found);
    const auto& epilogue = problem.epilogue;
    if (std::min(epilogue.operations_per_output, epilogue.read_bits_per_output) < 0 ||
        std::max(epilogue.operations_per_output, epilogue.read_bits_per_output) > max_epilogue) {
        found.add({}, problem.name + ": an epilogue of " + std::to_string(epilogue.operations_per_output) +
                          " operations and " + std::to_string(epilogue.read_bits_per_output) +
                          " bits read for each output (0 to " + std::to_string(max_epilogue) +
                          "; run it as work of its own)");
    }
    found.throw_if_any();
    if (!counts_fit(problem)) {
        throw InputError(problem.name + ": a GEMM of " + shape(problem) +
                         " has more operations or bytes than 64 bits can count (split it into smaller ones)");
    }
}

} // namespace systole
