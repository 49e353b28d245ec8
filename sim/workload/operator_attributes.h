// What an operator computes: one plain struct for each kind. Shapes of inputs, weights and outputs: shape_inference.h.
//
// Pairs are {height, width}. Values are as a front end found them; shape inference fills in what depends on the inputs
// (the filters of a depthwise convolution, "same" padding, kernels of global pooling, kv_heads = 0).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataflow/problem.h"
#include "dataflow/window.h"
#include "sim/base/quantities.h"

namespace systole {

// C = A B (+ bias). With `features` B is a weight of its own, [k, features]; without, B is the second input.
struct GemmAttributes {
    std::int64_t features = 0;
    bool bias = false;
    bool transpose_a = false;               // A lies in memory as [k, m]
    bool transpose_b = false;               // B lies in memory as [n, k]
    SparsePattern sparsity = dense_pattern; // of B; of a GEMM given by m, n and k alone
};

// A product with matrices of their own for each index of the leading dimensions.
struct BatchedGemmAttributes {
    bool transpose_a = false;
    bool transpose_b = false;
};

enum class AutoPadding { none, same_upper, same_lower }; // same: as many outputs as inputs / stride, rounded up

// Two-dimensional. Batch norm that follows a convolution is folded into its weights and bias by the front ends.
struct ConvolutionAttributes {
    std::int64_t filters = 0;
    Pair kernel{1, 1};
    Pair stride{1, 1};
    Pair dilation{1, 1};
    Padding padding;
    AutoPadding auto_padding = AutoPadding::none;
    std::int64_t groups = 1;
    bool depthwise = false; // groups = channels; filters = channels if none are given
    bool bias = false;
    bool transposed = false;
    Pair output_padding{0, 0}; // transposed alone
};

enum class AttentionKind { standard, flash };

// softmax(Q K^T / sqrt(d)) V. Inputs: Q, K, V; or one packed [Q K V]; or Q, K, V and the caches of K and V.
struct AttentionAttributes {
    std::int64_t heads = 1;
    std::int64_t kv_heads = 0; // 0: as heads
    AttentionKind method = AttentionKind::flash;
    bool causal = false;            // a query sees no later key; the queries are the last tokens
    std::int64_t query_block = 128; // flash and causal: queries are taken in blocks, keys behind a block are skipped
};

// down(activation(up x)); gated: down(activation(gate x) * up x).
struct FfnAttributes {
    std::int64_t hidden = 0;
    bool gated = false;
    bool bias = false;
    std::string activation = "gelu";
};

// Each token goes to `top_k` of `experts` FFNs.
struct MoeAttributes {
    std::int64_t experts = 0;
    std::int64_t top_k = 1;
    std::int64_t hidden = 0;
    bool gated = true;
    std::string activation = "silu";
    std::vector<std::int64_t> tokens_per_expert; // empty: spread as evenly as whole tokens allow
};

// Rows of a table by index. Indices follow Zipf's law with exponent `skew` (0: all rows alike); the `hot_rows` most
// frequent rows stay in VMEM.
struct EmbeddingAttributes {
    std::int64_t rows = 0; // 0: the table is the second input
    std::int64_t width = 0;
    bool pooled = false; // the rows of the last dimension of the indices are summed
    std::int64_t hot_rows = 0;
    double skew = 0;
};

struct ElementwiseAttributes {
    std::string function = "relu"; // a name of vector_functions.h
};

struct SoftmaxAttributes {};

enum class NormKind { layer, rms };

// Over the last dimension.
struct NormAttributes {
    NormKind kind = NormKind::layer;
    bool scale = true;
    bool bias = true; // layer norm alone
};

enum class PoolKind { max, average };

struct PoolAttributes {
    PoolKind kind = PoolKind::max;
    Pair kernel{1, 1};
    Pair stride{1, 1};
    Pair dilation{1, 1};
    Padding padding;
    AutoPadding auto_padding = AutoPadding::none;
    bool global = false;
    bool round_up = false; // the last window may hang over the edge
};

struct ReduceAttributes {
    std::vector<std::int64_t> axes; // negative: from the end; empty: all
    bool keep_dimensions = false;
};

// Free: its inputs are written where the result lies. Other dimensions than `axis` are broadcast.
struct ConcatAttributes {
    std::int64_t axis = 0;
};

// Free, as is any other order of the same elements: who writes a tensor can write it in that order.
struct ReshapeAttributes {
    std::vector<std::int64_t> shape; // one dimension may be -1: what is left
};

// Free: a part of its input.
struct SliceAttributes {
    std::int64_t axis = 0;
    std::int64_t start = 0;
    std::int64_t size = 1;
};

// Serial work on the host: time + time_per_sample * batch, grown by `growth` of itself with every doubling of the
// batch. The batch is the first dimension of its input.
struct HostStageAttributes {
    Picoseconds time = 0;
    Picoseconds time_per_sample = 0;
    double growth = 0;
};

// Over PCIe.
struct TransferAttributes {
    bool to_device = true;
    bool overlapped = false; // with the operators around it
};

using Attributes = std::variant<GemmAttributes, BatchedGemmAttributes, ConvolutionAttributes, AttentionAttributes,
                                FfnAttributes, MoeAttributes, EmbeddingAttributes, ElementwiseAttributes,
                                SoftmaxAttributes, NormAttributes, PoolAttributes, ReduceAttributes, ConcatAttributes,
                                ReshapeAttributes, SliceAttributes, HostStageAttributes, TransferAttributes>;

// "gemm", "batched_gemm", "conv", "attention", "ffn", "moe", "embedding", "elementwise", "softmax", "norm", "pool",
// "reduce", "concat", "reshape", "slice", "host", "transfer": the words of workload files and of reports.
std::string_view kind_name(const Attributes& attributes);

} // namespace systole
