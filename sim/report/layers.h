// The operators of a network as a table for people: one row for each, or one for all repetitions of a block.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/stats/result.h"

namespace systole {

// folded: operators of one kind whose names differ in the indices of their repetitions alone share a row, which is
// their sum; a run of few operators is not folded. all: a row for each. detail: and everything about each below.
enum class LayerRows { folded, all, detail };

std::optional<LayerRows> parse_layer_rows(std::string_view text); // "folded", "all", "detail"

// Up to so many operators nothing is folded, and `compare` shows each by itself.
inline constexpr std::size_t few_operators = 8;
inline constexpr std::size_t unfolded_operators = 40;

// In the order of first appearance, named "block[0-11].output"; kinds, sums and bounds as in a total.
std::vector<OperatorResult> folded_layers(const std::vector<OperatorResult>& operators);

// For pictures: the operators themselves if they are at most `most`; else folded; and of still more the `most` - 1 that
// take the most cycles, in their order, and one row for all others.
std::vector<OperatorResult> drawn_layers(const std::vector<OperatorResult>& operators, std::size_t most);

// "layer[0].output, gemm, 128 x 768 x 768 (M x N x K)".
std::string layer_title(const OperatorResult& one);

// At most 80 columns. Time is the share of the whole run's cycles.
std::string layers_text(const RunResult& run, LayerRows rows);

} // namespace systole
