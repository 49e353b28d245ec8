// Operators -> what the parts of the machine do: matrix tasks for the arrays, vector tasks for the vector unit, stages
// of the host and transfers over PCIe. The order of the tasks is one in which they can run.
//
// | operator              | tasks                                                            |
// |-----------------------|------------------------------------------------------------------|
// | gemm, batched_gemm    | one matrix task                                                  |
// | conv                  | one matrix task, A through a window of the feature map           |
// | conv, transposed      | matrix task input x weights, then the overlapping sums (col2im)  |
// | attention             | scores, softmax, values; flash and causal: for each block        |
// | ffn                   | up, (gate,) activation, down                                     |
// | moe                   | router, choice, an FFN for each group of alike experts, the sum  |
// | concat, reshape, slice| none: see `storage`                                              |
// | host; transfer        | one host task; one transfer                                      |
// | all others            | one vector task                                                  |
//
// MACs are those that are done: causal flash attention skips keys behind a block of queries (and does the rest of the
// block), standard attention does all pairs; experts without tokens do none. Bytes are packed (stored_bytes).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataflow/window.h"
#include "sim/workload/network.h"

namespace systole {

// A tensor and how many of its bytes are needed; an element that is needed several times counts once.
struct TensorUse {
    TensorId tensor = no_tensor;
    Bytes bytes = 0;
};

// `count` products C[m,n] = A[m,k] B[k,n] that share no matrix (batch, heads, groups, experts). Uses are those of all.
struct MatrixTask {
    std::string name; // "layer[0].attention.scores"
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    std::int64_t count = 1;
    OperandFormats formats;
    TensorUse a;
    TensorUse b;
    TensorUse c;
    std::optional<TensorUse> bias; // [n], added to each row: where the sums begin
    bool a_transposed = false;     // A lies as [k, m]
    bool b_transposed = false;     // B lies as [n, k]
    std::optional<ConvolutionWindow> window;

    std::int64_t macs() const { return count * m * n * k; }
};

struct VectorTask {
    std::string name;
    std::string function; // of vector_functions.h, or "softmax", "layer_norm", "rms_norm", "max_pool", "lookup", ...
    std::int64_t elements = 0;
    std::int64_t operations_per_element = 0;
    Format format = Format::int8; // that it reads
    std::vector<TensorUse> reads;
    std::vector<TensorUse> writes;
    Bytes resident_bytes = 0; // beside `reads`: of embedding rows that stay in VMEM
    bool elementwise = false; // element i of the result needs element i of reads[0] alone: can be fused behind it

    std::int64_t operations() const { return elements * operations_per_element; }
};

struct HostTask {
    std::string name;
    Picoseconds time = 0;
};

struct TransferTask {
    std::string name;
    TensorUse data;
    bool to_device = true;
    bool overlapped = false;
};

using Task = std::variant<MatrixTask, VectorTask, HostTask, TransferTask>;

// What pieces of a flash attention may keep in VMEM (sim/engine/attention_pieces.h); no task of the lowering uses it.
struct FlashTensors {
    TensorId queries = no_tensor;
    TensorId keys = no_tensor;
    TensorId values = no_tensor;
    TensorId sums = no_tensor; // of probabilities times values, in the format that they are summed in
    TensorId part = no_tensor; // the same, of some of the keys
};

struct LoweredOperator {
    std::size_t index = 0;  // of Network::operators
    std::int64_t count = 1; // Operator::count; all that follows is of one
    std::vector<Task> tasks;
    std::optional<FlashTensors> flash; // of a flash attention
    // Compulsory, each tensor once: what comes from outside the operator and what it leaves. Standard attention also
    // writes and reads its scores and probabilities here, as they go to memory.
    std::vector<TensorUse> reads;
    std::vector<TensorUse> writes;
    std::int64_t macs = 0;
    std::int64_t vector_operations = 0;

    Bytes read_bytes() const;
    Bytes written_bytes() const;
};

struct LoweredNetwork {
    std::vector<Tensor> tensors; // those of the network, then the scratch tensors
    // Where a tensor lies: itself, or the tensor that it is a view of (reshape, slice), or into which it is written in
    // place (inputs of concat, new keys and values of a KV cache).
    std::vector<TensorId> storage;
    std::vector<LoweredOperator> operators; // one for each of the network, in its order
    std::int64_t macs = 0;
    std::int64_t vector_operations = 0;
};

// Throws InputError, with the operator's place, for more than max_macs MACs in a task or 2^60 in all.
LoweredNetwork lower(const Network& network);

// What has to cross into and out of the chip's memory in any case, with all activations kept on the chip: inputs,
// weights and caches that are read, each once, and results. A lower bound for the network, where the sum over its
// operators is none.
struct NetworkBytes {
    Bytes read = 0;
    Bytes written = 0;
};

NetworkBytes compulsory_bytes(const LoweredNetwork& lowered);

// Part of the lookups that meets the `hot` most frequent of `rows` rows: H(hot, s) / H(rows, s) with the generalised
// harmonic numbers of Zipf's law (the sum of i^-s; beyond the first 1000 terms by Euler-Maclaurin).
double hot_fraction(std::int64_t hot, std::int64_t rows, double skew);

} // namespace systole
