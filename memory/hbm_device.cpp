#include "memory/hbm_device.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

// Accesses that lie one behind the other before the address goes on to another pseudo-channel: a power of two, as all
// digits within a pseudo-channel are.
std::int64_t granule(const DramConfig& config, int stacks) {
    std::int64_t accesses = 1;
    for (const auto& digit : parse_mapping(config, stacks)) {
        if (digit.field == AddressField::channel || digit.field == AddressField::pseudo_channel)
            return accesses;
        accesses = digit.field == AddressField::row ? unlimited : accesses * digit.radix;
    }
    return accesses;
}

} // namespace

HbmDevice::HbmDevice(const HbmConfig& config, const TimeBase& time)
    : time_(time), latency_(time.from_picoseconds(config.latency)), bandwidth_(config.bandwidth) {
    if (!config.dram) {
        ideal_.emplace(time, config.bandwidth, config.latency);
        return;
    }
    const auto& dram = *config.dram;
    address_.emplace(dram, config.stacks);
    granule_ = granule(dram, config.stacks);
    burst_ = dram.organization.burst;
    few_ = granule_ == unlimited ? unlimited : granule_ * (address_->ports() + 1);
    for (int i = 0; i < address_->ports(); ++i)
        ports_.push_back(make_dram_port(dram, config.mode));
    is_active_.resize(ports_.size());
    // clocks a second = bandwidth * burst / (bytes of an access * ports)
    clocks_per_ = static_cast<Wide>(config.bandwidth) * dram.organization.burst;
    ticks_per_ = static_cast<Wide>(time.per_second()) * dram.organization.access_bytes * address_->ports();
    // Nothing takes longer than some refreshes and row cycles; much longer without a single access is a deadlock.
    const auto& t = dram.timing;
    patience_ = 1000 * (t.refi + t.rfc + t.refi_per_bank + t.rfc_per_bank + t.rc);
    const Clocks shortest = std::min(dram.timing.cl, dram.timing.cwl) + dram.organization.burst;
    lookahead_ = std::max<Ticks>(1, static_cast<Ticks>(shortest * ticks_per_ / clocks_per_) + latency_ - 1);
}

Clocks HbmDevice::clock_at_or_after(Ticks time) const {
    return static_cast<Clocks>((time * clocks_per_ + ticks_per_ - 1) / ticks_per_);
}

Ticks HbmDevice::tick_of(Clocks clock) const {
    return static_cast<Ticks>((clock * ticks_per_ + clocks_per_ - 1) / clocks_per_);
}

int HbmDevice::new_request() {
    if (free_requests_.empty()) {
        requests_.emplace_back();
        return static_cast<int>(requests_.size()) - 1;
    }
    const int index = free_requests_.back();
    free_requests_.pop_back();
    return index;
}

std::optional<Ticks> HbmDevice::submit(Ticks now, int client, const MemoryRequest& request) {
    if (ideal_) {
        const Ticks from = std::max(now, ideal_->free_at());
        const Ticks done = ideal_->submit(now, request.bytes);
        tell(now);
        if (!tracks_.empty())
            shown_.push_back({0, request.write, from, std::max(from, ideal_->free_at()), request.bytes});
        return done;
    }
    const int index = new_request();
    auto& entry = requests_[index];
    entry = {{client, request.id, 0}, sequence_++, 0, 0, 0, request.write};
    const Clocks arrival = clock_at_or_after(now);
    const Bytes row = request.piece_bytes > 0 ? request.piece_bytes : request.bytes;
    std::uint64_t address = request.address;
    for (Bytes left = request.bytes; left > 0; left -= row, address += static_cast<std::uint64_t>(request.pitch))
        entry.left += push_row(arrival, address, std::min(row, left), request.write, index);
    if (under_way_++ == 0) {
        progress_ = arrival;
        wake_ = wake_after(now);
    }
    return std::nullopt;
}

// Returns the number of pieces.
int HbmDevice::push_row(Clocks now, std::uint64_t address, Bytes bytes, bool write, std::int64_t tag) {
    const auto access = address_->access_bytes();
    const auto first = static_cast<std::int64_t>(address) / access;
    const auto end = (static_cast<std::int64_t>(address) + bytes - 1) / access + 1;
    requests_[static_cast<std::size_t>(tag)].moved += (end - first) * access;
    int pieces = 0;
    const auto push = [&](int port, std::int64_t local, std::int64_t count) {
        ports_[port]->push({now, local, count, write, tag});
        ++pieces;
        if (!is_active_[port]) {
            is_active_[port] = true;
            active_.push_back(port);
        }
    };
    if (end - first < few_) {
        for (std::int64_t at = first; at < end;) {
            const auto to = std::min(end, granule_ == unlimited ? end : (at | (granule_ - 1)) + 1);
            const auto place = address_->place_of(at);
            push(place.port, place.local, to - at);
            at = to;
        }
        return pieces;
    }
    for (int port = 0; port < static_cast<int>(ports_.size()); ++port) {
        const auto from = address_->count_below(port, first);
        const auto to = address_->count_below(port, end);
        if (from < to)
            push(port, from, to - from);
    }
    return pieces;
}

