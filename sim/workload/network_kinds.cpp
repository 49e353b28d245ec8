#include "sim/workload/network_kinds.h"

#include <algorithm>

#include "sim/workload/vector_functions.h"

namespace systole {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 40;

Attributes read_gemm(const TomlTable& table) {
    GemmAttributes gemm;
    gemm.features = table.number_or("features", 0, 1, most);
    gemm.bias = table.flag("bias");
    gemm.transpose_a = table.flag("transpose_a");
    gemm.transpose_b = table.flag("transpose_b");
    return gemm;
}

Attributes read_batched_gemm(const TomlTable& table) {
    return BatchedGemmAttributes{table.flag("transpose_a"), table.flag("transpose_b")};
}

// One number, [height, width], [top, left, bottom, right], "same" or "same_lower".
template <class Window>
void read_padding(const TomlTable& table, Window& window) {
    if (!table.has("padding")) {
        return;
    }
    if (const std::string text = table.padding_word(); !text.empty()) {
        window.auto_padding = text == "same" ? AutoPadding::same_upper : AutoPadding::same_lower;
        return;
    }
    const std::vector<std::int64_t> sides = table.numbers("padding", 0, 1 << 20);
    if (sides.size() == 1 || sides.size() == 2) {
        window.padding = {sides.front(), sides.back(), sides.front(), sides.back()};
    } else if (sides.size() == 4) {
        window.padding = {sides[0], sides[1], sides[2], sides[3]};
    } else if (!sides.empty()) {
        table.report("padding", "'padding' must be a number, [height, width], [top, left, bottom, right] or \"same\"");
    }
}

Attributes read_convolution(const TomlTable& table) {
    ConvolutionAttributes convolution;
    convolution.depthwise = table.flag("depthwise");
    convolution.filters = table.number_or("filters", 0, 1, 1 << 20);
    convolution.kernel = table.pair("kernel", {1, 1}, 1);
    convolution.stride = table.pair("stride", {1, 1}, 1);
    convolution.dilation = table.pair("dilation", {1, 1}, 1);
    read_padding(table, convolution);
    convolution.groups = table.number_or("groups", 1, 1, 1 << 20);
    convolution.bias = table.flag("bias");
    convolution.transposed = table.flag("transposed");
    convolution.output_padding = table.pair("output_padding", {0, 0}, 0);
    if (convolution.depthwise && table.has("groups")) {
        table.report("groups", "'depthwise' sets the groups (leave one of the two out)");
    }
    return convolution;
}

Attributes read_attention(const TomlTable& table) {
    AttentionAttributes attention;
    attention.heads = table.number_or("heads", 1, 1, 1 << 20);
    attention.kv_heads = table.number_or("kv_heads", 0, 1, 1 << 20);
    attention.causal = table.flag("causal");
    attention.query_block = table.number_or("query_block", attention.query_block, 1, most);
    const std::string method = table.word("method", "flash");
    attention.method = method == "standard" ? AttentionKind::standard : AttentionKind::flash;
    if (method != "standard" && method != "flash") {
        table.report("method", "'method' must be \"standard\" or \"flash\"");
    }
    return attention;
}

Attributes read_ffn(const TomlTable& table) {
    FfnAttributes ffn;
    ffn.hidden = table.number_or("hidden", 0, 1, most);
    ffn.gated = table.flag("gated");
    ffn.bias = table.flag("bias");
    ffn.activation = table.word("activation", ffn.gated ? "silu" : "gelu");
    return ffn;
}

Attributes read_moe(const TomlTable& table) {
    MoeAttributes moe;
    moe.experts = table.number_or("experts", 0, 1, 1 << 16);
    moe.top_k = table.number_or("top_k", 1, 1, 1 << 16);
    moe.hidden = table.number_or("hidden", 0, 1, most);
    moe.gated = table.flag("gated", true);
    moe.activation = table.word("activation", moe.activation);
    moe.tokens_per_expert = table.numbers("tokens_per_expert", 0, most);
    return moe;
}

Attributes read_embedding(const TomlTable& table) {
    EmbeddingAttributes embedding;
    embedding.rows = table.number_or("rows", 0, 1, most);
    embedding.width = table.number_or("width", 0, 1, most);
    embedding.pooled = table.flag("pooled");
    embedding.hot_rows = table.number_or("hot_rows", 0, 0, most);
    embedding.skew = table.real("skew", 0, 0, 10);
    return embedding;
}

template <NormKind kind>
Attributes read_norm(const TomlTable& table) {
    return NormAttributes{kind, table.flag("scale", true), table.flag("bias", kind == NormKind::layer)};
}

template <PoolKind kind>
Attributes read_pool(const TomlTable& table) {
    PoolAttributes pool;
    pool.kind = kind;
    pool.global = table.flag("global");
    pool.kernel = table.pair("kernel", {1, 1}, 1);
    pool.stride = table.pair("stride", pool.kernel, 1);
    pool.dilation = table.pair("dilation", {1, 1}, 1);
    read_padding(table, pool);
    pool.round_up = table.flag("round_up");
    if (!pool.global && !table.has("kernel")) {
        table.report("kind", "pooling needs a 'kernel', or global = true");
    }
    return pool;
}

Attributes read_reduce(const TomlTable& table) {
    return ReduceAttributes{table.numbers("axes", -64, 63), table.flag("keep_dimensions")};
}

Attributes read_concat(const TomlTable& table) { return ConcatAttributes{table.number_or("axis", 0, -64, 63)}; }

Attributes read_reshape(const TomlTable& table) {
    if (!table.has("shape")) {
        table.report("kind", "a reshape needs a 'shape'");
    }
    return ReshapeAttributes{table.numbers("shape", -1, most)};
}

Attributes read_slice(const TomlTable& table) {
    return SliceAttributes{table.number_or("axis", 0, -64, 63), table.number_or("start", 0, -most, most),
                           table.number_or("size", 1, 1, most)};
}

Attributes read_host(const TomlTable& table) {
    return HostStageAttributes{table.time("time"), table.time("time_per_sample"), table.real("growth", 0, 0, 1000)};
}

Attributes read_transfer(const TomlTable& table) {
    const std::string direction = table.word("direction", "to_device");
    if (direction != "to_device" && direction != "to_host") {
        table.report("direction", "'direction' must be \"to_device\" or \"to_host\"");
    }
    return TransferAttributes{direction == "to_device", table.flag("overlapped")};
}

Attributes read_softmax(const TomlTable&) { return SoftmaxAttributes{}; }

} // namespace

