#include "sim/engine/tile_allocation.h"

#include <string>

namespace systole {

namespace {

std::int64_t count_of(const std::array<HeldTiles, 3>& held) { return held[0].count + held[1].count + held[2].count; }

} // namespace

TileAllocation::TileAllocation(const Mapping& mapping, const CoreLimits& limits)
    : allocator_(limits.vmem_capacity, limits.vmem_banks, count_of(held_tiles(mapping, limits))) {
    const auto held = held_tiles(mapping, limits);
    const bool swapped = mapping.problem.dataflow == Dataflow::input_stationary;
    const std::array names{swapped ? "B" : "A", swapped ? "A" : "B", "C"};
    for (std::size_t operand = 0; operand < held.size(); ++operand) {
        rings_[operand] = {allocator_.buffers().size(), held[operand].count};
        for (std::int64_t i = 0; i < held[operand].count; ++i)
            allocator_.allocate(names[operand] + std::to_string(i), held[operand].bytes);
    }
}

} // namespace systole
