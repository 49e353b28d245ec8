#include "memory/dram_burst.h"

#include <algorithm>

namespace systole {

namespace {
constexpr Clocks long_before = -(Clocks{1} << 40);
constexpr Clocks never = Clocks{1} << 60;
} // namespace

BurstDramPort::BurstDramPort(const DramConfig& config)
    : config_(config), address_(config, 1), account_(config.organization.burst) {
    const auto& o = config.organization;
    banks_.resize(o.banks_per_pseudo_channel());
    for (std::size_t i = 0; i < banks_.size(); ++i) {
        auto& bank = banks_[i];
        bank.group = static_cast<int>(i) / o.banks;
        bank.stack = bank.group / o.bank_groups;
        bank.activated = bank.precharged = bank.read = bank.write = long_before;
    }
    next_refresh_ = config.refresh == RefreshMode::none       ? never
                    : config.refresh == RefreshMode::all_bank ? config.timing.refi
                                                              : config.timing.refi_per_bank;
}

void BurstDramPort::push(const DramPiece& piece) {
    const auto& o = config_.organization;
    int in_entry = 0; // accesses of the entry so far
    for (std::int64_t i = 0; i < piece.count; ++i) {
        const auto at = address_.locate(piece.first + i);
        const int bank = (at.stack_id * o.bank_groups + at.bank_group) * o.banks + at.bank;
        const std::int64_t entry = (piece.first + i) / config_.queues.entry;
        const bool first = i == 0 || entry != (piece.first + i - 1) / config_.queues.entry;
        port_.push_back({piece.arrival + config_.queues.latency, piece.write, static_cast<int>(pieces_.size()), bank,
                         at.row, first ? 1 : 0});
        if (!first)
            ++port_[port_.size() - 1 - static_cast<std::size_t>(in_entry)].together;
        in_entry = first ? 1 : in_entry + 1;
    }
    pieces_.push_back({piece.tag, piece.count, piece.count});
    before_done_ = false; // it may still be admitted in this clock
}

void BurstDramPort::advance(Clocks until) {
    while (now_ < until) {
        skip_idle(until);
        if (now_ >= until)
            return;
        if (!before_done_)
            before_commands();
        commands();
        before_done_ = false;
        ++now_;
    }
}

Clocks BurstDramPort::advance_until_waiting(std::int64_t bursts) {
    while (waiting() > bursts) {
        if (!before_done_)
            before_commands();
        if (waiting() <= bursts) {
            return now_; // what comes in now can still be admitted in this clock
        }
        commands();
        before_done_ = false;
        ++now_;
    }
    return now_;
}

void BurstDramPort::finish() {
    while (!idle())
        advance(now_ + 1);
}

// With nothing waiting only a refresh can happen before the next arrival.
void BurstDramPort::skip_idle(Clocks until) {
    if (!reads_.empty() || !writes_.empty())
        return;
    for (const auto& bank : banks_) {
        if (bank.refresh_due)
            return;
    }
    const Clocks arrival = port_.empty() ? never : port_.front().arrival;
    const Clocks next = std::min({until, arrival, next_refresh_});
    if (next > now_) {
        now_ = next;
        before_done_ = false;
    }
}

void BurstDramPort::before_commands() {
    admit();
    refresh();
    choose_direction();
    before_done_ = true;
}

void BurstDramPort::admit() {
    if (reads_.empty() && writes_.empty() && !port_.empty() && port_.front().arrival <= now_)
        account_.busy_from(now_);
    while (!port_.empty() && port_.front().arrival <= now_) {
        auto& queue = port_.front().write ? writes_ : reads_;
        const int capacity = port_.front().write ? config_.queues.write : config_.queues.read;
        const int together = port_.front().together;
        if (static_cast<int>(queue.size()) + together > capacity)
            return;
        for (int i = 0; i < together; ++i) {
            queue.push_back(port_.front());
            port_.pop_front();
        }
    }
}

// Closes the bank when it may be; refreshes when it could be activated.
void BurstDramPort::refresh() {
    const bool all = config_.refresh == RefreshMode::all_bank;
    if (now_ == next_refresh_) {
        for (std::size_t i = 0; i < banks_.size(); ++i) {
            if (!all && static_cast<int>(i) != turn_)
                continue;
            banks_[i].refresh_due = true;
            banks_[i].due = now_;
        }
        turn_ = (turn_ + 1) % static_cast<int>(banks_.size());
        next_refresh_ += all ? config_.timing.refi : config_.timing.refi_per_bank;
        ++counts_.refreshes;
    }
    if (!all) {
        for (auto& bank : banks_) {
            if (bank.refresh_due)
                refresh_step(bank, true);
        }
        return;
    }
    if (!banks_.front().refresh_due)
        return;
    bool closable = true;
    bool ready = true;
    for (const auto& bank : banks_) {
        closable = closable && (!bank.open || precharge_ready(bank));
        ready = ready && !bank.open &&
                now_ >= std::max(bank.activated + config_.timing.rc,
                                 std::max(bank.precharged + config_.timing.rp, bank.refreshed));
    }
    for (auto& bank : banks_) {
        if (bank.open ? closable : ready)
            refresh_step(bank, closable);
    }
}

bool BurstDramPort::refresh_step(Bank& bank, bool may_close) {
    const auto& t = config_.timing;
    if (bank.open) {
        if (!may_close || !precharge_ready(bank))
            return false;
        bank.open = false;
        bank.precharged = now_;
        return true;
    }
    if (now_ < std::max({bank.activated + t.rc, bank.precharged + t.rp, bank.refreshed}))
        return false;
    bank.refresh_due = false;
    bank.refreshed = now_ + (config_.refresh == RefreshMode::all_bank ? t.rfc : t.rfc_per_bank);
    bank.refresh_end = bank.refreshed;
    return true;
}

void BurstDramPort::choose_direction() {
    const auto writes = static_cast<int>(writes_.size());
    if (!writing_) {
        writing_ = writes > config_.queues.write_high || (reads_.empty() && writes > 0);
    } else if (writes == 0 ? !reads_.empty() : writes < config_.queues.write_low && !reads_.empty()) {
        writing_ = false;
    }
}

bool BurstDramPort::is_hit(const Access& access) const {
    const auto& bank = banks_[access.bank];
    return bank.open && !bank.refresh_due && bank.row == access.row;
}

std::vector<bool> BurstDramPort::seen_by_scheduler(const std::vector<Access>& queue) const {
    std::vector<int> of_bank(banks_.size(), 0);
    std::vector<bool> seen;
    for (const auto& access : queue)
        seen.push_back(of_bank[access.bank]++ < config_.queues.bank_window);
    return seen;
}

void BurstDramPort::commands() {
    column_command();
    const auto& mine = writing_ ? writes_ : reads_;
    if (!row_command(mine, false) && config_.queues.prepare_both)
        row_command(writing_ ? reads_ : writes_, true);
}

void BurstDramPort::column_command() {
    auto& queue = writing_ ? writes_ : reads_;
    const auto seen = seen_by_scheduler(queue);
    std::size_t pick = 0;
    while (pick < queue.size() && !(seen[pick] && is_hit(queue[pick]) && column_ready(queue[pick])))
        ++pick;
    if (pick == queue.size())
        return;
    const auto access = queue[pick];
    auto& bank = banks_[access.bank];
    const auto& t = config_.timing;
    const Clocks burst = config_.organization.burst;
    Clocks turned = long_before;
    if (writing_ != last_was_write_) {
        for (const auto& other : banks_) {
            const Clocks wtr = other.group == bank.group ? t.wtr_l : t.wtr_s;
            turned = std::max(turned, writing_ ? other.read + t.rtw : other.write + t.cwl + burst + wtr);
        }
    }
    account_.column(now_, bank.due, bank.refresh_end, turned);
    last_was_write_ = writing_;
    (writing_ ? bank.write : bank.read) = now_;
    counts_.row_hits += bank.used ? 1 : 0;
    bank.used = true;
    ++(writing_ ? counts_.writes : counts_.reads);
    const Clocks latency = (writing_ ? t.cwl : t.cl) + burst;
    counts_.last_data = std::max(counts_.last_data, now_ + latency);
    auto& piece = pieces_[access.piece];
    if (--piece.left == 0)
        completions_.push_back({piece.tag, now_ + latency, piece.count});
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(pick));
}

