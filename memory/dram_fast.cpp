#include "memory/dram_fast.h"

#include <algorithm>
#include <bit>

namespace systole {

FastDramPort::FastDramPort(const DramConfig& config)
    : config_(config), address_(config, 1), block_(config, address_.local_digits()),
      banks_(config), queues_{DramQueue(block_, banks_.size(), config.queues.read, config.queues.bank_window),
                              DramQueue(block_, banks_.size(), config.queues.write, config.queues.bank_window)},
      refreshed_(banks_.size()), account_(config.organization.burst) {
    next_refresh_ = config.refresh == RefreshMode::none       ? never
                    : config.refresh == RefreshMode::all_bank ? config.timing.refi
                                                              : config.timing.refi_per_bank;
}

void FastDramPort::push(const DramPiece& piece) {
    int id = 0;
    if (free_pieces_.empty()) {
        id = static_cast<int>(pieces_.size());
        pieces_.emplace_back();
    } else {
        id = free_pieces_.back();
        free_pieces_.pop_back();
    }
    pieces_[id] = {piece.tag, piece.count, piece.count, 0, piece.write};
    port_.push_back(piece);
    port_.back().arrival += config_.queues.latency;
    port_pieces_.push_back(id);
    waiting_ += piece.count;
}

Clocks FastDramPort::advance_until_waiting(std::int64_t bursts) {
    if (waiting_ > bursts)
        run(never, bursts);
    return now_;
}

// The head of the port goes on as soon as it has arrived and its direction's queue has room.
Clocks FastDramPort::next_admission() const {
    if (port_.empty() || queues_[port_.front().write].space() == 0)
        return never;
    const auto& head = port_.front();
    return std::max({now_, head.arrival, port_from_, space_from_[head.write]});
}

void FastDramPort::admit(Clocks now) {
    if (queues_[0].empty() && queues_[1].empty())
        account_.busy_from(now);
    std::uint64_t changed = 0;
    while (!port_.empty() && port_.front().arrival <= now) {
        auto& head = port_.front();
        auto& into = queues_[head.write];
        if (into.space() == 0)
            break;
        const int taken = into.admit(head.first, head.count, port_pieces_.front(), banks_);
        changed |= into.touched();
        head.first += taken;
        head.count -= taken;
        waiting_ -= taken;
        if (head.count == 0) {
            port_.pop_front();
            port_pieces_.pop_front();
        }
    }
    direction_at_ = wants_change() ? now : never;
    for (; changed != 0; changed &= changed - 1)
        bank_changed(std::countr_zero(changed));
}

void FastDramPort::refresh() {
    const Clocks due = next_refresh_;
    if (config_.refresh == RefreshMode::all_bank) {
        const Clocks end = banks_.refresh_all(due);
        for (int i = 0; i < banks_.size(); ++i) {
            refreshed_[i] = {due, end};
            queues_[0].row_changed(i, banks_);
            queues_[1].row_changed(i, banks_);
        }
        next_refresh_ += config_.timing.refi;
    } else {
        refreshed_[refresh_turn_] = {due, banks_.refresh_bank(refresh_turn_, due)};
        queues_[0].row_changed(refresh_turn_, banks_);
        queues_[1].row_changed(refresh_turn_, banks_);
        refresh_turn_ = (refresh_turn_ + 1) % banks_.size();
        next_refresh_ += config_.timing.refi_per_bank;
    }
    ++counts_.refreshes;
    forget_choices();
}

// Writes wait until many have come together or nothing is left to read.
bool FastDramPort::wants_change() const {
    const auto& reads = queues_[0];
    const auto& writes = queues_[1];
    if (!writing_)
        return writes.size() > config_.queues.write_high || (reads.empty() && !writes.empty());
    return writes.empty() ? !reads.empty() : writes.size() < config_.queues.write_low && !reads.empty();
}

void FastDramPort::choose_direction() {
    direction_at_ = never;
    if (!wants_change())
        return;
    writing_ = !writing_;
    forget_choices();
}

namespace {

// The least of (clock, order, bank), found without a branch that depends on them. `floor`: no clock is below.
class Least {
  public:
    explicit Least(Clocks floor) : floor_(floor) {}

