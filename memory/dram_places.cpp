#include "memory/dram_places.h"

#include <algorithm>
#include <bit>

namespace systole {

DramPlaces::DramPlaces(const DramOrganization& o, const std::vector<AddressDigit>& local_digits) {
    int group_weight = 1, bank_weight = 1, stack_weight = 1;
    std::vector<int> bit_values; // what each bit below the row adds to the bank's number
    for (const auto& [field, radix] : local_digits) {
        if (field == AddressField::row)
            break;
        int value = 0;
        const auto take = [&, radix = static_cast<int>(radix)](int& weight, int banks) {
            value = weight * banks;
            weight *= radix;
        };
        if (field == AddressField::bank_group) {
            take(group_weight, o.banks);
        } else if (field == AddressField::bank) {
            take(bank_weight, 1);
        } else if (field == AddressField::stack_id) {
            take(stack_weight, o.bank_groups * o.banks);
        } // a column tells no bank
        for (int bit = 0; bit < std::countr_zero(static_cast<std::uint64_t>(radix)); ++bit)
            bit_values.push_back(value << bit);
    }
    row_shift_ = static_cast<int>(bit_values.size());
    mask_ = (std::int64_t{1} << row_shift_) - 1;
    for (int from = 0; from == 0 || from < row_shift_; from += table_bits) {
        const int bits = std::min(table_bits, row_shift_ - from);
        std::vector<std::uint8_t> table(std::size_t{1} << bits, 0);
        for (std::size_t i = 1; i < table.size(); ++i) // as without its lowest bit, and what that adds
            table[i] = static_cast<std::uint8_t>(table[i & (i - 1)] + bit_values[from + std::countr_zero(i)]);
        tables_.push_back(std::move(table));
    }
}

int DramPlaces::bank_from_tables(std::int64_t low) const {
    int bank = 0;
    for (const auto& table : tables_) {
        bank += table[low & static_cast<std::int64_t>(table.size() - 1)];
        low >>= table_bits;
    }
    return bank;
}

} // namespace systole