const std::vector<OperatorKind>& operator_kinds() {
    static const std::vector<std::string> pool_keys{"kernel", "stride", "dilation", "padding", "global", "round_up"};
    static const std::vector<OperatorKind> kinds{
        {"gemm",
         {"m", "n", "k", "count", "sparsity", "features", "bias", "transpose_a", "transpose_b", "activation"},
         read_gemm,
         "C[m,n] = A[m,k] * B[k,n], by m, n and k alone or between tensors"},
        {"batched_gemm", {"transpose_a", "transpose_b"}, read_batched_gemm, "products with matrices of their own"},
        {"conv",
         {"filters", "kernel", "stride", "dilation", "padding", "groups", "depthwise", "bias", "transposed",
          "output_padding", "activation"},
         read_convolution,
         "convolution in two dimensions"},
        {"attention",
         {"heads", "kv_heads", "method", "causal", "query_block"},
         read_attention,
         "softmax(Q K^T) V of Q, K, V; of one packed input; or with the caches of K and V behind them"},
        {"ffn", {"hidden", "gated", "bias", "activation"}, read_ffn, "feed-forward network"},
        {"moe",
         {"experts", "top_k", "hidden", "gated", "activation", "tokens_per_expert"},
         read_moe,
         "mixture of experts"},
        {"embedding", {"rows", "width", "pooled", "hot_rows", "skew"}, read_embedding, "rows of a table by index"},
        {"softmax", {}, read_softmax, "over the last dimension"},
        {"layer_norm", {"scale", "bias"}, read_norm<NormKind::layer>, "over the last dimension"},
        {"rms_norm", {"scale"}, read_norm<NormKind::rms>, "over the last dimension"},
        {"max_pool", pool_keys, read_pool<PoolKind::max>, "maximum of a window"},
        {"average_pool", pool_keys, read_pool<PoolKind::average>, "average of a window"},
        {"reduce", {"axes", "keep_dimensions"}, read_reduce, "sum, maximum, ... over dimensions"},
        {"concat", {"axis"}, read_concat, "free: inputs are written where the result lies"},
        {"reshape", {"shape"}, read_reshape, "free: the same elements in another shape or order"},
        {"slice", {"axis", "start", "size"}, read_slice, "free: a part of a tensor"},
        {"host", {"time", "time_per_sample", "growth"}, read_host, "a serial stage on the host"},
        {"transfer", {"direction", "overlapped"}, read_transfer, "over PCIe"},
    };
    return kinds;
}

const OperatorKind* find_operator_kind(const std::string& name) {
    const auto& all = operator_kinds();
    const auto found = std::find_if(all.begin(), all.end(), [&name](const auto& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> all_operator_kinds() {
    std::vector<std::string> names;
    for (const OperatorKind& kind : operator_kinds()) {
        names.push_back(kind.name);
    }
    for (const VectorFunction& function : vector_functions()) {
        names.emplace_back(function.name);
    }
    return names;
}

} // namespace systole
