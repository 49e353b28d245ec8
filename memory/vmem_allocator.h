// Explicit allocation of the tiles of one core's VMEM: every buffer has a range of addresses and banks. Ranges follow
// each other in the order of allocation, so they never overlap.
#pragma once

#include <string>
#include <vector>

#include "sim/base/quantities.h"

namespace systole {

// A unit (what one pass reads or leaves of a tile) lies in one bank; the units of a buffer take turns with its banks.
struct VmemBuffer {
    std::string name; // of the operand and the buffer: "A0"
    Bytes address = 0;
    Bytes bytes = 0;
    std::int64_t first_bank = 0;
    std::int64_t banks = 1; // neighbours from first_bank on, a power of two; `unlimited`: one for every unit

    // Of unlimited banks the number means nothing: units never share one.
    std::int64_t bank(std::int64_t unit) const { return banks == unlimited ? 0 : first_bank + (unit & (banks - 1)); }
    bool operator==(const VmemBuffer&) const = default;
};

class VmemAllocator {
  public:
    // `buffers`: how many will be allocated. Banks are dealt in that order, round robin: to each the same number, the
    // largest power of two that leaves none without; one if there are fewer banks than buffers, which then share them.
    // With a power of two, twice the banks only part units that shared a bank and never bring others together.
    VmemAllocator(Bytes capacity, std::int64_t banks, std::int64_t buffers);

    // The index of the new buffer. Throws InternalError if the capacity or the number of buffers is exceeded: what does
    // not fit is to be refused before.
    std::size_t allocate(std::string name, Bytes bytes);

    const std::vector<VmemBuffer>& buffers() const { return buffers_; }
    Bytes used() const { return used_; }

  private:
    Bytes capacity_;
    std::int64_t banks_;
    std::int64_t expected_;
    std::int64_t banks_each_ = 1;
    Bytes used_ = 0;
    std::vector<VmemBuffer> buffers_;
};

} // namespace systole