    void add(Clocks clock, std::uint64_t order, int bank) {
        const auto wide = Wide(static_cast<std::uint64_t>(clock - floor_)) << 64 | order << bank_bits |
                          static_cast<std::uint64_t>(bank);
        best_ = wide < best_ ? wide : best_;
    }
    bool found() const { return best_ != ~Wide{0}; }
    Clocks clock() const { return floor_ + static_cast<Clocks>(best_ >> 64); }
    std::uint64_t order() const { return static_cast<std::uint64_t>(best_) >> bank_bits; }
    int bank() const { return static_cast<int>(static_cast<std::uint64_t>(best_) & ((1 << bank_bits) - 1)); }

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr int bank_bits = 6;

    Clocks floor_;
    Wide best_ = ~Wide{0};
};

} // namespace

// Of the commands that can be issued first, the one for the oldest access.
FastDramPort::Choice FastDramPort::column_choice(int bank) const {
    return {std::max({now_, column_free_, banks_.earliest_column(bank, writing_)}),
            static_cast<std::uint64_t>(queue().hit(bank).age), bank};
}

FastDramPort::Choice FastDramPort::next_column() const {
    const auto& mine = queue();
    const Clocks floor = std::max(now_, column_free_);
    Least best(floor);
    for (auto banks = mine.hits(); banks != 0; banks &= banks - 1) {
        const int bank = std::countr_zero(banks);
        best.add(std::max(floor, banks_.earliest_column(bank, writing_)),
                 static_cast<std::uint64_t>(mine.hit(bank).age), bank);
    }
    return best.found() ? Choice{best.clock(), best.order(), best.bank()} : Choice{};
}

// Rows for the direction that is served; a bank that it does not need, for the other one if so configured.
template <typename Clock>
FastDramPort::Choice FastDramPort::best_row(std::uint64_t banks, Clocks floor, Clock clock) const {
    Least best(floor);
    const auto& mine = queue();
    for (auto wanted = banks & mine.waiting() & ~mine.hits(); wanted != 0; wanted &= wanted - 1) {
        const int bank = std::countr_zero(wanted);
        best.add(std::max(floor, clock(bank)), static_cast<std::uint64_t>(mine.head_age(bank)), bank);
    }
    if (config_.queues.prepare_both) {
        const auto& other = queues_[!writing_];
        for (auto wanted = banks & other.waiting() & ~other.hits() & ~mine.waiting(); wanted != 0;
             wanted &= wanted - 1) {
            const int bank = std::countr_zero(wanted);
            best.add(std::max(floor, clock(bank)), other_direction | static_cast<std::uint64_t>(other.head_age(bank)),
                     bank);
        }
    }
    return best.found() ? Choice{best.clock(), best.order(), best.bank()} : Choice{};
}

FastDramPort::Choice FastDramPort::next_precharge(std::uint64_t banks) const {
    return best_row(banks & banks_.open(), std::max(now_, row_free_),
                    [&](int bank) { return banks_.earliest_precharge(bank); });
}

FastDramPort::Choice FastDramPort::next_activate(std::uint64_t banks) const {
    return best_row(banks & ~banks_.open(), std::max({now_, row_free_, banks_.activate_floor()}),
                    [&](int bank) { return banks_.activate_of_bank(bank); });
}

void FastDramPort::choose() {
    if (!column_known_)
        column_ = next_column();
    if (!precharge_known_)
        precharge_ = next_precharge(~std::uint64_t{0});
    if (!activate_known_)
        activate_ = next_activate(~std::uint64_t{0});
    column_known_ = precharge_known_ = activate_known_ = true;
}

// What waits in the bank, or its row, has changed, and nothing else: only its own commands can take over.
void FastDramPort::bank_changed(int bank) {
    const auto bit = std::uint64_t{1} << bank;
    const auto update = [bank](bool& known, Choice& choice, auto own) {
        if (!known)
            return;
        known = choice.bank != bank;
        const Choice its = known ? own() : Choice{};
        if (its.before(choice))
            choice = its;
    };
    update(column_known_, column_, [&] { return (queue().hits() & bit) != 0 ? column_choice(bank) : Choice{}; });
    update(precharge_known_, precharge_, [&] { return next_precharge(bit); });
    update(activate_known_, activate_, [&] { return next_activate(bit); });
}

void FastDramPort::take(int id, std::int64_t count, Clocks last) {
    auto& piece = pieces_[id];
    piece.left -= count;
    piece.last = std::max(piece.last, last);
    if (piece.left > 0)
        return;
    completions_.push_back({piece.tag, banks_.data_end(piece.write, piece.last), piece.count});
    free_pieces_.push_back(id);
}

void FastDramPort::issue_column(const Choice& choice) {
    const Clocks at = choice.clock;
    const auto& window = refreshed_[choice.bank];
    const bool turns = writing_ != last_was_write_;
    account_.column(at, window.from, window.to, turns ? banks_.turned(choice.bank, writing_) : DramBanks::long_ago);
    last_was_write_ = writing_;
    const bool first = banks_.column(choice.bank, writing_, at);
    counts_.row_hits += first ? 0 : 1;
    ++(writing_ ? counts_.writes : counts_.reads);
    counts_.last_data = std::max(counts_.last_data, banks_.data_end(writing_, at));
    take(queue().take_hit(choice.bank, banks_), 1, at);
    column_free_ = at + 1;
    space_from_[writing_] = at + 1;
    column_known_ = false;
    direction_at_ = wants_change() ? at + 1 : never;
    if ((queue().hits() >> choice.bank & 1) == 0)
        bank_changed(choice.bank); // it may be closed now, or prepared for the other direction
}

void FastDramPort::issue_row(const Choice& choice) {
    const auto& from = choice.for_other() ? queues_[!writing_] : queue();
    if (banks_.open_row(choice.bank) != DramBanks::closed) {
        banks_.precharge(choice.bank, choice.clock);
        ++counts_.precharges;
        precharge_known_ = false;
    } else {
        banks_.activate(choice.bank, from.segment(from.head(choice.bank).segment).row, choice.clock);
        ++counts_.activates;
        activate_known_ = false;
    }
    queues_[0].row_changed(choice.bank, banks_);
    queues_[1].row_changed(choice.bank, banks_);
    row_free_ = choice.clock + 1; // the row commands' bus takes one a clock
    precharge_known_ = precharge_known_ && precharge_.clock >= row_free_;
    activate_known_ = activate_known_ && activate_.clock >= row_free_;
    bank_changed(choice.bank);
}

// Refreshes of closed banks alone: only the last of each bank leaves a trace, so whole turns of all banks are left out.
void FastDramPort::skip_idle_refreshes(Clocks until) {
    if (!queues_[0].empty() || !queues_[1].empty() || next_refresh_ == never)
        return;
    const bool all = config_.refresh == RefreshMode::all_bank;
    const std::int64_t steps = all ? 1 : banks_.size();
    const Clocks turn = steps * (all ? config_.timing.refi : config_.timing.refi_per_bank);
    const std::int64_t turns = (until - next_refresh_) / turn - 2; // these two leave every bank as all would
    if (turns <= 0)
        return;
    next_refresh_ += turns * turn;
    counts_.refreshes += turns * steps;
}

// In the order of the phases of a clock: admission, refresh, direction, column command, row command.
void FastDramPort::run(Clocks until, std::int64_t stop_at_waiting) {
    while (true) {
        const Clocks admission = next_admission();
        choose();
        const Clocks work = std::min({admission, direction_at_, column_.clock, row().clock});
        if (work == never && until == never)
            return; // nothing is left to do: refreshes alone would go on for ever
        if (work > next_refresh_)
            skip_idle_refreshes(std::min(work, until));
        const Clocks next = std::min(work, next_refresh_);
        if (next >= until)
            return;
        now_ = next;
        if (admission == next) {
            admit(next);
            if (waiting_ <= stop_at_waiting)
                return;
        } else if (next_refresh_ == next) {
            refresh();
        } else if (direction_at_ == next) {
            choose_direction();
        } else if (column_.clock == next) {
            if (!jump(until, stop_at_waiting) && !issue_batch(until, stop_at_waiting))
                issue_column(column_);
        } else {
            issue_row(Choice{row()});
        }
    }
}

} // namespace systole
