#include "memory/dram_repeats.h"

#include <utility>

namespace systole {

namespace {
// About 10 KiB each. A stream with a refresh now and then comes back to the same few hundred.
constexpr std::size_t most_entries = 1024;
} // namespace

// FNV-1a over words, its high bits folded in.
std::uint64_t DramRepeats::hash(const Key& key) {
    std::uint64_t value = 0xCBF29CE484222325u;
    for (const std::int64_t word : key) {
        value = (value ^ static_cast<std::uint64_t>(word)) * 0x100000001B3u;
        value ^= value >> 29;
    }
    return value;
}

int DramRepeats::find(const Key& key) const {
    const auto found = by_hash_.find(hash(key));
    return found != by_hash_.end() && entries_[found->second].key == key ? found->second : none;
}

int DramRepeats::meet(const Key& key, const DramState& state, std::int64_t first, std::int64_t piece) {
    const std::uint64_t value = hash(key);
    auto& once = met_once_[value % met_once_.size()];
    if (std::exchange(once, value) != value)
        return none;
    if (entries_.size() == most_entries) {
        entries_.clear();
        by_hash_.clear();
    }
    const int number = static_cast<int>(entries_.size());
    if (!by_hash_.emplace(value, number).second)
        return none; // another state has the same hash
    entries_.push_back({key, state, first, piece, {}});
    return number;
}

void DramRepeats::add(int from, Step step) { entries_[from].steps.push_back(std::move(step)); }

} // namespace systole
