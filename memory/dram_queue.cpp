#include "memory/dram_queue.h"

#include <algorithm>

namespace systole {

DramQueue::DramQueue(const DramBlock& block, int banks, int capacity, int window)
    : block_(block), capacity_(capacity), window_(window), banks_(banks) {
    // Every access may be a segment of its own.
    entries_.resize(capacity);
    segments_.resize(capacity);
    for (int i = capacity; i-- > 0;) {
        free_entries_.push_back(i);
        free_segments_.push_back(i);
    }
}

bool DramQueue::continues(std::int64_t first) const {
    return newest_ != none && segments_[newest_].block == block_.block_of(first) &&
           segments_[newest_].end == block_.index_of(first);
}

bool DramQueue::continues_unnoticed(std::int64_t first) const {
    if (!continues(first))
        return false;
    const auto& segment = segments_[newest_];
    for (int lane = 0; lane < block_.lanes(); ++lane) {
        const auto& bank = banks_[segment.bank + block_.bank_of_lane(lane)];
        if (bank.tail == none || entries_[bank.tail].segment != newest_)
            return false;
    }
    return true;
}

int DramQueue::new_segment(std::int64_t block) {
    const int index = free_segments_.back();
    free_segments_.pop_back();
    auto& segment = segments_[index];
    const auto place = block_.place(block);
    segment.block = block;
    segment.row = place.row;
    segment.bank = place.bank;
    segment.left = 0;
    segment.parts.clear();
    segment.part = 0;
    return index;
}

int DramQueue::admit(std::int64_t first, std::int64_t count, int piece, const DramBanks& banks) {
    const auto block = block_.block_of(first);
    const int from = block_.index_of(first);
    const int taken = static_cast<int>(std::min<std::int64_t>({count, space(), block_.size() - from}));
    if (!continues(first))
        newest_ = new_segment(block);
    auto& segment = segments_[newest_];
    const int to = from + taken;
    touched_ = 0;
    segment.end = to;
    segment.left += taken;
    if (!segment.parts.empty() && segment.parts.back().piece == piece) {
        segment.parts.back().end = to;
        segment.parts.back().left += taken;
    } else {
        segment.parts.push_back({to, taken, piece});
    }
    segment.part = std::min(segment.part, segment.parts.size() - 1); // a part that had run dry may have grown
    if (taken == 1) {
        add(newest_, block_.lane_of(from), from, to, next_age_, banks);
    } else {
        for (int lane = 0; lane < block_.lanes(); ++lane)
            add(newest_, lane, from, to, next_age_, banks);
    }
    size_ += taken;
    next_age_ += taken;
    return taken;
}

// age: of the access at `from`.
void DramQueue::add(int segment, int lane, int from, int to, std::int64_t age, const DramBanks& banks) {
    const int added = block_.before(lane, to) - block_.before(lane, from);
    if (added == 0)
        return;
    const int number = segments_[segment].bank + block_.bank_of_lane(lane);
    auto& bank = banks_[number];
    const bool seen = bank.total < window_;
    bank.total += added;
    if (bank.tail != none && entries_[bank.tail].segment == segment) {
        entries_[bank.tail].left += added;
    } else {
        const int index = block_.at_or_after(lane, from);
        const int entry = free_entries_.back();
        free_entries_.pop_back();
        entries_[entry] = {segment, index, added, none, age + index - from};
        if (bank.tail == none)
            bank.head_age = entries_[entry].age;
        (bank.tail == none ? bank.head : entries_[bank.tail].next) = entry;
        bank.tail = entry;
    }
    waiting_ |= std::uint64_t{1} << number;
    if (!seen || bank.hit != none)
        return;
    const bool first = bank.total == added;
    look(number, banks);
    if (first || bank.hit != none)
        touched_ |= std::uint64_t{1} << number;
}

// Finds the oldest hit in the window.
void DramQueue::look(int number, const DramBanks& banks) {
    auto& bank = banks_[number];
    const auto row = banks.open_row(number);
    bank.hit = none;
    int passed = 0;
    for (int entry = bank.head; entry != none && passed < window_ && row != DramBanks::closed;
         entry = entries_[entry].next) {
        if (segments_[entries_[entry].segment].row == row) {
            bank.hit = entry;
            break;
        }
        passed += entries_[entry].left;
    }
    const auto bit = std::uint64_t{1} << number;
    hits_ = bank.hit == none ? hits_ & ~bit : hits_ | bit;
}

void DramQueue::unlink(int number, int entry) {
    auto& bank = banks_[number];
    int before = none;
    for (int at = bank.head; at != entry; at = entries_[at].next)
        before = at;
    (before == none ? bank.head : entries_[before].next) = entries_[entry].next;
    if (bank.tail == entry)
        bank.tail = before;
    free_entries_.push_back(entry);
    if (bank.head == none)
        waiting_ &= ~(std::uint64_t{1} << number);
}

void DramQueue::release(int segment) {
    if (newest_ == segment)
        newest_ = none;
    free_segments_.push_back(segment);
}

// The bank's hit is at the start of whole periods of its segment that leave.
void DramQueue::take_lane(int number, int indices, int accesses, const DramBanks& banks) {
    auto& bank = banks_[number];
    auto& entry = entries_[bank.hit];
    entry.index += indices;
    entry.age += indices;
    entry.left -= accesses;
    bank.total -= accesses;
    if (entry.left == 0) {
        unlink(number, bank.hit);
        look(number, banks);
    }
    if (bank.head != none)
        bank.head_age = entries_[bank.head].age;
}

int DramQueue::take_hit(int number, const DramBanks& banks) {
    auto& bank = banks_[number];
    auto& entry = entries_[bank.hit];
    const int segment_index = entry.segment;
    auto& segment = segments_[segment_index];
    const int index = entry.index;
    std::size_t part = segment.part;
    while (segment.parts[part].end <= index)
        ++part;
    const int piece = segment.parts[part].piece;
    --segment.parts[part].left;
    while (segment.part < segment.parts.size() && segment.parts[segment.part].left == 0)
        ++segment.part;
    const int next = block_.next_in_lane(index);
    entry.age += next - index;
    entry.index = next;
    --entry.left;
    --bank.total;
    --segment.left;
    --size_;
    if (entry.left == 0) {
        unlink(number, bank.hit);
        look(number, banks);
    }
    if (bank.head != none)
        bank.head_age = entries_[bank.head].age;
    if (segment.left == 0)
        release(segment_index);
    return piece;
}

} // namespace systole
