// Attention: standard, flash, grouped-query, causal; prefill and decode.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pe/format.h"
#include "sim/roofline/roof.h"

namespace systole::analytic {

// standard: the matrix of scores goes to memory. flash: it never does (Dao et al., NeurIPS 2022); Q, K, V in, O out.
enum class AttentionMethod { standard, flash };

std::optional<AttentionMethod> parse_attention_method(std::string_view text);

struct AttentionShape {
    std::int64_t batch = 1;
    std::int64_t heads = 1;    // query heads N
    std::int64_t kv_heads = 1; // heads of K and V; N / kv_heads = G queries share one (grouped-query attention)
    std::int64_t queries = 1;  // T; 1 = a decode step
    std::int64_t keys = 1;     // S
    std::int64_t dim = 64;     // of a head
    bool causal = false;       // query i of T sees the first S - T + i + 1 keys
    AttentionMethod method = AttentionMethod::flash;
    // How often the score matrix crosses the memory, standard alone. 1: scores written once, as the texts count. 4:
    // scores written, read by the softmax, probabilities written, read by the second product.
    double score_passes = 1;
    Format format = Format::bf16;
};

// Two products of 2 T S d FLOP per head (causal: of the pairs seen); the softmax is not counted, as in the texts.
// Bytes: Q and O of `heads`, K and V of `kv_heads`, once each, so that flash attention has the intensity T S G / (T G +
// S) in a two-byte format. Throws InputError if heads is no multiple of kv_heads, or causal with more queries than
// keys.
Work attention(const AttentionShape& shape);

} // namespace systole::analytic
