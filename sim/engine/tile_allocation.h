// Where the tiles of one core's work lie in VMEM: a ring of buffers for each operand, allocated before the run.
#pragma once

#include <array>
#include <string>

#include "dataflow/mapping.h"
#include "memory/vmem_allocator.h"

namespace systole {

struct TileRing {
    std::string name; // of the operand
    HeldTiles tiles;  // count 0: there is no such operand
};

class TileAllocation {
  public:
    // Throws InternalError if the tiles do not fit.
    TileAllocation(const std::array<TileRing, 3>& rings, Bytes capacity, std::int64_t banks);
    // Of a mapping, which was to be refused if its tiles do not fit.
    TileAllocation(const Mapping& mapping, const CoreLimits& limits);

    // The bank of a unit. Operand 0: x, 1: y, 2: out; `sequence` counts the operand's tiles.
    std::int64_t bank(int operand, std::int64_t sequence, std::int64_t unit) const {
        const auto& ring = rings_[operand];
        return buffers()[ring.first + static_cast<std::size_t>(sequence % ring.count)].bank(unit);
    }
    // Of a unit that a later run will use: in what room is left, so anywhere.
    std::int64_t bank_ahead(std::int64_t unit) const {
        const auto count = static_cast<std::int64_t>(buffers().size());
        if (count == 0)
            return 0;
        return buffers()[static_cast<std::size_t>(unit % count)].bank(unit / count);
    }
    const std::vector<VmemBuffer>& buffers() const { return allocator_.buffers(); }

  private:
    struct Ring {
        std::size_t first = 0;
        std::int64_t count = 1;
    };

    VmemAllocator allocator_;
    std::array<Ring, 3> rings_;
};

} // namespace systole
