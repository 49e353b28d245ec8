#include "memory/dram_fast.h"

#include <algorithm>
#include <bit>

namespace systole {

namespace {

// Long enough that a step costs little for each access; short enough that the pieces that wait at a time hold some:
// those of a request that is spread over many pseudo-channels are as short as an entry.
std::int64_t step_of(const DramConfig& config, std::int64_t round) {
    const std::int64_t longest = config.queues.entry > 1 ? 16 : 64;
    const std::int64_t step = std::min(longest, round);
    return step < std::max(8, config.queues.entry) ? 0 : step;
}

} // namespace

FastDramPort::FastDramPort(const DramConfig& config)
    : config_(config), places_(config.organization, DramAddress(config, 1).local_digits()), s_(config),
      account_(config.organization.burst), step_(step_of(config, places_.round())) {
    next_refresh_ = config.refresh == RefreshMode::none       ? never
                    : config.refresh == RefreshMode::all_bank ? config.timing.refi
                                                              : config.timing.refi_per_bank;
}

void FastDramPort::push(const DramPiece& piece) {
    pieces_.push({piece.tag, piece.count, piece.count});
    port_.push({piece.arrival + config_.queues.latency, piece.first, piece.count, piece.write});
    waiting_ += piece.count;
}

Clocks FastDramPort::advance_until_waiting(std::int64_t bursts) {
    if (waiting_ > bursts)
        run(never, bursts);
    return s_.now;
}

// What of the port's head enters the queue next, all at once: what is left of it in one entry of the queue.
int FastDramPort::next_to_enter() const {
    const auto& head = port_.front();
    const std::int64_t entry = config_.queues.entry;
    return static_cast<int>(std::min(head.count, entry - (head.first & (entry - 1))));
}

// The head of the port goes on as soon as it has arrived and its direction's queue has room.
Clocks FastDramPort::next_admission() const {
    if (port_.empty())
        return never;
    const auto& head = port_.front();
    if (s_.queues[head.write].space() < next_to_enter())
        return never;
    return std::max({s_.now, head.arrival, s_.space_from[head.write]});
}

void FastDramPort::admit(Clocks now) {
    if (s_.queues[0].empty() && s_.queues[1].empty())
        account_.busy_from(now);
    while (!port_.empty() && port_.front().arrival <= now) {
        auto& head = port_.front();
        auto& into = s_.queues[head.write];
        const int count = next_to_enter();
        if (into.space() < count)
            break;
        const auto piece = head_piece();
        const int bank = places_.bank(head.first);
        if (into.admit(bank, {head.first, places_.row(head.first), 0, piece, count, DramQueue::none}, s_.banks))
            bank_changed(bank);
        head.first += count;
        head.count -= count;
        waiting_ -= count;
        if (head.count == 0)
            port_.pop();
    }
    direction_at_ = wants_change() ? now : never;
    step_due_ = step_ > 0 && !port_.empty() && (port_.front().first & (step_ - 1)) == 0;
}

void FastDramPort::refresh() {
    const Clocks due = next_refresh_;
    const auto done = [&](int bank, Clocks end) {
        s_.refreshed[bank] = {due, end};
        s_.queues[0].row_changed(bank, s_.banks);
        s_.queues[1].row_changed(bank, s_.banks);
    };
    if (config_.refresh == RefreshMode::all_bank) {
        const Clocks end = s_.banks.refresh_all(due);
        for (int bank = 0; bank < s_.banks.size(); ++bank)
            done(bank, end);
        next_refresh_ += config_.timing.refi;
    } else {
        done(refresh_turn_, s_.banks.refresh_bank(refresh_turn_, due));
        refresh_turn_ = (refresh_turn_ + 1) % s_.banks.size();
        next_refresh_ += config_.timing.refi_per_bank;
    }
    ++counts_.refreshes;
    forget_choices();
}

// Writes wait until many have come together or nothing is left to read.
bool FastDramPort::wants_change() const {
    const auto& reads = s_.queues[0];
    const auto& writes = s_.queues[1];
    if (!s_.writing)
        return writes.size() > config_.queues.write_high || (reads.empty() && !writes.empty());
    return writes.empty() ? !reads.empty() : writes.size() < config_.queues.write_low && !reads.empty();
}

void FastDramPort::choose_direction() {
    direction_at_ = never;
    if (!wants_change())
        return;
    s_.writing = !s_.writing;
    forget_choices();
}

namespace {

// The least of (clock, order), found without a branch that depends on them: both in one word, with the bank.
class Least {
  public:
    // floor: no clock is below. newest: no access is younger. Timing rules reach less than 2^24 clocks ahead, and no
    // access waits while 2^32 younger ones go first.
    Least(Clocks floor, std::int64_t newest) : floor_(floor), age_floor_(newest - (std::int64_t{1} << 32)) {}

