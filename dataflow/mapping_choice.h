// A mapping as the user sees it, in M, N and K whatever the dataflow: what reports print and mapping files hold.
#pragma once

#include <optional>
#include <string_view>

#include "dataflow/mapping.h"

namespace systole {

// The loops over the tiles, outermost first; that over K is always the innermost, so that sums never leave the
// accumulators.
enum class LoopOrder { mnk, nmk };

// What the arrays of a core share: each has a part of the rows of C, or of its columns.
enum class Sharing { m, n };

std::string_view name(LoopOrder order);
std::string_view name(Sharing sharing);
std::optional<LoopOrder> parse_loop_order(std::string_view text);
std::optional<Sharing> parse_sharing(std::string_view text);

struct MappingChoice {
    Dataflow dataflow = Dataflow::weight_stationary;
    Tile tile;
    LoopOrder order = LoopOrder::mnk;
    Sharing sharing = Sharing::n;
    std::int64_t products = 1; // that share a tile

    bool operator==(const MappingChoice&) const = default;
};

MappingChoice choice_of(const Mapping& mapping);

// The mapping that choice_of() was taken of, for the problem or a core's part of it, to which the tile is clipped. The
// dataflow is the problem's. Throws InputError, naming what is too small or what cuts a group of a sparse B.
Mapping chosen_mapping(const OrientedGemm& problem, const MappingChoice& choice, DataOrigin from,
                       const CoreLimits& limits);

} // namespace systole
