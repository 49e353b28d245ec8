#include "dataflow/vector_blocks.h"

#include <algorithm>

#include "sim/base/error.h"

namespace systole {

namespace {

__extension__ using Wide = __int128; // bytes * positions

} // namespace

std::vector<VectorRange> share_among_cores(const VectorProblem& problem, const VectorConfig& unit, int cores) {
    const auto positions = problem.positions();
    const auto registers = ceil_div(positions, unit.register_elements());
    const auto busy = std::min<std::int64_t>(cores, registers);
    const auto begin = [&](std::int64_t core) {
        const auto first = static_cast<std::int64_t>(Wide{registers} * core / busy);
        return core == busy ? positions : first * unit.register_elements();
    };
    std::vector<VectorRange> shares;
    for (std::int64_t core = 0; core < busy; ++core)
        shares.push_back({begin(core), begin(core + 1)});
    return shares;
}

VectorBlocks::VectorBlocks(const VectorProblem& problem, const VectorRange& share, const VectorLimits& limits)
    : problem_(problem), share_(share), limits_(limits), all_positions_(problem.positions()) {
    size_blocks();
}

// The part of an operand lies where its positions lie: the floors of a running sum, so that parts meet exactly.
VectorRange VectorBlocks::part(Bytes operand_bytes, std::int64_t block) const {
    const auto at = [&](std::int64_t position) {
        return static_cast<Bytes>(Wide{operand_bytes} * position / all_positions_);
    };
    const auto positions = range(block);
    return {at(positions.begin), at(positions.end)};
}

VectorRange VectorBlocks::range(std::int64_t block) const {
    const auto begin = share_.begin + block * positions_;
    return {begin, std::min(share_.end, begin + positions_)};
}

std::int64_t VectorBlocks::elements(std::int64_t block) const {
    return problem_.elements == 0 ? 0 : range(block).size();
}

Cycles VectorBlocks::alu_cycles(std::int64_t block) const {
    return std::max<Cycles>(1, limits_.unit.cycles(elements(block), problem_.operations_per_element));
}

Bytes VectorBlocks::resident_bytes() const {
    const auto of_share = [&](Bytes bytes) {
        return static_cast<Bytes>((Wide{bytes} * share_.size() + all_positions_ - 1) / all_positions_);
    };
    Bytes sum = of_share(problem_.resident_bytes);
    for (const auto* operands : {&problem_.reads, &problem_.writes}) {
        for (const auto& operand : *operands)
            sum += resident(operand) ? of_share(operand.bytes) : 0;
    }
    return sum;
}

// A part of a range of positions has at most its share, rounded up.
Bytes VectorBlocks::crossing_bytes(const std::vector<VectorOperand>& operands, std::int64_t positions) const {
    Bytes sum = 0;
    const auto most = std::min(positions, share_.size());
    for (const auto& operand : operands) {
        if (!resident(operand))
            sum += static_cast<Bytes>((Wide{operand.bytes} * most + all_positions_ - 1) / all_positions_);
    }
    return sum;
}

bool VectorBlocks::fits(std::int64_t positions) const {
    if (limits_.vmem_capacity == unlimited)
        return true;
    const Wide block = Wide{crossing_bytes(problem_.reads, positions)} + crossing_bytes(problem_.writes, positions);
    return resident_bytes() + block * std::min<std::int64_t>(limits_.buffers, ceil_div(share_.size(), positions)) <=
           limits_.vmem_capacity;
}

void VectorBlocks::size_blocks() {
    const auto reg = limits_.unit.register_elements();
    const auto window = [&](std::int64_t positions) {
        return std::max(crossing_bytes(problem_.reads, positions), crossing_bytes(problem_.writes, positions));
    };
    positions_ = ceil_div(share_.size(), reg) * reg;
    // Halved, so that the blocks of a smaller VMEM or window are parts of those of a larger one.
    while (positions_ > reg && (window(positions_) > limits_.in_flight || !fits(positions_)))
        positions_ = ceil_div(positions_ / reg, 2) * reg;
    if (fits(positions_))
        return;
    throw InputError(
        problem_.name + ": VMEM has no room for " + std::to_string(limits_.buffers) + " blocks of " +
        std::to_string(positions_) + " elements, " +
        std::to_string(crossing_bytes(problem_.reads, positions_) + crossing_bytes(problem_.writes, positions_)) +
        " bytes each, beside " + std::to_string(resident_bytes()) +
        " bytes that stay there (raise vmem.capacity, or lower vmem.buffers)");
}

} // namespace systole
