// The table of the keys of a workload file, for `systole info workloads` and the docs. Which kind of operator takes
// which: network_kinds.cpp.
#include <utility>

#include "sim/workload/network_reader.h"

namespace systole {

namespace {

std::vector<KeyInfo> general_keys() {
    return {
        {"description", "", "\"\"", "text", "what the network or layer is, one line"},
        {"source", "", "\"\"", "text", "where the shapes come from"},
        {"dtype", "", "the chip's first format", "A[,B[,C]]",
         "stored formats of all operators: activations, weights, results"},
        {"sparsity", "", "dense", "dense | N:M", "structured sparsity of B of all GEMMs without tensors, like 2:4"},
        {"outputs", "", "what the last operator makes", "texts", "tensors that are results of the network"},
        {"parameters.NAME", "", "", "0..",
         "a number that others may use by its name (\"2 * batch\"); --bind changes it"},
        {"tensor.name", "", "required", "text", "name of what comes from outside"},
        {"tensor.kind", "", "\"input\"", "input | weight | cache",
         "new in every run, the same in every run, a KV cache"},
        {"tensor.shape", "elements", "required", "1..", "outermost first; images [batch, channels, height, width]"},
        {"tensor.dtype", "", "that of the file", "format", "stored format; --dtype does not change it"},
        {"repeat.name", "", "\"repeat\"", "text", "prefix of the names in it: NAME[0]., NAME[1]., ..."},
        {"repeat.count", "", "required", "1..100000", "how often what is in it is there, one behind the other"},
        {"repeat.input", "", "", "text", "what the body calls the result of the operator before it"},
        {"operator.name", "", "op0, op1, ...", "text", "name in the result, and of what it makes"},
        {"operator.kind", "", "\"gemm\"", "a kind", "what is computed (the kinds are listed above)"},
        {"operator.inputs", "", "the operator before", "text or texts", "tensors that it reads, in order"},
        {"operator.output", "", "its name", "text", "name of the tensor that it makes"},
        {"operator.result", "", "false", "true | false", "what it makes is a result of the network as well"},
        {"operator.dtype", "", "that of the file", "A[,B[,C]]", "stored formats of its weights (B) and result (C)"},
    };
}

std::vector<KeyInfo> keys_of_kinds() {
    return {
        {"operator.m", "elements", "required", "1..", "gemm without tensors: rows of A and C"},
        {"operator.n", "elements", "required", "1..", "gemm without tensors: columns of B and C"},
        {"operator.k", "elements", "required", "1..", "gemm without tensors: columns of A, rows of B"},
        {"operator.count", "", "1", "1..100000", "gemm without tensors: how often it is run, one after the other"},
        {"operator.sparsity", "", "that of the file", "dense | N:M",
         "gemm without tensors: structured sparsity of its B"},
        {"operator.features", "elements", "", "1..", "gemm: columns of weights of its own"},
        {"operator.bias", "", "false", "true | false", "gemm, conv, ffn: a bias for each column; layer_norm: true"},
        {"operator.transpose_a", "", "false", "true | false", "gemm: A lies as [k, m]"},
        {"operator.transpose_b", "", "false", "true | false", "gemm: B lies as [n, k]"},
        {"operator.activation", "", "", "function", "applied to the result; ffn and moe: between the products"},
        {"operator.filters", "", "required", "1..", "conv: channels of the result; depthwise: as the input"},
        {"operator.kernel", "pixels", "1", "N or [height, width]", "conv, pools: size of the window"},
        {"operator.stride", "pixels", "1", "N or [height, width]",
         "conv, pools: step of the window; pools: as the kernel"},
        {"operator.dilation", "pixels", "1", "N or [height, width]", "conv, pools: distance of the window's pixels"},
        {"operator.padding", "pixels", "0", "N, [h, w], [top, left, bottom, right], \"same\"",
         "conv, pools: at the edges"},
        {"operator.groups", "", "1", "1..", "conv: groups of channels"},
        {"operator.depthwise", "", "false", "true | false", "conv: as many groups as channels"},
        {"operator.transposed", "", "false", "true | false", "conv: transposed (a deconvolution)"},
        {"operator.output_padding", "pixels", "0", "N or [height, width]", "conv, transposed: added to the result"},
        {"operator.global", "", "false", "true | false", "pools: the window is the whole map"},
        {"operator.round_up", "", "false", "true | false", "pools: the last window may hang over the edge"},
        {"operator.heads", "", "1", "1..", "attention: query heads"},
        {"operator.kv_heads", "", "as heads", "1..", "attention: heads of keys and values"},
        {"operator.method", "", "\"flash\"", "standard | flash", "attention: whether the scores go to memory"},
        {"operator.causal", "", "false", "true | false", "attention: no query sees a later key"},
        {"operator.query_block", "tokens", "128", "1..",
         "attention, flash and causal: queries that are taken together"},
        {"operator.hidden", "elements", "required", "1..", "ffn, moe: width of the hidden layer"},
        {"operator.gated", "", "false; moe: true", "true | false", "ffn, moe: a third matrix gates (SwiGLU)"},
        {"operator.experts", "", "required", "1..65536", "moe: experts"},
        {"operator.top_k", "", "1", "1..", "moe: experts for each token"},
        {"operator.tokens_per_expert", "tokens", "even", "numbers", "moe: tokens that each expert gets"},
        {"operator.rows", "", "", "1..", "embedding: rows of a table of its own; else the table is the second input"},
        {"operator.width", "elements", "", "1..", "embedding: elements of a row"},
        {"operator.pooled", "", "false", "true | false",
         "embedding: the rows of the indices' last dimension are summed"},
        {"operator.hot_rows", "", "0", "0..", "embedding: most frequent rows, which stay in VMEM"},
        {"operator.skew", "", "0", "0..10", "embedding: exponent of Zipf's law; 0: all rows alike"},
        {"operator.scale", "", "true", "true | false", "norms: with a weight for each element"},
        {"operator.axes", "", "all", "numbers", "reduce: dimensions that are reduced; negative: from the end"},
        {"operator.keep_dimensions", "", "false", "true | false", "reduce: as dimensions of 1"},
        {"operator.axis", "", "0", "number", "concat, slice: the dimension"},
        {"operator.shape", "elements", "required", "numbers", "reshape: new shape, of which one may be -1"},
        {"operator.start", "elements", "0", "number", "slice: first element; negative: from the end"},
        {"operator.size", "elements", "1", "1..", "slice: how many"},
        {"operator.time", "time", "0 s", "\"500 us\"", "host: of the stage"},
        {"operator.time_per_sample", "time", "0 s", "\"5 us\"", "host: for each sample of the batch"},
        {"operator.growth", "", "0", "0..1000", "host: part by which the time grows with each doubling of the batch"},
        {"operator.direction", "", "\"to_device\"", "to_device | to_host", "transfer: which way over PCIe"},
        {"operator.overlapped", "", "false", "true | false", "transfer: while the operators around it run"},
    };
}

} // namespace

const std::vector<KeyInfo>& workload_keys() {
    static const std::vector<KeyInfo> keys = [] {
        std::vector<KeyInfo> all = general_keys();
        for (KeyInfo& key : keys_of_kinds()) {
            all.push_back(std::move(key));
        }
        return all;
    }();
    return keys;
}

} // namespace systole
