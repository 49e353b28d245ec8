#include "sim/engine/vector_units.h"

#include <algorithm>

namespace systole {

namespace {

constexpr const char* vector_data = "vector data";

DmaDescriptor transfer(std::uint64_t base, const VectorRange& part, Bytes burst) {
    constexpr int byte = 8; // bits
    return DmaDescriptor(
        {.base = base, .first = part.begin, .rows = 1, .cols = part.size(), .pitch = part.size(), .element_bits = byte},
        burst);
}

std::uint64_t bytes_of(const std::vector<VectorOperand>& operands) {
    std::uint64_t sum = 0;
    for (const auto& operand : operands)
        sum += static_cast<std::uint64_t>(operand.bytes);
    return sum;
}

HeldTiles ring(Bytes bytes, std::int64_t blocks, int buffers) {
    return bytes == 0 ? HeldTiles{0, 0} : HeldTiles{std::min<std::int64_t>(blocks, buffers), bytes};
}

} // namespace

TileAllocation vector_allocation(const VectorBlocks& blocks, const VmemConfig& vmem) {
    const Bytes resident = blocks.resident_bytes();
    return {{{{"in", ring(blocks.fetched_bytes(), blocks.count(), vmem.buffers)},
              {"resident", ring(resident, 1, 1)},
              {"out", ring(blocks.stored_bytes(), blocks.count(), vmem.buffers)}}},
            vmem.capacity,
            vmem.banks};
}

bool VectorUnits::next(FetchUnit& unit) {
    const auto& reads = blocks_.problem().reads;
    while (block_ < blocks_.count()) {
        if (read_ == reads.size()) {
            ++block_;
            read_ = 0;
            base_ = 0;
            continue;
        }
        const auto& operand = reads[read_];
        const auto number = static_cast<std::int64_t>(read_++);
        const auto base = base_;
        base_ += static_cast<std::uint64_t>(operand.bytes);
        const auto part = blocks_.part(operand.bytes, block_);
        if (blocks_.resident(operand) || part.size() == 0)
            continue;
        unit = {.operand = vector_reads,
                .sequence = block_,
                .unit = number,
                .bytes = part.size(),
                .values = transfer(base, part, burst_),
                .indices = {},
                .from_host = blocks_.in_host(operand),
                .first_visit = true,
                .staged = transfer(base, part, burst_),
                .key = {base, part.begin, 0, part.size()},
                .base = base,
                .index_base = base,
                .name = vector_data};
        return true;
    }
    return false;
}

std::vector<StoreUnit> stored_units(const VectorBlocks& blocks, std::int64_t block, std::int64_t out_sequence,
                                    const TileAllocation& allocation, Bytes burst) {
    std::vector<StoreUnit> units;
    const auto& writes = blocks.problem().writes;
    auto base = bytes_of(blocks.problem().reads);
    for (std::size_t i = 0; i < writes.size(); ++i) {
        const auto part = blocks.part(writes[i].bytes, block);
        if (!blocks.resident(writes[i]) && part.size() > 0) {
            units.push_back({.sequence = out_sequence,
                             .bytes = part.size(),
                             .closes_tile = false,
                             .to_host = blocks.in_host(writes[i]),
                             .bank = allocation.bank(vector_writes, out_sequence, static_cast<std::int64_t>(i)),
                             .requests = transfer(base, part, burst),
                             .trail = {}});
        }
        base += static_cast<std::uint64_t>(writes[i].bytes);
    }
    if (!units.empty())
        units.back().closes_tile = true;
    return units;
}

std::vector<VectorAccess> vector_accesses(const VectorBlocks& blocks, std::int64_t block, std::int64_t out_sequence,
                                          const TileAllocation& allocation) {
    std::vector<VectorAccess> accesses;
    const auto& problem = blocks.problem();
    std::int64_t resident = 0; // a unit of that buffer for each operand
    const auto add = [&](const VectorOperand& operand, bool write, std::int64_t sequence, std::int64_t unit) {
        const auto bytes = blocks.part(operand.bytes, block).size();
        const auto number = resident++;
        if (bytes == 0)
            return;
        const auto bank = blocks.resident(operand)
                              ? allocation.bank(vector_residents, 0, number)
                              : allocation.bank(write ? vector_writes : vector_reads, sequence, unit);
        accesses.push_back({bytes, bank, write});
    };
    for (std::size_t i = 0; i < problem.reads.size(); ++i)
        add(problem.reads[i], false, block, static_cast<std::int64_t>(i));
    add({problem.resident_bytes, Home::vmem}, false, block, 0);
    for (std::size_t i = 0; i < problem.writes.size(); ++i)
        add(problem.writes[i], true, out_sequence, static_cast<std::int64_t>(i));
    return accesses;
}

} // namespace systole
