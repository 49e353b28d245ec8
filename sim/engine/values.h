// Operand values of a run: drawn at random, or given by the user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataflow/problem.h"
#include "pe/word.h"

namespace systole {

// Row-major: a[m,k], b[k,n]; of several products one behind the other, as c below. Of a convolution a is the feature
// map, [batch, count * channels, height, width].
template <typename T>
struct OperandValues {
    std::vector<T> a, b;
};

struct GemmValues {
    // int8: int4 and int8 operands with int32 sums; float: all others, with fp32 sums (see OperandFormats).
    std::variant<OperandValues<std::int8_t>, OperandValues<float>> operands;
    // Row-major c[m,n], starts at zero (all bits) and collects the array's sums: int32 or the pattern of an fp32.
    std::vector<Pattern> c;
};

// Integers uniform over the whole range of their format, floats uniform in [-1, 1] and then rounded to theirs; of a
// sparse B, positions drawn at random are kept, or those of the largest magnitude. From the seed alone.
enum class Pruning { none, magnitude };
GemmValues random_values(const GemmProblem& problem, std::uint64_t seed, Pruning pruning = Pruning::none);

// A matrix, row-major (of several products theirs, one below the other), and where it comes from ("--a x.npy").
struct GivenMatrix {
    std::int64_t rows = 0, cols = 0;
    std::vector<double> values;
    std::string origin;
};

// Replaces one operand. Values of float formats are rounded to the format. Throws InputError, naming the element, for a
// value that is no number of an integer format, beyond the finite range of a float format, or an infinity or NaN that
// it has not; for a matrix of another shape than the problem's; and for a B that is not as sparse as the problem says,
// unless it is to be pruned.
enum class Operand { a, b };
void use_given(GemmValues& values, const GemmProblem& problem, Operand operand, const GivenMatrix& given,
               Pruning pruning);

struct GivenOperands {
    std::optional<GivenMatrix> a, b; // empty: drawn at random
    Pruning pruning = Pruning::none;
};

// The operands of a run.
GemmValues make_values(const GemmProblem& problem, const GivenOperands& given, std::uint64_t seed);

// C as it is stored: the sums rounded to its format.
std::vector<double> stored_result(const GemmProblem& problem, const GemmValues& values);

// One NaN for all: which of their payloads a sum takes over is the processor's choice.
void unify_nans(const GemmProblem& problem, GemmValues& values);

} // namespace systole
