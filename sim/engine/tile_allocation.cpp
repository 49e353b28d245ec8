#include "sim/engine/tile_allocation.h"

#include <algorithm>

namespace systole {

namespace {

std::int64_t count_of(const std::array<TileRing, 3>& rings) {
    return std::max<std::int64_t>(1, rings[0].tiles.count + rings[1].tiles.count + rings[2].tiles.count);
}

std::array<TileRing, 3> rings_of(const Mapping& mapping, const CoreLimits& limits) {
    const auto held = held_tiles(mapping, limits);
    const bool swapped = mapping.problem.dataflow == Dataflow::input_stationary;
    return {{{swapped ? "B" : "A", held[0]}, {swapped ? "A" : "B", held[1]}, {"C", held[2]}}};
}

} // namespace

TileAllocation::TileAllocation(const std::array<TileRing, 3>& rings, Bytes capacity, std::int64_t banks)
    : allocator_(capacity, banks, count_of(rings)) {
    for (std::size_t operand = 0; operand < rings.size(); ++operand) {
        const auto& tiles = rings[operand].tiles;
        rings_[operand] = {allocator_.buffers().size(), tiles.count};
        for (std::int64_t i = 0; i < tiles.count; ++i)
            allocator_.allocate(rings[operand].name + std::to_string(i), tiles.bytes);
    }
}

TileAllocation::TileAllocation(const Mapping& mapping, const CoreLimits& limits)
    : TileAllocation(rings_of(mapping, limits), limits.vmem_capacity, limits.vmem_banks) {}

} // namespace systole
