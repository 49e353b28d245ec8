// The PCIe link, packet by packet: DMA reads (host to device) and posted DMA writes (device to host), both at once.
//
// Each direction is a serial resource in bytes of packets. Towards the host, write packets and read requests take turns
// where both are waiting. A read request of up to max_request bytes starts when a tag is free; its completions follow
// those of the request before it, and the last byte is there at the earliest one round trip after the request started.
// The tag is free again from then on. The last packet of a write is accepted at the earliest half a round trip after it
// started. A packet that finds no credit waits for it, and so does what lies behind it in its queue.
//
// Times are kept as fractions with one denominator; nothing is rounded until a completion is reported (up to the next
// tick). Nothing is allocated after construction; writes with ample credits cost O(1) for a run of packets that no read
// request interrupts, reads O(1) for each request.
#pragma once

#include <optional>

#include "memory/credit_pool.h"
#include "memory/pcie_use.h"
#include "memory/pcie_wire.h"
#include "memory/ring.h"
#include "memory/time_base.h"

namespace systole {

class PcieLink {
  public:
    struct Completion {
        int id = 0;
        Ticks at = 0; // may lie ahead
    };

    // `transfers`: the most that are asked for and not yet complete, in each direction.
    PcieLink(const PcieConfig& config, const TimeBase& time, std::size_t transfers);

    // Queue a transfer of bytes > 0. Times of calls, poll() included, must not go back.
    void read(Ticks now, Bytes bytes, int id);
    void write(Ticks now, Bytes bytes, int id);

    // Sends what can start up to `now`. Gives one transfer whose last packet has started and when it will be complete;
    // nothing if there are no more. A caller that polls no later than next_event() learns of none too late.
    std::optional<Completion> poll(Ticks now);

    // After poll() has given nothing: no transfer's last packet starts earlier. `unlimited` if nothing is queued.
    Ticks next_event() const;

    // Of the time from 0 to `end`, in units of `unit` ticks. All transfers must be complete by then.
    PcieUse use(Ticks end, Ticks unit) const;

  private:
    using Time = CreditPool::Time; // ticks * scale_

    struct Transfer {
        int id = 0;
        Bytes left = 0;
        Time asked = 0;
    };

    Time scale(Ticks time) const { return static_cast<Time>(time) * scale_; }
    Ticks ticks_after(Time time) const { return static_cast<Ticks>((time + scale_ - 1) / scale_); }
    Time service(Bytes wire_bytes) const { return static_cast<Time>(wire_bytes) * byte_time_; }
    Bytes packet() const { return std::min(writes_.front().left, wire_.max_payload); }

    Time read_ready() const;
    Time write_ready() const;
    bool read_is_next(Time& start) const;
    void book_gap(Time start);
    std::optional<Completion> send_request(Time start);
    std::optional<Completion> send_writes(Time start, Time horizon);
    Bytes packets_in_a_row(Time start, Time horizon) const;
    Time complete_read(Time start, Bytes bytes);
    Time last_request_after() const;
    Time last_write_after() const;
    DirectionUse direction(Bytes payload, Bytes wire_bytes, Time idle, Time end, Ticks unit) const;

    PcieWire wire_;
    Time scale_;     // times are in units of a tick / scale_
    Time byte_time_; // of a byte of a packet
    Time round_trip_, one_way_;
    Ring<Transfer> reads_, writes_;
    Ring<Time> tags_; // when those in use are free again, oldest first
    CreditPool posted_, completions_;

    Time up_free_ = 0;   // towards the host
    Time down_free_ = 0; // towards the device: when the last completion is there
    Time writes_accepted_ = 0;
    Time up_idle_ = 0, down_idle_ = 0; // while nothing was asked for
    bool read_had_turn_ = false;
    Bytes up_payload_ = 0, up_wire_ = 0, down_payload_ = 0, down_wire_ = 0;
};

} // namespace systole
