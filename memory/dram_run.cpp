// A run of row hits in one step: exact, because every choice in it is the one that the scheduler would make.
#include <algorithm>
#include <bit>

#include "memory/dram_fast.h"

namespace systole {

// Whether the banks of the segment hold all its accesses from `index` on and can serve them in the block's rhythm.
bool FastDramPort::in_step(const DramQueue::Segment& segment, int number, int index) const {
    const auto& rhythm = block_.rhythm();
    for (int lane = 0; lane < block_.lanes(); ++lane) {
        const int bank = segment.bank + block_.bank_of_lane(lane);
        if ((queue().hits() >> bank & 1) == 0)
            return false;
        const auto& hit = queue().hit(bank);
        if (hit.segment != number || hit.index != block_.at_or_after(lane, index) ||
            banks_.earliest_column(bank, writing_) > column_.clock + rhythm.first[lane])
            return false;
    }
    return true;
}

// Row commands meanwhile do not matter to the run, nor it to them: what they open is younger, and a bank of the run can
// be closed only after its last access in it. But an older access that waits for its row would go first once it has it.
bool FastDramPort::oldest(std::int64_t age, bool& waits) const {
    const auto& mine = queue();
    waits = false;
    for (auto banks = mine.waiting(); banks != 0; banks &= banks - 1) {
        const int bank = std::countr_zero(banks);
        if (mine.head_age(bank) >= age)
            continue;
        if ((mine.hits() >> bank & 1) != 0 && mine.hit(bank).age < age)
            return false; // it will be ready before the run is over
        waits = true;
    }
    return true;
}

FastDramPort::Run FastDramPort::find_run(Clocks until, std::int64_t stop_at_waiting) const {
    const auto& rhythm = block_.rhythm();
    const auto& mine = queue();
    const auto& first = mine.hit(column_.bank);
    const auto& segment = mine.segment(first.segment);
    std::int64_t most = segment.end - first.index;
    bool older_waits = false;
    if (most < rhythm.period || direction_at_ != never || !oldest(first.age, older_waits))
        return {};
    Run run{first.segment, first.index, 0, false};
    Clocks end = std::min(until, next_refresh_);
    if (older_waits)
        end = std::min(end, row().clock);
    if (!port_.empty()) {
        const auto& head = port_.front();
        if (head.arrival > column_.clock) {
            end = std::min(end, head.arrival);
        } else if (head.write == writing_) { // it waits for room: each access that leaves lets one in
            if (!mine.continues_unnoticed(head.first))
                return {};
            run.admits = true;
            if (mine.is_newest(first.segment))
                most -= rhythm.period; // it grows as long as each of its banks holds some of it
            most = std::min({most, head.count, std::int64_t{block_.size()} - block_.index_of(head.first),
                             waiting_ - std::max<std::int64_t>(stop_at_waiting, -1) - 1});
        }
    }
    if (writing_ && !run.admits && !queues_[0].empty())
        most = std::min<std::int64_t>(most, mine.size() - config_.queues.write_low);
    const auto periods = std::min(most >> rhythm.shift, (end - column_.clock) / rhythm.length);
    if (periods < 1 || !in_step(segment, first.segment, first.index))
        return {};
    run.periods = static_cast<int>(periods);
    return run;
}

void FastDramPort::issue_run(const Run& run) {
    const auto& rhythm = block_.rhythm();
    auto& mine = queue();
    const Clocks start = column_.clock;
    const Clocks last_period = start + (run.periods - 1) * rhythm.length;
    const Clocks last = start + run.periods * rhythm.length - banks_.column_spacing();
    const std::int64_t count = std::int64_t{run.periods} * rhythm.period;
    const int bank = mine.segment(run.segment).bank;

    const auto& window = refreshed_[column_.bank];
    account_.column(start, window.from, window.to,
                    writing_ != last_was_write_ ? banks_.turned(column_.bank, writing_) : DramBanks::long_ago);
    account_.add_data(last, count - 1, banks_.column_spacing() - config_.organization.burst);
    last_was_write_ = writing_;
    std::int64_t misses = 0;
    for (const int lane : rhythm.by_last)
        misses += banks_.column(bank + block_.bank_of_lane(lane), writing_, last_period + rhythm.last[lane]) ? 1 : 0;
    counts_.row_hits += count - misses;
    (writing_ ? counts_.writes : counts_.reads) += count;
    counts_.last_data = std::max(counts_.last_data, banks_.data_end(writing_, last));

    mine.take_periods(run.segment, run.index, run.periods, banks_, [&](int piece, int from, int to) {
        Clocks latest = 0; // a period's accesses are all issued before those of the next one
        for (int i = std::max(from, to - rhythm.period); i < to; ++i)
            latest = std::max(latest, start + i / rhythm.period * rhythm.length + rhythm.offset[i % rhythm.period]);
        take(piece, to - from, latest);
    });
    column_free_ = space_from_[writing_] = last + 1;
    forget_choices();
    if (run.admits)
        admit_behind(count, last);
    direction_at_ = wants_change() ? last + 1 : never;
}

// The clock before which neither a new access nor a new row can have a say in the choice of columns.
Clocks FastDramPort::batch_end(Clocks until) const {
    const bool comes = !port_.empty() && port_.front().arrival > column_.clock; // there may be room by then
    return std::min({until, comes ? port_.front().arrival : never, next_admission(), next_refresh_,
                     row().clock + banks_.opening(writing_)});
}

// How many may leave the queue before somebody else takes notice. admits: an access comes in for each that leaves.
int FastDramPort::batch_limit(std::int64_t stop_at_waiting, bool& admits) const {
    admits = !port_.empty() && port_.front().write == writing_ && port_.front().arrival <= column_.clock;
    if (admits) {
        const auto& head = port_.front();
        if (!queue().continues_unnoticed(head.first))
            return 1;
        return static_cast<int>(std::min({head.count, std::int64_t{block_.size()} - block_.index_of(head.first),
                                          waiting_ - std::max<std::int64_t>(stop_at_waiting, -1) - 1}));
    }
    return writing_ && !queues_[0].empty() ? queue().size() - config_.queues.write_low : queue().size();
}

bool FastDramPort::issue_batch(Clocks until, std::int64_t stop_at_waiting) {
    Clocks end = batch_end(until);
    bool admits = false;
    const int limit = batch_limit(stop_at_waiting, admits);
    if (limit < 2 || end <= column_.clock + banks_.column_spacing() || direction_at_ != never)
        return false;
    auto& mine = queue();
    batch_.clear();
    for (auto banks = mine.hits(); banks != 0; banks &= banks - 1) {
        const int bank = std::countr_zero(banks);
        const auto& hit = mine.hit(bank);
        batch_.push_back(
            {bank, banks_.group_of(bank), banks_.column_of_row(bank, writing_), hit.age, hit.index, hit.left, 0, 0});
    }
    group_ready_.clear();
    for (int group = 0; group < banks_.groups(); ++group)
        group_ready_.push_back(banks_.column_of_group(group, writing_));
    const Clocks start = column_.clock;
    Clocks last = start;
    picks_.clear();
    for (Clocks floor = start; static_cast<int>(picks_.size()) < limit; floor = last + 1) {
        Candidate* best = nullptr;
        Clocks at = never;
        for (auto& candidate : batch_) {
            const Clocks clock = std::max({floor, candidate.ready, group_ready_[candidate.group]});
            if (clock < at || (clock == at && best && candidate.age < best->age)) {
                at = clock;
                best = &candidate;
            }
        }
        if (at >= end || (best->left == 1 && !mine.alone(best->bank)))
            break; // what lies behind it in the bank may be a hit, too
        last = best->last = at;
        ++best->taken;
        --best->left;
        picks_.push_back({best->bank, at});
        if (best->left == 0) {
            if (admits)
                break; // the access that comes in now may be of this bank
            best->ready = never;
            end = std::min(end, at + banks_.opening(writing_)); // the bank's next row cannot be open before
        }
        const int next = block_.next_in_lane(best->index);
        best->age += next - best->index;
        best->index = next;
        for (int group = 0; group < banks_.groups(); ++group)
            group_ready_[group] = std::max(group_ready_[group], at + banks_.distance(best->group, group));
    }
    if (picks_.empty())
        return false;
    finish_batch(start, last, admits);
    return true;
}

void FastDramPort::finish_batch(Clocks start, Clocks last, bool admits) {
    const auto count = static_cast<Clocks>(picks_.size());
    const auto& window = refreshed_[column_.bank];
    account_.column(start, window.from, window.to,
                    writing_ != last_was_write_ ? banks_.turned(column_.bank, writing_) : DramBanks::long_ago);
    account_.add_gaps(last, count - 1, last - start - (count - 1) * config_.organization.burst);
    last_was_write_ = writing_;
    std::sort(batch_.begin(), batch_.end(), [](const auto& a, const auto& b) { return a.last < b.last; });
    int misses = 0;
    for (const auto& bank : batch_) {
        if (bank.taken > 0)
            misses += banks_.column(bank.bank, writing_, bank.last) ? 1 : 0;
    }
    for (const auto& [bank, at] : picks_)
        take(queue().take_hit(bank, banks_), 1, at);
    counts_.row_hits += count - misses;
    (writing_ ? counts_.writes : counts_.reads) += count;
    counts_.last_data = std::max(counts_.last_data, banks_.data_end(writing_, last));
    column_free_ = space_from_[writing_] = last + 1;
    forget_choices();
    if (admits)
        admit_behind(count, last);
    direction_at_ = wants_change() ? last + 1 : never;
}

// One for each of the last `count` columns, the last of which was issued at `last`.
void FastDramPort::admit_behind(std::int64_t count, Clocks last) {
    port_from_ = last + 1;
    auto& head = port_.front();
    queue().admit(head.first, count, port_pieces_.front(), banks_);
    head.first += count;
    head.count -= count;
    waiting_ -= count;
    if (head.count == 0) {
        port_.pop_front();
        port_pieces_.pop_front();
    }
}

bool FastDramPort::jump(Clocks until, std::int64_t stop_at_waiting) {
    const auto& rhythm = block_.rhythm();
    if (rhythm.period == 0 || queue().size() < 2 * rhythm.period ||
        (queue().hit(column_.bank).index & (rhythm.period - 1)) != 0)
        return false;
    const auto run = find_run(until, stop_at_waiting);
    if (run.periods == 0)
        return false;
    issue_run(run);
    return true;
}

} // namespace systole
