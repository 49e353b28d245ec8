#include "sim/roofline/transformer.h"

#include <cmath>

#include "sim/roofline/chip_roofs.h"
#include "sim/roofline/matmul.h"
#include "sim/roofline/require.h"

namespace systole::analytic {

namespace {

// `token_uses`: tokens times experts each of them uses; `weights`: sets of matrices that are read.
Work feed_forward(const FfnShape& shape, double token_uses, double weights) {
    require_positive(static_cast<double>(shape.tokens), "the number of tokens");
    require_positive(static_cast<double>(shape.d), "D");
    require_positive(static_cast<double>(shape.f), "F");
    const auto tokens = static_cast<double>(shape.tokens);
    const auto d = static_cast<double>(shape.d);
    const auto f = static_cast<double>(shape.f);
    const double matrices = shape.gated ? 3 : 2;
    const double a = element_bytes(shape.formats.a);

    Work work;
    work.flops = matrices * 2 * token_uses * d * f;
    work.in_bytes = tokens * d * a + weights * matrices * d * f * element_bytes(shape.formats.b);
    work.out_bytes = tokens * d * element_bytes(shape.formats.c);
    const double hidden = token_uses * f * a;
    work.tiled_bytes["hbm"] = work.bytes() + (shape.gated ? 6 * hidden + tokens * d * a : 2 * hidden);
    work.pe_bytes_per_mac = pe_bytes_per_mac(shape.formats);
    work.shape = {{"tokens", tokens}, {"d", d}, {"f", f}};
    return work;
}

} // namespace

Work ffn(const FfnShape& shape) {
    Work work = feed_forward(shape, static_cast<double>(shape.tokens), 1);
    work.name = work.kind = "ffn";
    return work;
}

std::optional<ExpertsRead> parse_experts_read(std::string_view text) {
    if (text == "all") {
        return ExpertsRead::all;
    }
    return text == "expected" ? std::optional(ExpertsRead::expected) : std::nullopt;
}

Work mixture_of_experts(const MoeShape& shape) {
    require_positive(static_cast<double>(shape.active), "the number of active experts");
    if (shape.active > shape.experts) {
        throw InputError("there cannot be more active experts than experts");
    }
    const auto experts = static_cast<double>(shape.experts);
    const auto active = static_cast<double>(shape.active);
    const auto tokens = static_cast<double>(shape.ffn.tokens);
    const double read =
        shape.read == ExpertsRead::all ? experts : experts * (1 - std::pow(1 - active / experts, tokens));
    Work work = feed_forward(shape.ffn, tokens * active, read);
    work.name = work.kind = "moe";
    work.shape.emplace_back("experts", experts);
    work.shape.emplace_back("active", active);
    return work;
}

double decode_floor_seconds(double parameters, double bits_per_parameter, double cache_bytes, double chips,
                            double bandwidth) {
    require_positive(parameters, "the number of parameters");
    require_positive(bits_per_parameter, "the width of a parameter");
    require_not_negative(cache_bytes, "the size of the cache");
    require_positive(chips, "the number of chips");
    return transfer_seconds((parameters * bits_per_parameter / 8 + cache_bytes) / chips, bandwidth);
}

} // namespace systole::analytic
