// The lowest part of a pseudo-channel's address space: accesses of one block differ in column and bank group alone, so
// they lie in one row of each of a few banks ("lanes", one for each bank group). And the rhythm in which a run of row
// hits through a block uses the bus.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/dram_address.h"
#include "memory/dram_banks.h"

namespace systole {

class DramBlock {
  public:
    DramBlock(const DramConfig& config, const std::vector<AddressDigit>& local_digits);

    int size() const { return size_; } // accesses of a block; a power of two
    std::int64_t block_of(std::int64_t access) const { return access >> shift_; }
    int index_of(std::int64_t access) const { return static_cast<int>(access) & (size_ - 1); }
    int lanes() const { return static_cast<int>(lane_banks_.size()); }
    int lane_of(int index) const { return lane_of_[index]; }
    int bank_of_lane(int lane) const { return lane_banks_[lane]; } // to be added to the block's bank
    int next_in_lane(int index) const { return next_in_lane_[index]; }
    // Accesses of the lane below `index`, which may be size().
    int before(int lane, int index) const { return before_[lane * (size_ + 1) + index]; }
    // The first access of the lane at or after `index`; size() if none.
    int at_or_after(int lane, int index) const { return at_or_after_[lane * (size_ + 1) + index]; }

    struct Place {
        std::int64_t row = 0;
        int bank = 0; // of lane 0 with bank_of_lane(0) == 0
    };
    Place place(std::int64_t block) const; // number `block` of the pseudo-channel

    // A run of row hits that starts at a multiple of `period` with every bank open: access i of a period is issued
    // `offset[i]` clocks after the period's start, and periods follow each other every `length` clocks. The oldest
    // ready access goes first; the bus has no gap. period == 0: there is no such rhythm.
    struct Rhythm {
        int period = 0; // a power of two
        int shift = 0;  // its log2
        Clocks length = 0;
        std::vector<Clocks> offset;
        std::vector<Clocks> first; // offset of each lane's first access in a period
        std::vector<Clocks> last;  // and of its last one
        std::vector<int> by_last;  // lanes in the order of `last`
    };
    const Rhythm& rhythm() const { return rhythm_; }

  private:
    void add_upper(const DramOrganization& o, const std::vector<AddressDigit>& digits, std::size_t from,
                   int group_weight);
    void index_lanes();
    void find_rhythm(Clocks spacing, Clocks group_spacing);
    int shortest_period() const;

    int size_ = 1;
    std::vector<int> lane_banks_;
    std::vector<std::int16_t> lane_of_, next_in_lane_, before_, at_or_after_;
    struct Upper { // a digit above the block
        std::int64_t mask = 0;
        int shift = 0;  // to the next one
        int stride = 0; // of its value in the bank's number
    };
    std::vector<Upper> upper_;
    int shift_ = 0; // log2 of size_
    Rhythm rhythm_;
};

} // namespace systole
