// The fast mode's way through a long stream: see dram_repeats.h.
#include <algorithm>

#include "memory/dram_fast.h"

namespace systole {

namespace {

// One number for an entry of the queue, if its parts have room in it.
bool pack(const DramQueue::Entry& entry, int bank, std::int64_t first, std::int64_t next_age, std::int64_t piece,
          DramRepeats::Key& key) {
    const std::int64_t behind = first - entry.local;
    const std::int64_t age = next_age - entry.age;
    const std::int64_t pieces = piece - entry.piece;
    if (behind < 0 || behind >= 1 << 16 || age >= 1 << 18 || pieces >= 1 << 15)
        return false;
    key.push_back(behind << 47 | age << 29 | pieces << 14 | std::int64_t{entry.left} << 6 | bank);
    return true;
}

} // namespace

// The next step_ accesses are there, one behind the other and in the direction that is served, in pieces of one size.
bool FastDramPort::stream_is_ahead() const {
    if (port_.empty())
        return false;
    std::int64_t at = port_.front().first;
    const std::int64_t end = at + step_;
    const std::int64_t size = pieces_[pieces_.size() - port_.size()].count;
    for (std::size_t i = 0; at < end; ++i) {
        if (i == port_.size())
            return false;
        const auto& piece = port_[i];
        if (piece.write != s_.writing || piece.arrival > s_.now || piece.first != at || (i > 0 && piece.count != size))
            return false;
        at += piece.count;
    }
    return true;
}

// The port's head is what a step to `state` has left there: the stream goes on in its place, in pieces of its size.
bool FastDramPort::goes_on_from(int state) const {
    if (port_.empty() || port_.front().first != last_step_)
        return false;
    const auto& key = repeats_.entry(state).key; // of describe()
    return pieces_[pieces_.size() - port_.size()].count == key[1] && port_.front().count == key[2];
}

// Everything that the next steps depend on, as long as the stream goes on and no refresh comes.
bool FastDramPort::describe(DramRepeats::Key& key) const {
    const auto& head = port_.front();
    const auto& mine = queue();
    key.clear();
    key.push_back(head.first & (places_.round() - 1));
    key.push_back(pieces_[pieces_.size() - port_.size()].count);
    key.push_back(head.count);
    key.push_back((s_.writing ? 1 : 0) + (s_.last_was_write ? 2 : 0));
    for (const Clocks clock : {s_.column_free, s_.row_free, s_.space_from[0], s_.space_from[1]})
        key.push_back(std::max<Clocks>(clock - s_.now, 0));
    key.push_back(account_.free() - s_.now);
    for (const auto& window : s_.refreshed) {
        const bool matters = window.to > account_.free();
        key.push_back(matters ? window.from - s_.now : DramBanks::long_ago);
        key.push_back(matters ? window.to - s_.now : DramBanks::long_ago);
    }
    s_.banks.describe(s_.now, places_.row(head.first), key);
    bool packed = true;
    mine.for_each([&](const DramQueue::Entry& entry, int bank) {
        packed = packed && pack(entry, bank, head.first, mine.next_age(), head_piece(), key);
    });
    return packed;
}

// The number of the state that the port is in, if it is in the middle of a stream and the state is kept.
int FastDramPort::current_state(Clocks until) {
    constexpr int enough_steps = 4; // a shorter stream is not worth the look
    const std::int64_t first = port_.front().first;
    steps_in_stream_ = first == last_step_ + step_ ? steps_in_stream_ + 1 : 0;
    last_step_ = first;
    const bool steady = steps_in_stream_ >= enough_steps && direction_at_ == never && s_.queues[!s_.writing].empty() &&
                        queue().space() < next_to_enter() && account_.settled();
    // What is advanced in small bits has no use for steps.
    const bool has_time = until - s_.now > 4 * step_ * config_.organization.burst;
    if (!steady || !has_time || !stream_is_ahead() || !describe(key_)) {
        recording_.from = DramRepeats::none;
        return DramRepeats::none;
    }
    int state = repeats_.find(key_);
    if (state == DramRepeats::none) {
        state = repeats_.meet(key_, s_, first, head_piece());
        if (state == 0) // all others may have been forgotten
            recording_.from = DramRepeats::none;
    }
    end_recording(state);
    return state;
}

// The step from here on as far as it is known.
const DramRepeats::Step* FastDramPort::next_step(int from) const {
    const Clocks refresh_in = next_refresh_ - s_.now;
    for (const auto& step : repeats_.steps(from)) {
        if (step.refresh_in == DramRepeats::no_refresh
                ? refresh_in >= step.clocks
                : refresh_in == step.refresh_in && refresh_turn_ == step.refresh_turn)
            return &step;
    }
    return nullptr;
}

void FastDramPort::take_step(const DramRepeats::Step& step) {
    const std::int64_t piece = head_piece();
    for (const auto& done : step.done) {
        auto& its = pieces_[static_cast<std::size_t>(piece + done.piece - first_piece_)];
        its.left = 0;
        completions_.push_back({its.tag, s_.now + done.clock, its.count});
        drop_finished_pieces();
    }
    for (std::int64_t left = step_; left > 0;) {
        auto& head = port_.front();
        const std::int64_t taken = std::min(left, head.count);
        head.first += taken;
        head.count -= taken;
        left -= taken;
        if (head.count == 0)
            port_.pop();
    }
    waiting_ -= step_;
    counts_.reads += step.counts.reads;
    counts_.writes += step.counts.writes;
    counts_.row_hits += step.counts.row_hits;
    counts_.activates += step.counts.activates;
    counts_.precharges += step.counts.precharges;
    counts_.refreshes += step.counts.refreshes;
    counts_.last_data = s_.now + step.counts.last_data;
    account_.repeat(step.time, counts_.last_data - s_.banks.data_end(s_.writing, 0) + config_.organization.burst);
    if (step.refresh_in != DramRepeats::no_refresh) {
        const bool all = config_.refresh == RefreshMode::all_bank;
        next_refresh_ += all ? config_.timing.refi : config_.timing.refi_per_bank;
        refresh_turn_ = all ? refresh_turn_ : (refresh_turn_ + 1) % s_.banks.size();
    }
    s_.now += step.clocks;
    ++events_;
}

// Brings s_ up to date.
void FastDramPort::become(int state) {
    const auto& entry = repeats_.entry(state);
    const Clocks now = s_.now;
    s_ = entry.state;
    const std::int64_t first = last_step_;
    s_.shift(now - s_.now, places_.row(first) - places_.row(entry.first), first - entry.first,
             head_piece() - entry.piece);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const std::size_t behind_head = i + port_.size();
        pieces_[i].left = behind_head < pieces_.size() ? 0 : port_[behind_head - pieces_.size()].count;
    }
    queue().for_each([&](const DramQueue::Entry& held, int) {
        pieces_[static_cast<std::size_t>(held.piece - first_piece_)].left += held.left;
    });
    forget_choices();
    direction_at_ = never;
}

