// What is to be computed and how it is laid on the array.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dataflow/window.h"
#include "pe/format.h"
#include "pe/sparsity.h"
#include "sim/base/quantities.h"

namespace systole {

enum class Dataflow { weight_stationary, output_stationary, input_stationary };

std::string_view short_name(Dataflow dataflow);                // "ws", "os", "is"
std::string_view long_name(Dataflow dataflow);                 // "weight-stationary", ...
std::optional<Dataflow> parse_dataflow(std::string_view text); // the short names

// Where the operands are at cycle 0, and where the result has to end.
enum class DataOrigin { vmem, hbm, host };

std::string_view name(DataOrigin origin);
std::optional<DataOrigin> parse_data_origin(std::string_view text);

// Larger problems are refused: a MAC costs several register accesses of up to 4 bytes each, on the way into an array of
// up to 4096 rows, and all of these are counted in 64 bits.
inline constexpr std::int64_t max_macs = std::int64_t{1} << 50;

// Every value is stored and no index.
inline constexpr SparsePattern dense_pattern{1, 1};

std::string name(SparsePattern pattern); // "dense" or "2:4"

// Positions of a depth of B at which MACs are done: N of every group of M, of a ragged last one no more than it has.
// Equals the depth if dense. What is stored beyond that is the padding of the last group.
std::int64_t used_depth(SparsePattern pattern, std::int64_t depth);

// Where an operand of a problem lies at cycle 0, or where the result has to end: where `--from` says, or, between the
// operators of a network, in HBM or in VMEM.
enum class Home { origin, hbm, vmem };

struct OperandHomes {
    Home a = Home::origin;
    Home b = Home::origin;
    Home c = Home::origin;

    bool operator==(const OperandHomes&) const = default;
};

// What the vector unit does with a finished result on its way from the accumulators to VMEM (fused elementwise work):
// time and bytes; values are those of the product.
struct Epilogue {
    std::int64_t operations_per_output = 0; // 0: results go straight to VMEM, and the rest means nothing
    std::int64_t read_bits_per_output = 0;  // of further operands, which lie in VMEM from the start to the end

    bool operator==(const Epilogue&) const = default;
};

// `count` products C[m,n] = A[m,k] * B[k,n], each with matrices of its own; matrices of one kind lie one behind the
// other. m, n, k and count >= 1; count*m*n*k at most max_macs (checked by validate()).
struct GemmProblem {
    std::string name = "gemm";
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    OperandFormats formats;
    SparsePattern sparsity = dense_pattern; // of B, in groups along K
    std::int64_t count = 1;
    std::optional<ConvolutionWindow> window{}; // of a convolution: how A is read from a feature map
    OperandHomes homes{};
    Epilogue epilogue{};

    std::int64_t dense_macs() const { return count * m * n * k; }
    std::int64_t macs() const { return count * m * n * used_depth(sparsity, k); } // those done
    std::int64_t vector_operations() const { return count * m * n * epilogue.operations_per_output; }
    Bytes epilogue_bytes() const; // that it reads in VMEM
};

// Larger epilogues are refused, so that operations and bits of all outputs fit into 64 bits.
inline constexpr std::int64_t max_epilogue = 4096;

// Throws InputError for a dimension below 1, for counts that would leave 64 bits, for a sparsity that is none, for
// sparse products of a count, for a window that m and k do not come from or that leaves its padded map, and for an
// epilogue that is too large.
void validate(const GemmProblem& problem);

// The VMEM tile of one step of the outer loops, in elements of M, N and K.
struct Tile {
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;

    bool operator==(const Tile&) const = default;
};

} // namespace systole
