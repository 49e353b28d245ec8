#include "memory/dram_block.h"

#include <algorithm>
#include <bit>

namespace systole {

namespace {

// Larger blocks would only make the tables larger.
constexpr std::int64_t largest_block = 4096;

// How many of the lowest digits make a block. Bank groups that follow the columns behind other bank groups would make
// it longer, and no rhythm with it.
std::size_t digits_within(const std::vector<AddressDigit>& digits) {
    std::int64_t size = 1;
    bool groups = false;
    bool columns_behind = false;
    std::size_t count = 0;
    for (; count < digits.size(); ++count) {
        const bool group = digits[count].field == AddressField::bank_group;
        if ((!group && digits[count].field != AddressField::column) || (group && columns_behind) ||
            size * digits[count].radix > largest_block)
            break;
        size *= digits[count].radix;
        groups = groups || group;
        columns_behind = groups && !group;
    }
    return count;
}

} // namespace

DramBlock::DramBlock(const DramConfig& config, const std::vector<AddressDigit>& local_digits) {
    const auto& o = config.organization;
    const std::size_t below = digits_within(local_digits);
    for (std::size_t d = 0; d < below; ++d)
        size_ *= static_cast<int>(local_digits[d].radix);
    shift_ = std::countr_zero(static_cast<unsigned>(size_));

    int group_weight = 1;
    lane_of_.assign(size_, 0);
    int weight = 1;
    for (std::size_t d = 0; d < below; ++d) {
        const int radix = static_cast<int>(local_digits[d].radix);
        if (local_digits[d].field == AddressField::bank_group) {
            for (int i = 0; i < size_; ++i)
                lane_of_[i] = static_cast<std::int16_t>(lane_of_[i] + i / weight % radix * group_weight);
            group_weight *= radix;
        }
        weight *= radix;
    }
    const int lanes = *std::max_element(lane_of_.begin(), lane_of_.end()) + 1;
    for (int lane = 0; lane < lanes; ++lane)
        lane_banks_.push_back(lane * o.banks);
    add_upper(o, local_digits, below, group_weight);
    index_lanes();
    const DramBanks banks(config);
    find_rhythm(banks.column_spacing(), banks.group_spacing());
}

void DramBlock::add_upper(const DramOrganization& o, const std::vector<AddressDigit>& digits, std::size_t from,
                          int group_weight) {
    int bank_weight = 1;
    int stack_weight = 1;
    for (std::size_t d = from; d < digits.size() && digits[d].field != AddressField::row; ++d) {
        const auto& [field, radix] = digits[d];
        Upper upper{radix - 1, std::countr_zero(static_cast<std::uint64_t>(radix)), 0};
        const auto take = [&](int& weight, int banks) {
            upper.stride = weight * banks;
            weight *= static_cast<int>(radix);
        };
        if (field == AddressField::bank_group) {
            take(group_weight, o.banks);
        } else if (field == AddressField::bank) {
            take(bank_weight, 1);
        } else if (field == AddressField::stack_id) {
            take(stack_weight, o.bank_groups * o.banks);
        } // a column digit above others tells no bank and no row
        upper_.push_back(upper);
    }
}

void DramBlock::index_lanes() {
    const auto row = static_cast<std::size_t>(size_) + 1;
    before_.assign(static_cast<std::size_t>(lanes()) * row, 0);
    at_or_after_.assign(static_cast<std::size_t>(lanes()) * row, static_cast<std::int16_t>(size_));
    next_in_lane_.assign(size_, static_cast<std::int16_t>(size_));
    for (int lane = 0; lane < lanes(); ++lane) {
        auto* const counts = &before_[static_cast<std::size_t>(lane) * row];
        for (int i = 0; i < size_; ++i)
            counts[i + 1] = static_cast<std::int16_t>(counts[i] + (lane_of_[i] == lane ? 1 : 0));
        auto* const next = &at_or_after_[static_cast<std::size_t>(lane) * row];
        for (int i = size_; i-- > 0;) {
            next[i] = lane_of_[i] == lane ? static_cast<std::int16_t>(i) : next[i + 1];
            if (lane_of_[i] == lane)
                next_in_lane_[i] = next[i + 1];
        }
    }
}

DramBlock::Place DramBlock::place(std::int64_t block) const {
    Place place;
    for (const auto& digit : upper_) {
        place.bank += static_cast<int>(block & digit.mask) * digit.stride;
        block >>= digit.shift;
    }
    place.row = block;
    return place;
}

int DramBlock::shortest_period() const {
    for (int period = 1; period < size_; ++period) {
        if (size_ % period != 0)
            continue;
        bool repeats = true;
        for (int i = period; i < size_ && repeats; ++i)
            repeats = lane_of_[i] == lane_of_[i - period];
        if (repeats)
            return period;
    }
    return size_;
}

// Plays the scheduler's rule (of the ready ones the oldest) over a few periods and keeps what repeats without a gap.
void DramBlock::find_rhythm(Clocks spacing, Clocks group_spacing) {
    const int period = shortest_period();
    const int played = std::min(size_, 4 * period);
    if (played < 2 * period)
        return;
    std::vector<Clocks> issued(played, -1);
    std::vector<Clocks> lane_ready(lanes(), 0);
    for (Clocks slot = 0, left = played; left > 0; slot += spacing) {
        int pick = -1;
        for (int i = 0; i < played && pick < 0; ++i) {
            if (issued[i] < 0 && lane_ready[lane_of_[i]] <= slot)
                pick = i;
        }
        if (pick < 0)
            return; // the bus has to wait: no rhythm
        issued[pick] = slot;
        lane_ready[lane_of_[pick]] = slot + group_spacing;
        --left;
    }
    const Clocks length = period * spacing;
    for (int i = 0; i < played; ++i) {
        if (issued[i] != issued[i % period] + i / period * length || issued[i % period] >= length)
            return;
    }
    rhythm_.period = period;
    rhythm_.shift = std::countr_zero(static_cast<unsigned>(period));
    rhythm_.length = length;
    rhythm_.offset.assign(issued.begin(), issued.begin() + period);
    rhythm_.first.assign(lanes(), -1);
    rhythm_.last.assign(lanes(), -1);
    for (int i = 0; i < period; ++i) {
        const int lane = lane_of_[i];
        rhythm_.first[lane] = rhythm_.first[lane] < 0 ? issued[i] : std::min(rhythm_.first[lane], issued[i]);
        rhythm_.last[lane] = std::max(rhythm_.last[lane], issued[i]);
    }
    for (int lane = 0; lane < lanes(); ++lane)
        rhythm_.by_last.push_back(lane);
    std::sort(rhythm_.by_last.begin(), rhythm_.by_last.end(),
              [this](int a, int b) { return rhythm_.last[a] < rhythm_.last[b]; });
}

} // namespace systole
