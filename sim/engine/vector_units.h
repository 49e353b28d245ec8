// What the DMA engines move for the vector unit, block by block, and where in VMEM it lies meanwhile.
//
// In memory the operands lie one behind the other, reads first; in VMEM those of a block in one buffer, each in banks
// of its own as far as there are any, and what is resident in another.
#pragma once

#include "dataflow/vector_blocks.h"
#include "sim/engine/storer.h"
#include "sim/engine/tile_allocation.h"
#include "sim/engine/unit_source.h"

namespace systole {

// Rings of VMEM buffers, as TileAllocation counts them.
inline constexpr int vector_reads = 0;
inline constexpr int vector_residents = 1;
inline constexpr int vector_writes = 2;

TileAllocation vector_allocation(const VectorBlocks& blocks, const VmemConfig& vmem);

// The reads that do not lie in VMEM; of an operand that has no byte in a block there is no unit. The unit of
// reads[i] has number i in its block, whose number is the tile's.
class VectorUnits final : public UnitSource {
  public:
    VectorUnits(const VectorBlocks& blocks, Bytes burst) : blocks_(blocks), burst_(burst) {}

    bool next(FetchUnit& unit) override;

  private:
    VectorBlocks blocks_;
    Bytes burst_;
    std::int64_t block_ = 0;
    std::size_t read_ = 0;
    std::uint64_t base_ = 0; // of reads[read_]
};

// The results of a block that do not stay in VMEM, in that order; of those without a byte none.
std::vector<StoreUnit> stored_units(const VectorBlocks& blocks, std::int64_t block, std::int64_t out_sequence,
                                    const TileAllocation& allocation, Bytes burst);

// What the vector unit itself moves in a block, in this order: reads, what is resident besides, writes.
struct VectorAccess {
    Bytes bytes = 0;
    BankId bank = 0;
    bool write = false;
};
std::vector<VectorAccess> vector_accesses(const VectorBlocks& blocks, std::int64_t block, std::int64_t out_sequence,
                                          const TileAllocation& allocation);

} // namespace systole