// One for the oldest access that needs one and can have it; a bank with a hit in sight is left open.
bool BurstDramPort::row_command(const std::vector<Access>& queue, bool for_other) {
    const auto seen = seen_by_scheduler(queue);
    std::vector<bool> busy(banks_.size(), false);
    for (std::size_t i = 0; i < queue.size(); ++i)
        busy[queue[i].bank] = busy[queue[i].bank] || (seen[i] && is_hit(queue[i]));
    if (for_other) {
        for (const auto& access : writing_ ? writes_ : reads_)
            busy[access.bank] = true;
    }
    std::vector<bool> looked_at(banks_.size(), false);
    for (const auto& access : queue) {
        auto& bank = banks_[access.bank];
        if (looked_at[access.bank] || busy[access.bank] || bank.refresh_due)
            continue;
        looked_at[access.bank] = true;
        if (!bank.open && activate_ready(bank)) {
            bank.open = true;
            bank.used = false;
            bank.row = access.row;
            bank.activated = now_;
            activations_.push_back(now_);
            if (activations_.size() > 4)
                activations_.erase(activations_.begin());
            ++counts_.activates;
            return true;
        }
        if (bank.open && precharge_ready(bank)) {
            bank.open = false;
            bank.precharged = now_;
            ++counts_.precharges;
            return true;
        }
    }
    return false;
}

bool BurstDramPort::column_ready(const Access& access) const {
    const auto& t = config_.timing;
    const Clocks burst = config_.organization.burst;
    const auto& mine = banks_[access.bank];
    if (now_ < mine.activated + (access.write ? t.rcd_write : t.rcd_read))
        return false;
    for (const auto& other : banks_) {
        const bool group = other.group == mine.group;
        const Clocks ccd = std::max(burst, other.stack != mine.stack ? t.ccd_r : group ? t.ccd_l : t.ccd_s);
        if (access.write ? now_ < other.write + ccd || now_ < other.read + t.rtw
                         : now_ < other.read + ccd || now_ < other.write + t.cwl + burst + (group ? t.wtr_l : t.wtr_s))
            return false;
    }
    return true;
}

bool BurstDramPort::activate_ready(const Bank& mine) const {
    const auto& t = config_.timing;
    if (now_ < std::max({mine.activated + t.rc, mine.precharged + t.rp, mine.refreshed}))
        return false;
    if (activations_.size() == 4 && now_ < activations_.front() + t.faw)
        return false;
    for (const auto& other : banks_) {
        if (now_ < other.activated + (other.group == mine.group ? t.rrd_l : t.rrd_s))
            return false;
    }
    return true;
}

bool BurstDramPort::precharge_ready(const Bank& bank) const {
    const auto& t = config_.timing;
    return now_ >= bank.activated + t.ras && now_ >= bank.read + t.rtp &&
           now_ >= bank.write + t.cwl + config_.organization.burst + t.wr;
}

} // namespace systole
