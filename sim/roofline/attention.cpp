#include "sim/roofline/attention.h"

#include "sim/roofline/matmul.h"
#include "sim/roofline/require.h"

namespace systole::analytic {

namespace {

void check(const AttentionShape& shape) {
    require_positive(static_cast<double>(shape.batch), "the batch");
    require_positive(static_cast<double>(shape.heads), "the number of heads");
    require_positive(static_cast<double>(shape.kv_heads), "the number of key-value heads");
    require_positive(static_cast<double>(shape.queries), "the number of queries");
    require_positive(static_cast<double>(shape.keys), "the number of keys");
    require_positive(static_cast<double>(shape.dim), "the dimension of a head");
    require_not_negative(shape.score_passes, "the number of passes over the scores");
    if (shape.heads % shape.kv_heads != 0) {
        throw InputError("the number of heads must be a multiple of the number of key-value heads");
    }
    if (shape.causal && shape.queries > shape.keys) {
        throw InputError("causal attention needs at least as many keys as queries (the queries are the last tokens)");
    }
}

} // namespace

std::optional<AttentionMethod> parse_attention_method(std::string_view text) {
    if (text == "standard") {
        return AttentionMethod::standard;
    }
    return text == "flash" ? std::optional(AttentionMethod::flash) : std::nullopt;
}

Work attention(const AttentionShape& shape) {
    check(shape);
    const auto sequences = static_cast<double>(shape.batch);
    const auto heads = static_cast<double>(shape.heads);
    const auto kv_heads = static_cast<double>(shape.kv_heads);
    const auto t = static_cast<double>(shape.queries);
    const auto s = static_cast<double>(shape.keys);
    const auto d = static_cast<double>(shape.dim);
    const double width = element_bytes(shape.format);
    // Causal: sum over i = 0..T-1 of S - T + i + 1.
    const double pairs = shape.causal ? t * s - t * (t - 1) / 2 : t * s;

    Work work;
    work.name = "attention";
    work.kind = "attention";
    work.flops = sequences * heads * 4 * pairs * d;
    work.in_bytes = sequences * width * (heads * t * d + 2 * kv_heads * s * d);
    work.out_bytes = sequences * width * heads * t * d;
    if (shape.method == AttentionMethod::standard) {
        work.out_bytes += sequences * width * heads * pairs * shape.score_passes;
    }
    work.shape = {{"batch", sequences}, {"heads", heads}, {"kv_heads", kv_heads},
                  {"queries", t},       {"keys", s},      {"dim", d}};
    return work;
}

} // namespace systole::analytic
