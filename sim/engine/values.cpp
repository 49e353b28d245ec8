#include "sim/engine/values.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "pe/convert.h"
#include "sim/base/error.h"
#include "sim/base/splitmix.h"

namespace systole {

namespace {

void fill(std::vector<std::int8_t>& values, Format format, SplitMix& random) {
    std::size_t i = 0;
    while (i < values.size()) {
        auto word = random.next();
        for (int byte = 0; byte < 8 && i < values.size(); ++byte, word >>= 8U) {
            values[i++] = static_cast<std::int8_t>(from_pattern(format, word & 0xFFU));
        }
    }
}

void fill(std::vector<float>& values, Format format, SplitMix& random) {
    for (float& value : values) {
        const auto word = random.next();
        const double uniform = std::ldexp(static_cast<double>(word >> 11U), -52) - 1;
        value = static_cast<float>(is_integer(format) ? from_pattern(format, word & 0xFFU) : rounded(format, uniform));
    }
}

std::string what_fits(Format format) {
    const auto range = range_of(format);
    if (is_integer(format))
        return fmt::format("whole numbers {}..{}", range.lowest, range.largest);
    const bool infinities = std::isinf(rounded(format, std::numeric_limits<double>::infinity()));
    return fmt::format("up to {}{}", range.largest, infinities ? ", infinities and NaN" : " and NaN");
}

// A value that the format can stand for, if need be after rounding.
bool fits(Format format, double value) {
    const auto range = range_of(format);
    if (is_integer(format))
        return value >= range.lowest && value <= range.largest && value == std::nearbyint(value);
    if (std::isinf(value))
        return std::isinf(rounded(format, value));
    // What is less than half a step above the largest value still rounds to it.
    const double step = std::ldexp(1.0, std::ilogb(range.largest) - range.fraction_bits);
    return std::isnan(value) || std::fabs(value) < range.largest + step / 2;
}

template <typename T>
void take(std::vector<T>& values, Format format, const GivenMatrix& given) {
    for (std::size_t i = 0; i < given.values.size(); ++i) {
        const double value = given.values[i];
        if (!fits(format, value)) {
            const auto cols = static_cast<std::size_t>(given.cols);
            throw InputError(fmt::format("{}: row {}, column {}: {} does not fit {} ({}; use another --dtype)",
                                         given.origin, i / cols, i % cols, value, name(format), what_fits(format)));
        }
        values[i] = static_cast<T>(rounded(format, value));
    }
}

} // namespace

GemmValues random_values(const GemmProblem& problem, std::uint64_t seed, Pruning pruning) {
    GemmValues values;
    const auto& formats = problem.formats;
    if (formats.accumulation() == Accumulation::fp32)
        values.operands = OperandValues<float>{};
    std::visit(
        [&](auto& operands) {
            operands.a.resize(problem.count * (problem.window ? problem.window->pixels() : problem.m * problem.k));
            operands.b.resize(problem.count * problem.k * problem.n);
            SplitMix random(seed);
            fill(operands.a, formats.a, random);
            fill(operands.b, formats.b, random);
            if (pruning == Pruning::magnitude) {
                prune_by_magnitude(problem.sparsity, operands.b, problem.k, problem.n);
            } else if (!problem.sparsity.dense()) {
                prune_at_random(problem.sparsity, operands.b, problem.k, problem.n, random.next());
            }
        },
        values.operands);
    values.c.resize(problem.count * problem.m * problem.n);
    return values;
}

void use_given(GemmValues& values, const GemmProblem& problem, Operand operand, const GivenMatrix& given,
               Pruning pruning) {
    const bool is_a = operand == Operand::a;
    if (is_a && problem.window) {
        throw InputError(given.origin + ": A of a convolution is a feature map and no matrix (leave it out, or run the "
                                        "convolution as a GEMM)");
    }
    const auto rows = problem.count * (is_a ? problem.m : problem.k);
    const auto cols = is_a ? problem.k : problem.n;
    if (given.rows != rows || given.cols != cols) {
        const auto what = problem.count == 1 ? std::string("a GEMM") : fmt::format("{} GEMMs", problem.count);
        throw InputError(fmt::format("{}: is {}x{}, but {} of {} of {}x{}x{} is {}x{}", given.origin, given.rows,
                                     given.cols, is_a ? "A" : "B", what, problem.m, problem.n, problem.k, rows, cols));
    }
    std::visit(
        [&](auto& operands) {
            take(is_a ? operands.a : operands.b, is_a ? problem.formats.a : problem.formats.b, given);
            if (is_a)
                return;
            if (pruning == Pruning::magnitude)
                prune_by_magnitude(problem.sparsity, operands.b, problem.k, problem.n);
            if (const auto bad = first_bad_group(problem.sparsity, operands.b, problem.k, problem.n)) {
                throw InputError(fmt::format("{}: {} (prune it with --prune magnitude)", given.origin,
                                             explain(*bad, problem.sparsity, problem.k)));
            }
        },
        values.operands);
}

GemmValues make_values(const GemmProblem& problem, const GivenOperands& given, std::uint64_t seed) {
    auto values = random_values(problem, seed, given.pruning);
    if (given.a)
        use_given(values, problem, Operand::a, *given.a, Pruning::none);
    if (given.b)
        use_given(values, problem, Operand::b, *given.b, given.pruning);
    return values;
}

std::vector<double> stored_result(const GemmProblem& problem, const GemmValues& values) {
    const bool floats = problem.formats.accumulation() == Accumulation::fp32;
    std::vector<double> result;
    result.reserve(values.c.size());
    for (const Pattern sum : values.c)
        result.push_back(rounded(problem.formats.c, floats ? double{std::bit_cast<float>(sum)} : double(sum)));
    return result;
}

void unify_nans(const GemmProblem& problem, GemmValues& values) {
    if (problem.formats.accumulation() == Accumulation::int32)
        return;
    for (Pattern& sum : values.c) {
        if (std::isnan(std::bit_cast<float>(sum)))
            sum = pattern_of(std::numeric_limits<float>::quiet_NaN());
    }
}

} // namespace systole
