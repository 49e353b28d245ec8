// The accesses of one direction that the scheduler can choose from, in the order of their age, kept as runs: a segment
// is a run within one block, and each of its banks holds one entry that stands for all its accesses there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/dram_block.h"

namespace systole {

class DramQueue {
  public:
    static constexpr int none = -1;

    struct Entry { // of one segment in one bank
        int segment = none;
        int index = 0;        // in the block, of the oldest access
        int left = 0;         // accesses
        int next = none;      // the next older entry of the bank
        std::int64_t age = 0; // of the oldest access: smaller is older
    };
    struct Part { // accesses of a segment up to `end` belong to this piece
        int end = 0;
        int left = 0;
        int piece = none;
    };
    struct Segment {
        std::int64_t block = 0, row = 0;
        int bank = 0; // of lane 0
        int end = 0;  // index behind the last access that has been admitted
        int left = 0; // accesses
        std::vector<Part> parts;
        std::size_t part = 0; // the first with accesses left
    };
    struct Bank {
        int head = none, tail = none;
        int total = 0;             // accesses
        int hit = none;            // oldest entry in the window whose row is open
        std::int64_t head_age = 0; // of the oldest access
    };

    DramQueue(const DramBlock& block, int banks, int capacity, int window);

    int size() const { return size_; }
    int space() const { return capacity_ - size_; }
    bool empty() const { return size_ == 0; }
    // Sets of banks, a bit each: holding accesses; holding one to the open row that the scheduler sees.
    std::uint64_t waiting() const { return waiting_; }
    std::uint64_t hits() const { return hits_; }
    const Entry& head(int bank) const { return entries_[banks_[bank].head]; }
    const Entry& hit(int bank) const { return entries_[banks_[bank].hit]; }
    // The bank holds one entry.
    bool alone(int bank) const { return banks_[bank].head == banks_[bank].tail; }
    std::int64_t head_age(int bank) const { return banks_[bank].head_age; }
    const Segment& segment(int index) const { return segments_[index]; }

    // Whether accesses from `first` on would continue the newest segment; and whether no bank would notice, as each of
    // its banks still holds some of it.
    bool continues(std::int64_t first) const;
    bool is_newest(int segment) const { return segment == newest_; }
    bool continues_unnoticed(std::int64_t first) const;

    // Takes up to `count` accesses from `first` on, all within one block, that belong to `piece`. Returns how many.
    int admit(std::int64_t first, std::int64_t count, int piece, const DramBanks& banks);
    // Banks in which the last admit() may have changed the oldest access or the hit.
    std::uint64_t touched() const { return touched_; }

    // Takes out the oldest access of the bank's hit. Returns its piece.
    int take_hit(int bank, const DramBanks& banks);
    // Takes out `periods` whole periods of the block's rhythm of the oldest segment (see DramBlock::Rhythm).
    // visit(piece, from, to) for each piece touched: its accesses, counted from the start of the run.
    template <typename Visit>
    void take_periods(int segment, int first_index, int periods, const DramBanks& banks, Visit visit);

    void row_changed(int bank, const DramBanks& banks) { look(bank, banks); }

  private:
    int new_segment(std::int64_t block);
    void add(int segment, int lane, int from, int to, std::int64_t age, const DramBanks& banks);
    void look(int bank, const DramBanks& banks);
    void take_lane(int bank, int indices, int accesses, const DramBanks& banks);
    void unlink(int bank, int entry);
    void release(int segment);

    const DramBlock& block_;
    int capacity_, window_;
    int size_ = 0;
    std::int64_t next_age_ = 0;
    int newest_ = none;
    std::uint64_t waiting_ = 0, hits_ = 0, touched_ = 0;
    std::vector<Bank> banks_;
    std::vector<Entry> entries_;
    std::vector<Segment> segments_;
    std::vector<int> free_entries_, free_segments_;
};

template <typename Visit>
void DramQueue::take_periods(int number, int first_index, int periods, const DramBanks& banks, Visit visit) {
    auto& segment = segments_[number];
    const int count = periods * block_.rhythm().period;
    int from = first_index;
    while (from < first_index + count) {
        auto& part = segment.parts[segment.part];
        const int to = std::min(part.end, first_index + count);
        part.left -= to - from;
        visit(part.piece, from - first_index, to - first_index);
        from = to;
        if (part.left == 0)
            ++segment.part;
    }
    segment.left -= count;
    size_ -= count;
    for (int lane = 0; lane < block_.lanes(); ++lane)
        take_lane(segment.bank + block_.bank_of_lane(lane), count,
                  block_.before(lane, first_index + count) - block_.before(lane, first_index), banks);
    if (segment.left == 0)
        release(number);
}

} // namespace systole
