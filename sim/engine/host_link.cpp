#include "sim/engine/host_link.h"

#include <algorithm>

#include <fmt/format.h>

namespace systole {

HostLink::HostLink(const PcieConfig& pcie, const DmaConfig& dma, const TimeBase& time, MemoryPort& memory)
    : dma_(dma), time_(time), link_(pcie, time, static_cast<std::size_t>(dma.outstanding)), memory_(memory),
      chunks_(2 * dma.outstanding), down_(0, dma.outstanding, dma.issue_interval),
      up_channel_(dma.outstanding, dma.outstanding, dma.issue_interval) {
    completions_.reserve(chunks_.size());
}

void HostLink::watch(Timeline* timeline) {
    to_device_ = {timeline, "PCIe", "to device", TrackKind::overlap};
    to_host_ = {timeline, "PCIe", "to host", TrackKind::overlap};
}

void HostLink::add_core(std::unique_ptr<UnitSource> units) { sources_.push_back(std::move(units)); }

bool HostLink::next_unit_of(UnitSource& source) {
    FetchUnit unit;
    while (source.next(unit)) {
        const Bytes bytes = unit.staged.left() + unit.indices.left();
        if (!unit.from_host || !unit.first_visit || bytes == 0)
            continue;
        const auto [at, added] = by_key_.try_emplace(unit.key, units_.size());
        if (!added)
            continue; // another core has asked for it
        units_.push_back({unit.base, unit.index_base, bytes, unit.name});
        to_ask_ = unit.staged;
        indices_to_ask_ = unit.indices;
        return true;
    }
    return false;
}

// The cores take turns, so that none waits for all the operands of another.
bool HostLink::next_unit() {
    for (std::size_t tried = 0; tried < sources_.size(); ++tried) {
        auto& source = *sources_[turn_];
        turn_ = (turn_ + 1) % sources_.size();
        if (next_unit_of(source))
            return true;
    }
    return false;
}

bool HostLink::staged(const UnitKey& unit) const {
    const auto at = by_key_.find(unit);
    return at != by_key_.end() && units_[at->second].left == 0;
}

bool HostLink::may_issue(const DmaChannel& channel, Cycles now) {
    if (channel.slot() <= now)
        return true;
    next_slot_ = std::min(next_slot_, channel.slot());
    return false;
}

void HostLink::issue_down(Cycles now) {
    while (!down_.full()) {
        if (to_ask_.done() && indices_to_ask_.done() && !next_unit()) {
            down_done_ = true;
            return;
        }
        if (!may_issue(down_, now))
            return;
        const int id = down_.take(now);
        const bool indices = to_ask_.done();
        MemoryRequest request = indices ? indices_to_ask_.next() : to_ask_.next();
        request.write = true;
        request.id = id;
        chunks_[id] = {Stage::down_link, units_.size() - 1, request, indices, now};
        const auto& unit = units_.back();
        down_bytes_[indices ? unit.index_base : unit.base] += request.bytes;
        ++in_flight_down_;
        ++on_link_down_;
        ++requests_;
        link_.read(time_.at(now), request.bytes, id);
    }
}

void HostLink::send_up(const MemoryRequest& stored) { up_.push_back(stored); }

void HostLink::issue_up(Cycles now) {
    while (!up_channel_.full() && !up_.empty() && may_issue(up_channel_, now)) {
        MemoryRequest request = up_.front();
        up_.pop_front();
        request.write = false;
        request.id = up_channel_.take(now);
        chunks_[request.id] = {Stage::up_memory, 0, request};
        ++in_flight_up_;
        memory_.request(time_.at(now), request);
    }
}

void HostLink::response(int id, Ticks done) { completions_.push(time_.cycle_at_or_after(done), id); }

void HostLink::progress(int id, Cycles now) {
    auto& chunk = chunks_[id];
    switch (chunk.stage) {
    case Stage::down_link:
        chunk.stage = Stage::down_memory;
        --on_link_down_;
        if (to_device_) {
            to_device_.slice(chunk.indices ? "metadata" : units_[chunk.unit].name, time_.at(chunk.from), time_.at(now),
                             {{"bytes", chunk.request.bytes}});
        }
        memory_.request(time_.at(now), chunk.request);
        return;
    case Stage::up_memory:
        chunk.stage = Stage::up_link;
        ++requests_;
        ++on_link_up_;
        chunk.from = now;
        link_.write(time_.at(now), chunk.request.bytes, id);
        return;
    case Stage::up_link:
        if (to_host_)
            to_host_.slice("C", time_.at(chunk.from), time_.at(now), {{"bytes", chunk.request.bytes}});
        complete(id);
        return;
    case Stage::down_memory:
        complete(id);
        return;
    }
}

void HostLink::complete(int id) {
    const auto& chunk = chunks_[id];
    if (chunk.stage == Stage::down_memory) {
        units_[chunk.unit].left -= chunk.request.bytes;
        --in_flight_down_;
        down_.give_back(id);
    } else {
        sent_up_ += chunk.request.bytes;
        --in_flight_up_;
        --on_link_up_;
        up_channel_.give_back(id);
    }
}

void HostLink::poll_link(Cycles now) {
    while (const auto complete = link_.poll(time_.at(now)))
        completions_.push(time_.cycle_at_or_after(complete->at), complete->id);
}

// The time since the last step, under what held each way up.
void HostLink::account(Cycles now) {
    const Ticks until = time_.at(now);
    if (until == accounted_)
        return;
    const Ticks busy = memory_.busy_before(until);
    down_account_.add_memory_time(down_state_, until - accounted_, busy - busy_);
    up_account_.add_memory_time(up_state_, until - accounted_, busy - busy_);
    accounted_ = until;
    busy_ = busy;
}

// Link and HBM are a pipeline: at least half of what is on its way gathers in front of the part that holds it up.
void HostLink::settle() {
    const auto state = [](int in_flight, int on_link, bool more) {
        if (in_flight == 0)
            return more ? Cause::control : Cause::useful; // the former: for the next slot
        return 2 * on_link >= in_flight ? Cause::pcie : Cause::hbm_bandwidth;
    };
    down_state_ = state(in_flight_down_, on_link_down_, !down_done_);
    up_state_ = state(in_flight_up_, on_link_up_, !up_.empty());
}

void HostLink::step(Cycles now) {
    account(now);
    do { // an ideal link and memory answer in the cycle they are asked
        while (completions_.next() <= now)
            progress(completions_.pop(), now);
        next_slot_ = unlimited;
        issue_down(now);
        issue_up(now);
        poll_link(now);
    } while (completions_.next() <= now);
    settle();
}

Cycles HostLink::next_event() const {
    const Ticks link = link_.next_event();
    const Cycles other = std::min(completions_.next(), next_slot_);
    return link == unlimited ? other : std::min(other, time_.cycle_at_or_after(link));
}

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
