// The bank and the row of each access of a pseudo-channel.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/dram_address.h"
#include "memory/dram_config.h"

namespace systole {

class DramPlaces {
  public:
    // The mapping's radices within a pseudo-channel are powers of two, and the row is its highest digit.
    DramPlaces(const DramOrganization& organization, const std::vector<AddressDigit>& local_digits);

    // A bank's number as in DramBanks. local: the access's number within the pseudo-channel.
    int bank(std::int64_t local) const {
        if (row_shift_ <= table_bits)
            return tables_[0][local & mask_];
        return bank_from_tables(local & mask_);
    }
    std::int64_t row(std::int64_t local) const { return local >> row_shift_; }
    // Accesses of one row of every bank: further up by this is the same bank, a row higher.
    std::int64_t round() const { return mask_ + 1; }

  private:
    static constexpr int table_bits = 12; // the bank is a sum of what each part of the address adds to it

    int bank_from_tables(std::int64_t low) const;

    int row_shift_ = 0;
    std::int64_t mask_ = 0;
    std::vector<std::vector<std::uint8_t>> tables_;
};

} // namespace systole
