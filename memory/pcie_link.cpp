#include "memory/pcie_link.h"

#include <algorithm>

namespace systole {

namespace {

using Wide = PcieWire::Wide;

Wide gcd(Wide a, Wide b) {
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

} // namespace

// A byte takes per_second * denominator / numerator ticks; both sides reduced, so that the products stay far from
// 2^127.
PcieLink::PcieLink(const PcieConfig& config, const TimeBase& time, std::size_t transfers)
    : wire_(pcie_wire(config)), scale_(wire_.rate_numerator), byte_time_(wire_.rate_denominator * time.per_second()),
      reads_(transfers), writes_(transfers), tags_(static_cast<std::size_t>(wire_.tags)),
      posted_(unlimited, unlimited, 0), completions_(unlimited, unlimited, 0) {
    const Wide common = gcd(scale_, byte_time_);
    scale_ /= common;
    byte_time_ /= common;
    round_trip_ = scale(time.from_picoseconds(2 * config.latency));
    one_way_ = scale(time.from_picoseconds(config.latency));
    if (config.packets) {
        posted_ = CreditPool(config.posted_header_credits, config.posted_data_credits, round_trip_);
        completions_ = CreditPool(config.completion_header_credits, config.completion_data_credits, round_trip_);
    }
}

void PcieLink::read(Ticks now, Bytes bytes, int id) { reads_.push({id, bytes, scale(now)}); }

void PcieLink::write(Ticks now, Bytes bytes, int id) { writes_.push({id, bytes, scale(now)}); }

PcieLink::Time PcieLink::read_ready() const {
    const Time asked = reads_.front().asked;
    return wire_.tags > 0 && tags_.full() ? std::max(asked, tags_.front()) : asked;
}

PcieLink::Time PcieLink::write_ready() const { return std::max(writes_.front().asked, posted_.ready(packet())); }

// Which queue sends next, and when; one of them holds something.
bool PcieLink::read_is_next(Time& start) const {
    if (reads_.empty() || writes_.empty()) {
        start = std::max(up_free_, reads_.empty() ? write_ready() : read_ready());
        return writes_.empty();
    }
    const Time read = std::max(up_free_, read_ready());
    const Time write = std::max(up_free_, write_ready());
    start = std::min(read, write);
    return read == write ? !read_had_turn_ : read < write;
}

// Towards the host nothing was asked for until the oldest of the queues was, except that the host had yet to accept.
void PcieLink::book_gap(Time start) {
    Time asked = start;
    if (!reads_.empty())
        asked = std::min(asked, reads_.front().asked);
    if (!writes_.empty())
        asked = std::min(asked, writes_.front().asked);
    up_idle_ += std::max<Time>(0, asked - std::max(up_free_, writes_accepted_));
}

// When the last byte of a request that starts at `start` is there.
PcieLink::Time PcieLink::complete_read(Time start, Bytes bytes) {
    const Bytes packets = ceil_div(bytes, wire_.completion);
    const Bytes on_wire = bytes + packets * wire_.completion_overhead;
    down_payload_ += bytes;
    down_wire_ += on_wire;
    const Time first =
        std::max({down_free_, start + service(wire_.request_bytes), start + round_trip_ - service(on_wire)});
    if (completions_.ample())
        return first + service(on_wire);
    Time free = first;
    for (Bytes left = bytes; left > 0; left -= wire_.completion) {
        const Bytes payload = std::min(left, wire_.completion);
        const Time at = std::max(free, completions_.ready(payload));
        completions_.take(at, payload);
        free = at + service(payload + wire_.completion_overhead);
    }
    return free;
}

std::optional<PcieLink::Completion> PcieLink::send_request(Time start) {
    Transfer& transfer = reads_.front();
    const Bytes bytes = std::min(transfer.left, wire_.max_request);
    if (wire_.tags > 0 && tags_.full())
        tags_.pop();
    down_idle_ += std::max<Time>(0, transfer.asked - down_free_);
    up_wire_ += wire_.request_bytes;
    up_free_ = start + service(wire_.request_bytes);
    down_free_ = complete_read(start, bytes);
    if (wire_.tags > 0)
        tags_.push(down_free_);
    transfer.left -= bytes;
    if (transfer.left > 0)
        return std::nullopt;
    const Completion complete{transfer.id, ticks_after(down_free_)};
    reads_.pop();
    return complete;
}

// Full packets that follow each other from `start` on before a read request wants its turn or the horizon is reached.
Bytes PcieLink::packets_in_a_row(Time start, Time horizon) const {
    const Bytes full = writes_.front().left / wire_.max_payload;
    const Time each = service(wire_.max_payload + wire_.write_overhead);
    if (full <= 1 || !posted_.ample())
        return 1;
    if (byte_time_ == 0)
        return full;
    Time most = (horizon - start) / each + 1;
    if (!reads_.empty())
        most = std::min(most, std::max<Time>(1, (read_ready() - start + each - 1) / each));
    return static_cast<Bytes>(std::min<Time>(full, most));
}

std::optional<PcieLink::Completion> PcieLink::send_writes(Time start, Time horizon) {
    Transfer& transfer = writes_.front();
    const Bytes payload = packet();
    const Bytes packets = packets_in_a_row(start, horizon);
    const Bytes on_wire = payload + wire_.write_overhead;
    posted_.take(start, payload);
    up_payload_ += packets * payload;
    up_wire_ += packets * on_wire;
    up_free_ = start + service(packets * on_wire);
    writes_accepted_ = std::max(up_free_, up_free_ - service(on_wire) + one_way_);
    transfer.left -= packets * payload;
    if (transfer.left > 0)
        return std::nullopt;
    const Completion complete{transfer.id, ticks_after(writes_accepted_)};
    writes_.pop();
    return complete;
}

std::optional<PcieLink::Completion> PcieLink::poll(Ticks now) {
    const Time horizon = scale(now);
    while (!reads_.empty() || !writes_.empty()) {
        Time start = 0;
        const bool read = read_is_next(start);
        if (start > horizon)
            return std::nullopt;
        book_gap(start);
        read_had_turn_ = read;
        const auto complete = read ? send_request(start) : send_writes(start, horizon);
        if (complete)
            return complete;
    }
    return std::nullopt;
}

// No earlier than this does the last request of the oldest read start: its requests follow each other on the wire, and
// the last one waits for the tag of the request that many before it.
PcieLink::Time PcieLink::last_request_after() const {
    const Transfer& transfer = reads_.front();
    const Bytes before = ceil_div(transfer.left, wire_.max_request) - 1;
    const Time sent = std::max(up_free_, transfer.asked) + service(before * wire_.request_bytes);
    const Bytes in_use = static_cast<Bytes>(tags_.size());
    if (wire_.tags == 0 || in_use + before < wire_.tags)
        return sent;
    const Bytes needed = std::min(in_use + before - wire_.tags, in_use - 1);
    return needed < 0 ? sent : std::max(sent, tags_[static_cast<std::size_t>(needed)]);
}

PcieLink::Time PcieLink::last_write_after() const {
    const Transfer& transfer = writes_.front();
    const Bytes before = ceil_div(transfer.left, wire_.max_payload) - 1;
    const Time each = before > 0 ? service(wire_.max_payload + wire_.write_overhead) : 0;
    return std::max(up_free_, transfer.asked) + before * each;
}

Ticks PcieLink::next_event() const {
    if (reads_.empty() && writes_.empty())
        return unlimited;
    Time start = 0;
    read_is_next(start); // later than the last poll(), which the bounds below need not be
    if (reads_.empty())
        return ticks_after(std::max(start, last_write_after()));
    if (writes_.empty())
        return ticks_after(std::max(start, last_request_after()));
    return ticks_after(std::max(start, std::min(last_request_after(), last_write_after())));
}

DirectionUse PcieLink::direction(Bytes payload, Bytes wire_bytes, Time idle, Time end, Ticks unit) const {
    const Time whole = scale(unit);
    const Time busy = service(wire_bytes);
    const Time moving = service(payload) * wire_.kept_numerator / wire_.kept_denominator;
    if (busy + idle > end)
        throw InternalError("the link was busy for longer than the run");
    const auto floor = [whole](Time time) { return static_cast<std::int64_t>(time / whole); };
    DirectionUse use{payload, wire_bytes, {}};
    use.time.payload = floor(moving);
    use.time.protocol = floor(busy) - floor(moving);
    use.time.latency = floor(end - idle) - floor(busy);
    use.time.idle = floor(end) - floor(end - idle);
    return use;
}

PcieUse PcieLink::use(Ticks end, Ticks unit) const {
    const Time until = scale(end);
    const Time down_idle = down_idle_ + std::max<Time>(0, until - down_free_);
    const Time up_idle = up_idle_ + std::max<Time>(0, until - std::max(up_free_, writes_accepted_));
    return {direction(down_payload_, down_wire_, down_idle, until, unit),
            direction(up_payload_, up_wire_, up_idle, until, unit)};
}

} // namespace systole