void FastDramPort::begin_recording(int from) {
    recording_ = {from, last_step_, head_piece(), s_.now, next_refresh_, refresh_turn_, counts_, account_.booked(), {}};
}

void FastDramPort::end_recording(int to) {
    const Recording& r = recording_;
    const std::int64_t refreshes = counts_.refreshes - r.counts.refreshes;
    if (r.from != DramRepeats::none && to != DramRepeats::none && r.first + step_ == last_step_ && refreshes <= 1) {
        DramRepeats::Step step;
        step.to = to;
        step.clocks = s_.now - r.clock;
        if (refreshes == 1)
            step.refresh_in = r.next_refresh - r.clock;
        step.refresh_turn = r.refresh_turn;
        step.counts = {counts_.reads - r.counts.reads,
                       counts_.writes - r.counts.writes,
                       counts_.row_hits - r.counts.row_hits,
                       counts_.activates - r.counts.activates,
                       counts_.precharges - r.counts.precharges,
                       refreshes,
                       counts_.last_data - r.clock};
        const DramTime& booked = account_.booked();
        step.time = {booked.data - r.time.data, booked.row - r.time.row, booked.turnaround - r.time.turnaround,
                     booked.refresh - r.time.refresh, booked.idle - r.time.idle};
        step.done = r.done;
        repeats_.add(r.from, std::move(step));
    }
    recording_.from = DramRepeats::none;
}

void FastDramPort::take_known_steps(Clocks until, std::int64_t stop_at_waiting) {
    step_due_ = false;
    int state = ahead_of_state_;
    if (state == DramRepeats::none)
        state = current_state(until);
    if (state == DramRepeats::none)
        return;
    bool moved = ahead_of_state_ != DramRepeats::none;
    const DramRepeats::Step* step = nullptr;
    while ((step = next_step(state)) != nullptr && s_.now + step->clocks < until &&
           waiting_ - step_ >= stop_at_waiting && goes_on_from(state) && stream_is_ahead()) {
        take_step(*step);
        last_step_ += step_;
        state = step->to;
        moved = true;
    }
    if (moved && waiting_ <= stop_at_waiting) {
        ahead_of_state_ = state;
        step_due_ = true;
        return;
    }
    if (moved)
        become(state);
    ahead_of_state_ = DramRepeats::none;
    if (step == nullptr && goes_on_from(state) && stream_is_ahead())
        begin_recording(state);
}

} // namespace systole
