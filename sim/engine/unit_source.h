// What is to be brought into VMEM, unit by unit, in the order of its first use.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>

#include "dataflow/schedule.h"
#include "sim/engine/operand_map.h"

namespace systole {

// What is the same for all cores that ask for the same elements: matrix (by its base), first element, bytes. Packed
// formats share addresses, elements do not.
// Those of a feature map begin at a row of A and a channel.
using UnitKey = std::tuple<std::uint64_t, std::int64_t, std::int64_t, Bytes>;

// A unit that one operand's ring of VMEM buffers is to receive.
struct FetchUnit {
    int operand = 0;           // 0: x, 1: y
    std::int64_t sequence = 0; // of the operand's tiles
    std::int64_t unit = 0;     // within the tile
    Bytes bytes = 0;           // of both transfers
    OperandTransfer values;
    DmaDescriptor indices; // behind them, of a sparse operand

    // Of what comes from the host, through HBM:
    bool from_host = false;
    bool first_visit = false; // no earlier unit had these elements
    OperandTransfer staged;   // what it is the first to need; of a feature map maybe a part, or nothing
    UnitKey key;              // of that
    std::uint64_t base = 0;
    std::uint64_t index_base = 0;
    const char* name = "";
};

class UnitSource {
  public:
    virtual ~UnitSource() = default;
    virtual bool next(FetchUnit& unit) = 0; // false: none is left
};

// The units of a mapping's passes: of each the stationary operand first, as it has to shift in before the first vector
// can be used.
class PassUnits final : public UnitSource {
  public:
    PassUnits(const Mapping& mapping, const CoreLimits& limits, const OperandMap& operands, Bytes burst);

    bool next(FetchUnit& unit) override;

  private:
    void fill(FetchUnit& out, int operand, const UnitRef& unit) const;

    PassCursor cursor_;
    OperandMap operands_;
    Bytes burst_;
    std::array<bool, 2> from_host_;
    int stage_ = 0; // of the cursor's pass: 0: y to come, 1: x to come, 2: next pass
};

} // namespace systole