    void add(Clocks clock, std::int64_t age, int bank) {
        const auto word = static_cast<std::uint64_t>(std::max<Clocks>(clock - floor_, 0)) << 40 |
                          static_cast<std::uint64_t>(age - age_floor_) << 6 | static_cast<std::uint64_t>(bank);
        best_ = word < best_ ? word : best_;
    }
    bool found() const { return best_ != ~std::uint64_t{0}; }
    Clocks clock() const { return floor_ + static_cast<Clocks>(best_ >> 40); }
    int bank() const { return static_cast<int>(best_ & 63); }

  private:
    Clocks floor_;
    std::int64_t age_floor_;
    std::uint64_t best_ = ~std::uint64_t{0};
};

} // namespace

// Of the commands that can be issued first, the one for the oldest access.
FastDramPort::Choice FastDramPort::column_choice(int bank) const {
    return {std::max({s_.now, s_.column_free, s_.banks.earliest_column(bank, s_.writing)}),
            static_cast<std::uint64_t>(queue().hit_age(bank)), bank};
}

FastDramPort::Choice FastDramPort::next_column() const {
    const auto& mine = queue();
    Least best(std::max({s_.now, s_.column_free, s_.banks.column_floor(s_.writing)}), mine.next_age());
    for (auto banks = mine.hits(); banks != 0; banks &= banks - 1) {
        const int bank = std::countr_zero(banks);
        best.add(s_.banks.column_of_bank(bank, s_.writing), mine.hit_age(bank), bank);
    }
    if (!best.found())
        return {};
    return {best.clock(), static_cast<std::uint64_t>(mine.hit_age(best.bank())), best.bank()};
}

// Rows for the direction that is served; a bank that it does not need, for the other one if so configured.
template <typename Clock>
FastDramPort::Choice FastDramPort::best_row(std::uint64_t banks, Clocks floor, Clock clock) const {
    const auto& mine = queue();
    const auto& other = s_.queues[!s_.writing];
    const auto best_of = [&](const DramQueue& from, std::uint64_t wanted, std::uint64_t flag) {
        Least best(floor, from.next_age());
        for (; wanted != 0; wanted &= wanted - 1) {
            const int bank = std::countr_zero(wanted);
            best.add(clock(bank), from.head_age(bank), bank);
        }
        if (!best.found())
            return Choice{};
        return Choice{best.clock(), static_cast<std::uint64_t>(from.head_age(best.bank())) | flag, best.bank()};
    };
    const Choice own = best_of(mine, banks & mine.waiting() & ~mine.hits(), 0);
    if (!config_.queues.prepare_both || other.empty())
        return own;
    const Choice others = best_of(other, banks & other.waiting() & ~other.hits() & ~mine.waiting(), other_direction);
    return others.before(own) ? others : own;
}

FastDramPort::Choice FastDramPort::next_precharge(std::uint64_t banks) const {
    return best_row(banks & s_.banks.open(), std::max(s_.now, s_.row_free),
                    [&](int bank) { return s_.banks.earliest_precharge(bank); });
}

FastDramPort::Choice FastDramPort::next_activate(std::uint64_t banks) const {
    return best_row(banks & ~s_.banks.open(), std::max({s_.now, s_.row_free, s_.banks.activate_floor()}),
                    [&](int bank) { return s_.banks.activate_of_bank(bank); });
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
    const bool open = (s_.banks.open() & bit) != 0;
    update(precharge_known_, precharge_, [&] { return open ? next_precharge(bit) : Choice{}; });
    update(activate_known_, activate_, [&] { return open ? Choice{} : next_activate(bit); });
}

void FastDramPort::take(std::int64_t number, int count, Clocks last) {
    auto& piece = pieces_[static_cast<std::size_t>(number - first_piece_)];
    piece.left -= count;
    if (piece.left > 0)
        return;
    completions_.push_back({piece.tag, s_.banks.data_end(s_.writing, last), piece.count});
    if (recording_.from != DramRepeats::none)
        recording_.done.push_back({number - recording_.piece, completions_.back().clock - recording_.clock});
    drop_finished_pieces();
}

void FastDramPort::drop_finished_pieces() {
    for (; !pieces_.empty() && pieces_.front().left == 0; ++first_piece_)
        pieces_.pop();
}

// How many accesses of the chosen entry go one behind the other, because nothing can come between: the bus has no
// shorter distance for another bank, no older access is ready before, and nothing enters the queue, turns the bus or
// refreshes. Row commands meanwhile open rows for others that are ready later.
int FastDramPort::in_a_row(Clocks until) const {
    const auto& mine = queue();
    int count = mine.hit(column_.bank).left;
    if (count == 1 || !s_.banks.same_column_spacing() || direction_at_ != never)
        return 1;
    Clocks end = std::min({until, next_refresh_, row().clock + s_.banks.opening(s_.writing)});
    for (auto banks = mine.hits(); banks != 0; banks &= banks - 1) {
        const int bank = std::countr_zero(banks);
        if (mine.hit_age(bank) < static_cast<std::int64_t>(column_.order))
            end = std::min(end, s_.banks.column_of_row(bank, s_.writing));
    }
    if (!port_.empty()) {
        const auto& head = port_.front();
        if (head.arrival > column_.clock)
            end = std::min(end, head.arrival);
        else if (head.write == s_.writing) // it comes in as soon as there is room
            count = std::min(count, next_to_enter() - mine.space());
    }
    if (s_.writing && !s_.queues[0].empty())
        count = std::min(count, mine.size() - config_.queues.write_low + 1);
    const Clocks spacing = s_.banks.column_spacing();
    return static_cast<int>(std::clamp<Clocks>((end - 1 - column_.clock) / spacing + 1, 1, std::max(count, 1)));
}

void FastDramPort::issue_column(const Choice& choice, int count) {
    const bool writing = s_.writing;
    if (writing != s_.last_was_write || account_.has_gap(choice.clock)) {
        const auto& window = s_.refreshed[choice.bank];
        const bool turns = writing != s_.last_was_write;
        account_.column(choice.clock, window.from, window.to,
                        turns ? s_.banks.turned(choice.bank, writing) : DramBanks::long_ago);
        s_.last_was_write = writing;
    } else {
        account_.add_data(choice.clock, 1, 0);
    }
    const Clocks spacing = s_.banks.column_spacing();
    const Clocks at = choice.clock + (count - 1) * spacing;
    if (count > 1)
        account_.add_data(at, count - 1, spacing - config_.organization.burst);
    const bool first = s_.banks.column(choice.bank, writing, at);
    counts_.row_hits += first ? count - 1 : count;
    (writing ? counts_.writes : counts_.reads) += count;
    counts_.last_data = std::max(counts_.last_data, s_.banks.data_end(writing, at));
    auto& mine = queue();
    take(mine.take_hit(choice.bank, count, s_.banks), count, at);
    s_.column_free = at + 1;
    s_.space_from[writing] = at + 1;
    column_known_ = false;
    direction_at_ = wants_change() ? at + 1 : never;
    if ((mine.hits() >> choice.bank & 1) == 0)
        bank_changed(choice.bank); // it may be closed now, or prepared for the other direction
}

void FastDramPort::issue_row(const Choice& choice) {
    const auto& from = choice.for_other() ? s_.queues[!s_.writing] : queue();
    if (s_.banks.open_row(choice.bank) != DramBanks::closed) {
        s_.banks.precharge(choice.bank, choice.clock);
        ++counts_.precharges;
        precharge_known_ = false;
    } else {
        s_.banks.activate(choice.bank, from.head(choice.bank).row, choice.clock);
        ++counts_.activates;
        activate_known_ = false;
    }
    for (auto& queue : s_.queues) {
        if ((queue.waiting() >> choice.bank & 1) != 0)
            queue.row_changed(choice.bank, s_.banks);
    }
    s_.row_free = choice.clock + 1; // the row commands' bus takes one a clock
    precharge_known_ = precharge_known_ && precharge_.clock >= s_.row_free;
    activate_known_ = activate_known_ && activate_.clock >= s_.row_free;
    bank_changed(choice.bank);
}

// Refreshes of closed banks alone: only the last of each bank leaves a trace, so whole turns of all banks are left out.
void FastDramPort::skip_idle_refreshes(Clocks until) {
    if (!s_.queues[0].empty() || !s_.queues[1].empty() || next_refresh_ == never)
        return;
    const bool all = config_.refresh == RefreshMode::all_bank;
    const std::int64_t steps = all ? 1 : s_.banks.size();
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
        if (step_due_) {
            take_known_steps(until, stop_at_waiting);
            if (waiting_ <= stop_at_waiting)
                return;
        }
        const Clocks admission = next_admission();
        if (!column_known_ || !precharge_known_ || !activate_known_)
            choose();
        const Clocks work = std::min({admission, direction_at_, column_.clock, row().clock});
        if (work == never && until == never)
            return; // nothing is left to do: refreshes alone would go on for ever
        if (work > next_refresh_)
            skip_idle_refreshes(std::min(work, until));
        const Clocks next = std::min(work, next_refresh_);
        if (next >= until)
            return;
        s_.now = next;
        ++events_;
        if (admission == next) {
            admit(next);
            if (waiting_ <= stop_at_waiting)
                return;
        } else if (next_refresh_ == next) {
            refresh();
        } else if (direction_at_ == next) {
            choose_direction();
        } else if (column_.clock == next) {
            issue_column(column_, in_a_row(until));
        } else {
            issue_row(Choice{row()});
        }
    }
}

} // namespace systole
