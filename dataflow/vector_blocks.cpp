#include "dataflow/vector_blocks.h"

#include <algorithm>

#include <fmt/format.h>

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

Bytes VectorBlocks::need(std::int64_t positions) const {
    const Wide block = Wide{crossing_bytes(problem_.reads, positions)} + crossing_bytes(problem_.writes, positions);
    const auto blocks = std::min<std::int64_t>(limits_.buffers, ceil_div(share_.size(), positions));
    return static_cast<Bytes>(std::min<Wide>(unlimited, resident_bytes() + block * blocks));
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
    throw InputError(fmt::format("{}: needs {} bytes of VMEM and finds {}: {} for data that stays there, the rest for "
                                 "blocks of {} elements, {} at a time (raise vmem.capacity, or lower vmem.buffers)",
                                 problem_.name, need(positions_), limits_.vmem_capacity, resident_bytes(), positions_,
                                 limits_.buffers));
}

} // namespace systole
