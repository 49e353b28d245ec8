// The accesses of one direction that the scheduler can choose from: of each bank a list in the order of their age.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "memory/dram_banks.h"

namespace systole {

class DramQueue {
  public:
    static constexpr int none = -1;

    struct Entry {              // neighbouring accesses of one row that came in together
        std::int64_t local = 0; // of the oldest: its number within the pseudo-channel
        std::int64_t row = 0;
        std::int64_t age = 0;   // of the oldest: smaller is older, and the others follow
        std::int64_t piece = 0; // that they belong to
        int left = 0;
        int next = none; // the next younger one of the bank
    };

    // window: the oldest accesses of a bank that the scheduler looks at.
    DramQueue(int banks, int capacity, int window);

    int size() const { return size_; }
    int space() const { return capacity_ - size_; }
    bool empty() const { return size_ == 0; }
    std::int64_t next_age() const { return next_age_; }
    // Sets of banks, a bit each: holding accesses; holding one to the open row that the scheduler sees.
    std::uint64_t waiting() const { return waiting_; }
    std::uint64_t hits() const { return hits_; }
    // With the bank's oldest access, and with its oldest one to the open row in the window.
    const Entry& head(int bank) const { return entries_[banks_[bank].head]; }
    const Entry& hit(int bank) const { return entries_[banks_[bank].hit]; }
    std::int64_t head_age(int bank) const { return head_age_[bank]; }
    std::int64_t hit_age(int bank) const { return hit_age_[bank]; }

    // Takes in entry.left accesses; there must be space. Returns whether the bank's head or its hit is new.
    bool admit(int bank, Entry entry, const DramBanks& banks);
    // Takes out the oldest `count` accesses of the bank's hit. Returns their piece.
    std::int64_t take_hit(int bank, int count, const DramBanks& banks);
    void row_changed(int bank, const DramBanks& banks);

    // visit(entry, bank) for each entry.
    template <typename Visit>
    void for_each(Visit visit) const;
    // Everything a number of rows, accesses and pieces further up.
    void shift(std::int64_t rows, std::int64_t accesses, std::int64_t pieces);

  private:
    struct Bank {
        int head = none, tail = none;
        int hit = none, before_hit = none;
        int hit_position = 0; // accesses of the bank that are older
        int count = 0;        // accesses
    };

    void find_hit(int bank, int before, int position, std::int64_t row);

    int capacity_, window_;
    int size_ = 0;
    std::int64_t next_age_ = 0;
    std::uint64_t waiting_ = 0, hits_ = 0;
    std::vector<Bank> banks_;
    std::array<std::int64_t, DramBanks::most_banks> head_age_{}, hit_age_{}; // of each bank
    std::vector<Entry> entries_;
    int free_ = none; // a list through `next`
};

template <typename Visit>
void DramQueue::for_each(Visit visit) const {
    for (int bank = 0; bank < static_cast<int>(banks_.size()); ++bank) {
        for (int at = banks_[bank].head; at != none; at = entries_[at].next)
            visit(entries_[at], bank);
    }
}

} // namespace systole
