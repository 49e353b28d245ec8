// How work of the vector unit is dealt to the cores and cut into blocks: what is fetched, processed and stored as one.
#pragma once

#include "dataflow/vector_problem.h"

namespace systole {

// [begin, end) of the positions of a problem, or of the bytes of an operand.
struct VectorRange {
    std::int64_t begin = 0, end = 0;

    std::int64_t size() const { return end - begin; }
};

// What blocks have to respect; of one core.
struct VectorLimits {
    VectorConfig unit;
    DataOrigin from = DataOrigin::hbm;
    Bytes vmem_capacity = unlimited;
    int buffers = 2;            // blocks that VMEM holds at a time
    Bytes in_flight = 16 << 12; // what the DMA engines can have asked for at once, of each direction
};

// The parts of the cores that have work, in whole registers, as evenly as these allow.
std::vector<VectorRange> share_among_cores(const VectorProblem& problem, const VectorConfig& unit, int cores);

// One core's part of a problem, in blocks.
class VectorBlocks {
  public:
    // Blocks are as large as what the DMA can have in flight, so that its requests and not the blocks are what limits
    // the overlap, or, where nothing crosses the DMA, as the whole share; smaller if VMEM asks for it, but of whole
    // registers. Throws InputError if not even one register's operands fit.
    VectorBlocks(const VectorProblem& problem, const VectorRange& share, const VectorLimits& limits);

    std::int64_t count() const { return ceil_div(share_.size(), positions_); }
    std::int64_t positions() const { return positions_; } // of a block, but the last
    const VectorProblem& problem() const { return problem_; }

    // Of which bytes of an operand a block consists.
    VectorRange part(Bytes operand_bytes, std::int64_t block) const;
    std::int64_t elements(std::int64_t block) const;
    Cycles alu_cycles(std::int64_t block) const; // at least 1

    bool resident(const VectorOperand& operand) const { return lies_in_vmem(operand.home, limits_.from); }
    bool in_host(const VectorOperand& operand) const { return lies_in_host(operand.home, limits_.from); }
    // At most, of a block, what crosses the DMA.
    Bytes fetched_bytes() const { return crossing_bytes(problem_.reads, positions_); }
    Bytes stored_bytes() const { return crossing_bytes(problem_.writes, positions_); }
    Bytes resident_bytes() const; // of this core's share
    // What the smallest blocks take of VMEM, with what stays there.
    Bytes least_vmem() const { return need(limits_.unit.register_elements()); }

  private:
    VectorRange range(std::int64_t block) const;
    Bytes crossing_bytes(const std::vector<VectorOperand>& operands, std::int64_t positions) const;
    Bytes need(std::int64_t positions) const; // of VMEM; `unlimited` for more than 64 bits
    bool fits(std::int64_t positions) const { return need(positions) <= limits_.vmem_capacity; }
    void size_blocks();

    VectorProblem problem_;
    VectorRange share_;
    VectorLimits limits_;
    std::int64_t all_positions_;
    std::int64_t positions_ = 1;
};

} // namespace systole
