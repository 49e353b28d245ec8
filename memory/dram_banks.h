// The banks of one pseudo-channel and the timing rules between their commands: when each command may be issued first,
// and what it changes. Distances as in JESD235D (HBM2) and JESD238 (HBM3), in clocks.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "memory/dram_config.h"

namespace systole {

class DramBanks {
  public:
    static constexpr std::int64_t closed = -1;             // instead of a row
    static constexpr Clocks long_ago = -(Clocks{1} << 40); // no rule reaches that far

    static constexpr std::size_t most_banks = 64; // sets of them are the bits of one word

    explicit DramBanks(const DramConfig& config);

    // A bank's number: (stack id * bank groups + bank group) * banks of a group + bank.
    int size() const { return static_cast<int>(banks_.size()); }
    std::int64_t open_row(int bank) const { return banks_[bank].row; }
    std::uint64_t open() const { return open_; } // a bit for each bank

    // The parts of earliest_activate(): of all banks, and of this one.
    Clocks activate_floor() const { return std::max(last_activate_ + t_.rrd_s, window_[oldest_] + t_.faw); }
    Clocks activate_of_bank(int bank) const { return activate_[bank]; }

    Clocks earliest_activate(int bank) const { return std::max(activate_of_bank(bank), activate_floor()); }
    Clocks earliest_precharge(int bank) const { return precharge_[bank]; }
    // The parts of earliest_column(): of all banks, and of this one.
    Clocks column_floor(bool write) const { return stacks_ == 1 ? of_stack_[write][0] : long_ago; }
    Clocks column_of_bank(int bank, bool write) const {
        const Clocks own = std::max(column_[write][bank], of_group_[write][bank >> group_shift_]);
        return stacks_ == 1 ? own : std::max(own, of_stack_[write][bank >> stack_shift_]);
    }
    Clocks earliest_column(int bank, bool write) const {
        return std::max(column_of_bank(bank, write), column_floor(write));
    }
    Clocks earliest_read(int bank) const { return earliest_column(bank, false); }
    Clocks earliest_write(int bank) const { return earliest_column(bank, true); }
    // When the bus may turn to this direction, as far as the other direction's last commands are concerned.
    Clocks turned(int bank, bool write) const {
        if (write)
            return last_read_ + t_.rtw;
        return std::max(group_write_[bank >> group_shift_] + wtr_l_, last_write_ + wtr_s_);
    }

    void activate(int bank, std::int64_t row, Clocks at);
    void precharge(int bank, Clocks at);
    // Appends what decides over commands from `now` on: two states with the same numbers, rows counted from `row` on,
    // go on in the same way.
    void describe(Clocks now, std::int64_t row, std::vector<std::int64_t>& out) const;
    // Everything so many clocks later and rows further up.
    void shift(Clocks clocks, std::int64_t rows);

    // In the order of their clocks. Returns whether it is the first one after the ACT of its row.
    bool column(int bank, bool write, Clocks at);
    // Closes what is open as soon as it may be and refreshes; columns and ACTs of the bank wait for the returned clock.
    Clocks refresh_bank(int bank, Clocks due);
    Clocks refresh_all(Clocks due);

    Clocks column_of_row(int bank, bool write) const { // as far as its row decides
        return column_[write][bank];
    }
    Clocks opening(bool write) const { return write ? t_.rcd_write : t_.rcd_read; } // ACT to a column
    Clocks column_spacing() const { return ccd_s_; } // least distance of two column commands of one direction
    bool same_column_spacing() const { return ccd_s_ == ccd_l_; } // in one bank group and in two
    Clocks data_end(bool write, Clocks at) const { return at + (write ? t_.cwl : t_.cl) + burst_; }

  private:
    void activate_own(int bank, Clocks from);

    struct Bank {
        std::int64_t row = closed;
        Clocks next_activate = 0; // as far as its own commands decide
        bool fresh = false;       // no column since the ACT
    };
    using EachBank = std::array<Clocks, most_banks>; // what every choice of a command looks at, side by side
    using EachGroup = std::array<Clocks, most_banks>;

    DramTiming t_;
    Clocks burst_;
    Clocks ccd_s_, ccd_l_, ccd_r_; // never below the burst: the data bus is one
    Clocks wtr_s_, wtr_l_;         // from the write command
    std::uint64_t open_ = 0;
    std::vector<Bank> banks_;
    EachBank activate_{}, precharge_{};     // first clock of the command, with what the bank group decides
    std::array<EachBank, 2> column_{};      // [write], as far as the row decides
    int groups_ = 1, stacks_ = 1;           // stack ids, and bank groups of all of them
    int group_shift_ = 0, stack_shift_ = 0; // log2 of the banks in one
    std::array<EachGroup, 2> of_group_;     // [write]: when its next column may come after all so far in it,
    std::array<EachGroup, 2> of_stack_;     // and after those elsewhere
    EachGroup group_write_;                 // the last one
    Clocks last_read_ = long_ago, last_write_ = long_ago, last_activate_ = long_ago;
    std::array<Clocks, 4> window_; // the last four ACTs
    std::size_t oldest_ = 0;       // of them
};

} // namespace systole
