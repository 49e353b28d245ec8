#include "memory/dram_queue.h"

namespace systole {

DramQueue::DramQueue(int banks, int capacity, int window)
    : capacity_(capacity), window_(window), banks_(banks), entries_(capacity) {
    for (int i = capacity; i-- > 0;) {
        entries_[i].next = free_;
        free_ = i;
    }
}

bool DramQueue::admit(int number, Entry entry, const DramBanks& banks) {
    auto& bank = banks_[number];
    const int index = free_;
    free_ = entries_[index].next;
    entry.age = next_age_;
    entry.next = none;
    entries_[index] = entry;
    next_age_ += entry.left;
    size_ += entry.left;
    const int position = bank.count;
    bank.count += entry.left;
    const int before = bank.tail;
    bank.tail = index;
    const auto bit = std::uint64_t{1} << number;
    if (before == none) {
        bank.head = index;
        head_age_[number] = entry.age;
        waiting_ |= bit;
    } else {
        entries_[before].next = index;
    }
    if (bank.hit == none && position < window_ && banks.open_row(number) == entry.row) {
        bank.hit = index;
        bank.before_hit = before;
        bank.hit_position = position;
        hit_age_[number] = entry.age;
        hits_ |= bit;
        return true;
    }
    return before == none;
}

// The first hit behind `before`, which `position` accesses are older than.
void DramQueue::find_hit(int number, int before, int position, std::int64_t row) {
    auto& bank = banks_[number];
    int at = before == none ? bank.head : entries_[before].next;
    while (at != none && position < window_) {
        const auto& entry = entries_[at];
        if (entry.row == row) {
            bank.hit = at;
            bank.before_hit = before;
            bank.hit_position = position;
            hit_age_[number] = entry.age;
            hits_ |= std::uint64_t{1} << number;
            return;
        }
        position += entry.left;
        before = at;
        at = entry.next;
    }
    bank.hit = none;
    hits_ &= ~(std::uint64_t{1} << number);
}

// What is older than the hit goes to other rows, so the next hit is the rest of it or behind it.
std::int64_t DramQueue::take_hit(int number, int count, const DramBanks& banks) {
    auto& bank = banks_[number];
    const int index = bank.hit;
    const int before = bank.before_hit;
    auto& entry = entries_[index];
    size_ -= count;
    bank.count -= count;
    entry.left -= count;
    if (entry.left > 0) {
        entry.local += count;
        entry.age += count;
        hit_age_[number] = entry.age;
        if (before == none)
            head_age_[number] = entry.age;
        return entry.piece;
    }
    if (before == none) {
        bank.head = entry.next;
        if (entry.next != none)
            head_age_[number] = entries_[entry.next].age;
    } else {
        entries_[before].next = entry.next;
    }
    if (bank.tail == index)
        bank.tail = before;
    entry.next = free_;
    free_ = index;
    if (bank.count == 0)
        waiting_ &= ~(std::uint64_t{1} << number);
    find_hit(number, before, bank.hit_position, banks.open_row(number));
    return entry.piece;
}

void DramQueue::row_changed(int number, const DramBanks& banks) {
    const auto row = banks.open_row(number);
    if (row == DramBanks::closed) {
        banks_[number].hit = none;
        hits_ &= ~(std::uint64_t{1} << number);
    } else {
        find_hit(number, none, 0, row);
    }
}

void DramQueue::shift(std::int64_t rows, std::int64_t accesses, std::int64_t pieces) {
    for (auto& entry : entries_) {
        entry.row += rows;
        entry.local += accesses;
        entry.piece += pieces;
    }
}

} // namespace systole
