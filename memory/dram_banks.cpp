#include "memory/dram_banks.h"

#include <bit>

namespace systole {

DramBanks::DramBanks(const DramConfig& config)
    : t_(config.timing), burst_(config.organization.burst), ccd_s_(std::max(t_.ccd_s, burst_)),
      ccd_l_(std::max(t_.ccd_l, burst_)), ccd_r_(std::max(t_.ccd_r, burst_)), wtr_s_(t_.cwl + burst_ + t_.wtr_s),
      wtr_l_(t_.cwl + burst_ + t_.wtr_l) {
    const auto& o = config.organization;
    stacks_ = o.stack_ids;
    groups_ = o.stack_ids * o.bank_groups;
    group_shift_ = std::countr_zero(static_cast<unsigned>(o.banks)); // powers of two, as parse_mapping() wants them
    stack_shift_ = group_shift_ + std::countr_zero(static_cast<unsigned>(o.bank_groups));
    banks_.resize(o.banks_per_pseudo_channel());
    for (auto* clocks : {&of_group_[0], &of_group_[1], &of_stack_[0], &of_stack_[1], &group_write_})
        clocks->fill(long_ago);
    window_.fill(long_ago);
}

void DramBanks::activate(int bank, std::int64_t row, Clocks at) {
    auto& b = banks_[bank];
    b.row = row;
    open_ |= std::uint64_t{1} << bank;
    b.fresh = true;
    column_[0][bank] = at + t_.rcd_read;
    column_[1][bank] = at + t_.rcd_write;
    precharge_[bank] = at + t_.ras;
    activate_own(bank, at + t_.rc);
    const int first = bank >> group_shift_ << group_shift_;
    for (int i = first; i < first + (1 << group_shift_); ++i)
        activate_[i] = std::max(activate_[i], at + t_.rrd_l);
    last_activate_ = at;
    window_[oldest_] = at;
    oldest_ = (oldest_ + 1) % window_.size();
}

void DramBanks::activate_own(int bank, Clocks from) {
    banks_[bank].next_activate = from;
    activate_[bank] = std::max(activate_[bank], from);
}

void DramBanks::precharge(int bank, Clocks at) {
    auto& b = banks_[bank];
    b.row = closed;
    open_ &= ~(std::uint64_t{1} << bank);
    activate_own(bank, std::max(b.next_activate, at + t_.rp));
}

bool DramBanks::column(int bank, bool write, Clocks at) {
    const int group = bank >> group_shift_, stack = bank >> stack_shift_;
    if (write) {
        group_write_[group] = last_write_ = at;
        precharge_[bank] = std::max(precharge_[bank], at + t_.cwl + burst_ + t_.wr);
        of_group_[0][group] = std::max(of_group_[0][group], at + wtr_l_);
    } else {
        last_read_ = at;
        precharge_[bank] = std::max(precharge_[bank], at + t_.rtp);
    }
    of_group_[write][group] = std::max(of_group_[write][group], at + ccd_l_);
    // The same direction is held up by the distance of columns, the other one by the bus's turn.
    const Clocks turn = at + (write ? wtr_s_ : t_.rtw);
    for (int i = 0; i < stacks_; ++i) {
        of_stack_[write][i] = std::max(of_stack_[write][i], at + (i == stack ? ccd_s_ : ccd_r_));
        of_stack_[!write][i] = std::max(of_stack_[!write][i], turn);
    }
    const bool first = banks_[bank].fresh;
    banks_[bank].fresh = false;
    return first;
}

void DramBanks::describe(Clocks now, std::int64_t row, std::vector<std::int64_t>& out) const {
    constexpr std::int64_t no_row = std::int64_t{1} << 62;
    const auto add = [&](Clocks clock) { out.push_back(std::max<Clocks>(clock - now, 0)); };
    for (int i = 0; i < size(); ++i) {
        const auto& bank = banks_[i];
        out.push_back(bank.row == closed ? no_row : (bank.row - row) * 2 + (bank.fresh ? 1 : 0));
        add(bank.next_activate);
        for (const auto* each : {&activate_, &precharge_, &column_[0], &column_[1]})
            add((*each)[i]);
    }
    for (int i = 0; i < groups_; ++i) {
        add(of_group_[0][i]);
        add(of_group_[1][i]);
        add(group_write_[i] + wtr_l_);
    }
    for (int i = 0; i < stacks_; ++i) {
        add(of_stack_[0][i]);
        add(of_stack_[1][i]);
    }
    add(last_read_ + t_.rtw);
    add(last_write_ + wtr_s_);
    add(last_activate_ + t_.rrd_s);
    for (std::size_t i = 0; i < window_.size(); ++i)
        add(window_[(oldest_ + i) % window_.size()] + t_.faw);
}

void DramBanks::shift(Clocks clocks, std::int64_t rows) {
    for (auto& bank : banks_) {
        bank.row = bank.row == closed ? closed : bank.row + rows;
        bank.next_activate += clocks;
    }
    for (auto* each : {&activate_, &precharge_, &column_[0], &column_[1], &of_group_[0], &of_group_[1], &of_stack_[0],
                       &of_stack_[1], &group_write_}) {
        for (auto& clock : *each)
            clock += clocks;
    }
    for (Clocks* last : {&last_read_, &last_write_, &last_activate_})
        *last += clocks;
    for (auto& activate : window_)
        activate += clocks;
}

Clocks DramBanks::refresh_bank(int bank, Clocks due) {
    auto& b = banks_[bank];
    if (b.row != closed)
        precharge(bank, std::max(due, precharge_[bank]));
    activate_own(bank, std::max(due, b.next_activate) + t_.rfc_per_bank);
    return b.next_activate;
}

// One PRE for all open banks, when the last of them allows it; REF when every bank could be activated.
Clocks DramBanks::refresh_all(Clocks due) {
    Clocks close = due;
    for (int i = 0; i < size(); ++i)
        close = banks_[i].row == closed ? close : std::max(close, precharge_[i]);
    Clocks start = due;
    for (int i = 0; i < size(); ++i) {
        if (banks_[i].row != closed)
            precharge(i, close);
        start = std::max(start, banks_[i].next_activate);
    }
    for (int i = 0; i < size(); ++i)
        activate_own(i, start + t_.rfc);
    return start + t_.rfc;
}

} // namespace systole
