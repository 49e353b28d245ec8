// Feed-forward networks, mixtures of experts, and what a decode step must read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dataflow/problem.h"
#include "sim/roofline/roof.h"

namespace systole::analytic {

// Plain: [B,D] x [D,F], activation, [B,F] x [F,D]. Gated (SwiGLU): two products up, their product, one down.
struct FfnShape {
    std::int64_t tokens = 1;
    std::int64_t d = 1;
    std::int64_t f = 1;
    bool gated = false;
    OperandFormats formats; // A = activations, B = weights, C = results
};

// 2 (plain) or 3 (gated) times 2BDF FLOP. Compulsory bytes: weights, input, output. Tiled bytes, HBM: also what lies
// between when each product goes from memory to memory (plain: BF written and read, gated: B F six times and the input
// once more).
Work ffn(const FfnShape& shape);

enum class ExpertsRead { all, expected };

std::optional<ExpertsRead> parse_experts_read(std::string_view text);

struct MoeShape {
    FfnShape ffn; // of one expert
    std::int64_t experts = 1;
    std::int64_t active = 1; // experts a token uses
    // all: every expert's weights are read, as the texts have it. expected: those that at least one token chose, where
    // each token chooses at random: E (1 - (1 - k/E)^B).
    ExpertsRead read = ExpertsRead::all;
};

// The router's small product is not counted.
Work mixture_of_experts(const MoeShape& shape);

// Least time of a decode step: all parameters (and, if given, the cache of keys and values) are read once, dealt evenly
// to the chips. bytes / chips / bandwidth.
double decode_floor_seconds(double parameters, double bits_per_parameter, double cache_bytes, double chips,
                            double bandwidth);

} // namespace systole::analytic