const std::vector<HbmDevice::Answer>& HbmDevice::advance(Ticks now) {
    const Clocks until = clock_at_or_after(now);
    tell(now);
    finished_.clear();
    bool moved = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
        const int port = active_[i];
        ports_[port]->advance(until);
        for (const auto& completion : ports_[port]->completions()) {
            moved = true;
            auto& request = requests_[completion.tag];
            request.last = std::max(request.last, completion.clock);
            if (!tracks_.empty())
                show(request.write, port, completion);
            if (--request.left == 0) {
                finish(request);
                free_requests_.push_back(static_cast<int>(completion.tag));
            }
        }
        ports_[port]->completions().clear();
        if (ports_[port]->idle()) {
            is_active_[port] = false;
        } else {
            active_[kept++] = port;
        }
    }
    active_.resize(kept);
    sort_answers();
    if (moved || under_way_ == 0)
        progress_ = until;
    if (until - progress_ > patience_)
        throw InternalError("deadlock in the HBM: " + waiting_for());
    wake_ = under_way_ > 0 ? wake_after(now) : unlimited;
    return answers_;
}

// A tick earlier than it has to be where a core cycle begins: the cores act then, and which of two processes of the
// kernel goes first in a tick depends on the engine. So all engines tell a timeline in one order.
Ticks HbmDevice::wake_after(Ticks now) const {
    const Ticks wake = now + lookahead_;
    return lookahead_ > 1 && wake % time_.per_cycle() == 0 ? wake - 1 : wake;
}

std::string HbmDevice::waiting_for() const {
    std::string text = fmt::format("{} requests wait", under_way_);
    for (const int port : active_)
        text += fmt::format("; pseudo-channel {} holds accesses, {} of them in front of its queues", port,
                            ports_[port]->waiting());
    return text;
}

void HbmDevice::finish(Request& request) {
    request.answer.done = tick_of(request.last) + latency_;
    finished_.push_back({request.answer, request.sequence, request.moved});
    --under_way_;
}

// By their times, requests of one time in the order in which they came; so runs repeat exactly.
void HbmDevice::sort_answers() {
    std::sort(finished_.begin(), finished_.end(), [](const Finished& a, const Finished& b) {
        return a.answer.done != b.answer.done ? a.answer.done < b.answer.done : a.sequence < b.sequence;
    });
    answers_.clear();
    for (const auto& finished : finished_) {
        answers_.push_back(finished.answer);
        moved_.push_back({finished.answer.done, finished.bytes});
        std::push_heap(moved_.begin(), moved_.end(), [](const Moved& a, const Moved& b) { return a.done > b.done; });
    }
}

Ticks HbmDevice::busy_before(Ticks now) {
    if (ideal_)
        return ideal_->busy_before(now);
    while (!moved_.empty() && moved_.front().done <= now) {
        const auto [done, bytes] = moved_.front();
        busy_ += static_cast<Ticks>(static_cast<Wide>(bytes) * time_.per_second() / bandwidth_);
        std::pop_heap(moved_.begin(), moved_.end(), [](const Moved& a, const Moved& b) { return a.done > b.done; });
        moved_.pop_back();
    }
    return busy_;
}

HbmUse HbmDevice::use(Cycles cycles) {
    HbmUse use;
    if (ports_.empty())
        return use;
    const Clocks until = clock_at_or_after(time_.at(cycles));
    DramTime sum;
    for (auto& port : ports_) {
        port->advance(until);
        const auto& counts = port->counts();
        sum += port->time(std::max(until, counts.last_data));
        use.accesses += counts.reads + counts.writes;
        use.row_hits += counts.row_hits;
        use.activates += counts.activates;
    }
    const Wide total = std::max<Clocks>(1, sum.total());
    Wide passed = 0;
    Cycles dealt = 0;
    const auto deal = [&](Clocks clocks) {
        passed += clocks;
        const Cycles before = dealt;
        dealt = static_cast<Cycles>(passed * cycles / total);
        return dealt - before;
    };
    use.data = deal(sum.data);
    use.row = deal(sum.row);
    use.turnaround = deal(sum.turnaround);
    use.refresh = deal(sum.refresh);
    use.idle = cycles - dealt;
    return use;
}

void HbmDevice::watch(Timeline* timeline) {
    tracks_.clear();
    if (!timeline)
        return;
    if (ideal_)
        tracks_.emplace_back(TimelineTrack(timeline, "HBM", "data", TrackKind::sequence));
    for (std::size_t port = 0; port < ports_.size(); ++port)
        tracks_.emplace_back(
            TimelineTrack(timeline, "HBM", fmt::format("pseudo-channel {:02}", port), TrackKind::sequence));
    shown_to_.assign(tracks_.size(), 0);
}

// A piece's data, as if they had come without a gap just before its last byte.
void HbmDevice::show(bool write, int port, const DramCompletion& completion) {
    const Ticks to = std::max(tick_of(completion.clock), shown_to_[port]);
    const Ticks from = std::max(tick_of(completion.clock - completion.count * burst_), shown_to_[port]);
    shown_.push_back({port, write, std::min(from, to), to, completion.count * address_->access_bytes()});
    shown_to_[port] = to;
}

// Of the pieces that are known those that have been moved: a run may end before the others, which are then given up.
void HbmDevice::tell(Ticks now) {
    std::size_t kept = 0;
    for (const Shown& piece : shown_) {
        if (piece.to > now)
            shown_[kept++] = piece;
        else
            tracks_[piece.port].add(piece.write ? "write" : "read", piece.from, piece.to, piece.bytes);
    }
    shown_.resize(kept);
}

void HbmDevice::flush_timeline(Ticks end) {
    tell(end);
    shown_.clear();
    for (auto& track : tracks_)
        track.flush();
}

} // namespace systole
