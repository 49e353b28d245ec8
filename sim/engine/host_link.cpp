#include "sim/engine/host_link.h"

#include <algorithm>

#include <fmt/format.h>

namespace systole {

HostLink::HostLink(const PcieConfig& pcie, const DmaConfig& dma, const TimeBase& time, MemoryPort& memory)
    : dma_(dma), time_(time), down_(time, pcie.bandwidth, pcie.latency), up_pipe_(time, pcie.bandwidth, pcie.latency),
      memory_(memory), chunks_(2 * dma.outstanding) {
    for (int i = dma.outstanding; i-- > 0;) {
        free_down_.push_back(i);
        free_up_.push_back(dma.outstanding + i);
    }
    completions_.reserve(chunks_.size());
}

void HostLink::add_core(const Mapping& mapping, const CoreLimits& limits, const OperandMap& operands) {
    sources_.push_back({PassCursor(mapping, limits), operands});
}

bool HostLink::next_unit_of(Source& source) {
    while (!source.cursor.done()) {
        if (source.stage == 2) {
            source.cursor.next();
            source.stage = 0;
            continue;
        }
        const bool y = source.stage++ == 0;
        const auto& unit = y ? source.cursor.pass().y : source.cursor.pass().x;
        const auto& place = y ? source.operands.y : source.operands.x;
        if (!unit.fetch || !unit.first_visit)
            continue;
        const auto address = place.address(unit.row, unit.col);
        const auto [at, added] = by_key_.try_emplace(key(place, unit), units_.size());
        if (!added)
            continue; // another core has asked for it
        units_.push_back({place.base, address, unit.bytes, 0, unit.bytes});
        return true;
    }
    return false;
}

// The cores take turns, so that none waits for all the operands of another.
bool HostLink::next_unit() {
    for (std::size_t tried = 0; tried < sources_.size(); ++tried) {
        auto& source = sources_[turn_];
        turn_ = (turn_ + 1) % sources_.size();
        if (next_unit_of(source))
            return true;
    }
    return false;
}

bool HostLink::staged(const MatrixPlace& place, const UnitRef& unit) const {
    const auto at = by_key_.find(key(place, unit));
    return at != by_key_.end() && units_[at->second].left == 0;
}

void HostLink::issue_down(Cycles now) {
    while (!free_down_.empty()) {
        if (!unit_active_ && !next_unit()) {
            down_done_ = true;
            return;
        }
        auto& unit = units_.back();
        const Bytes bytes = std::min(dma_.burst_bytes, unit.bytes - unit.requested);
        const int id = free_down_.back();
        free_down_.pop_back();
        chunks_[id] = {Stage::down_link, units_.size() - 1, unit.address + unit.requested, bytes};
        unit.requested += bytes;
        unit_active_ = unit.requested < unit.bytes;
        down_bytes_[unit.base] += bytes;
        ++in_flight_down_;
        ++requests_;
        completions_.push(time_.cycle_at_or_after(down_.submit(time_.at(now), bytes)), id);
    }
}

void HostLink::send_up(std::uint64_t address, Bytes bytes) { up_.emplace_back(address, bytes); }

void HostLink::issue_up(Cycles now) {
    while (!free_up_.empty() && !up_.empty()) {
        const auto [address, bytes] = up_.front();
        up_.pop_front();
        const int id = free_up_.back();
        free_up_.pop_back();
        chunks_[id] = {Stage::up_memory, 0, address, bytes};
        ++in_flight_up_;
        memory_.request(time_.at(now), {.write = false, .address = address, .bytes = bytes, .id = id});
    }
}

void HostLink::response(int id, Ticks done) { completions_.push(time_.cycle_at_or_after(done), id); }

void HostLink::progress(int id, Cycles now) {
    auto& chunk = chunks_[id];
    switch (chunk.stage) {
    case Stage::down_link:
        chunk.stage = Stage::down_memory;
        memory_.request(time_.at(now), {.write = true, .address = chunk.address, .bytes = chunk.bytes, .id = id});
        return;
    case Stage::up_memory:
        chunk.stage = Stage::up_link;
        ++requests_;
        completions_.push(time_.cycle_at_or_after(up_pipe_.submit(time_.at(now), chunk.bytes)), id);
        return;
    case Stage::down_memory:
    case Stage::up_link:
        complete(id);
        return;
    }
}

void HostLink::complete(int id) {
    const auto& chunk = chunks_[id];
    if (chunk.stage == Stage::down_memory) {
        units_[chunk.unit].left -= chunk.bytes;
        --in_flight_down_;
        free_down_.push_back(id);
    } else {
        sent_up_ += chunk.bytes;
        --in_flight_up_;
        free_up_.push_back(id);
    }
}

void HostLink::step(Cycles now) {
    do { // an ideal link and memory answer in the cycle they are asked
        while (completions_.next() <= now)
            progress(completions_.pop(), now);
        issue_down(now);
        issue_up(now);
    } while (completions_.next() <= now);
}

Cycles HostLink::next_event() const { return completions_.next(); }

Bytes HostLink::sent_down(std::uint64_t base) const {
    const auto at = down_bytes_.find(base);
    return at == down_bytes_.end() ? 0 : at->second;
}

std::string HostLink::waiting_for() const {
    if (in_flight_down_ > 0)
        return fmt::format("{} transfers from the host are under way", in_flight_down_);
    if (in_flight_up_ > 0)
        return fmt::format("{} transfers to the host are under way", in_flight_up_);
    return "nothing is left to transfer";
}

} // namespace systole
