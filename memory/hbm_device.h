// The HBM of a chip as its DMA engines see it: requests in, answers out. Stacks of DRAM behind one request queue per
// pseudo-channel (dram_port.h), or an ideal memory (bandwidth_pipe.h). Plain C++; the SC_MODULE is hbm_module.h.
//
// Time. The DRAM counts clocks of its own; a request is seen at the first clock at or after its arrival, an answer is
// there at the tick that its last byte's clock is rounded up to, plus `hbm.latency`. The device runs behind the
// machine: advance(now) does all that happens before `now`. As nothing is answered sooner than the DRAM's shortest
// latency after its command, advancing that often is enough to announce each answer ahead of its time, whatever else
// arrives.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/bandwidth_pipe.h"
#include "memory/dram_address.h"
#include "memory/dram_port.h"
#include "memory/hbm_use.h"
#include "memory/memory_config.h"
#include "memory/memory_port.h"
#include "sim/base/timeline.h"

namespace systole {

class HbmDevice {
  public:
    HbmDevice(const HbmConfig& config, const TimeBase& time);

    struct Answer {
        int client = 0;
        int id = 0;     // of the request
        Ticks done = 0; // later than the advance() that returns it
    };

    // `now` must not go back. What is known at once is returned, everything else comes with advance().
    std::optional<Ticks> submit(Ticks now, int client, const MemoryRequest& request);
    // When advance() has to be called next, at the latest; `unlimited` if nothing is under way.
    Ticks next_wake() const { return wake_; }
    // Answers in the order of their times. Valid until the next call. Throws InternalError if requests wait and nothing
    // has moved for far too long.
    const std::vector<Answer>& advance(Ticks now);

    // Time the memory was moving data, as far as is known from the answers that are there by `now`, which must not go
    // back: for each answer as long as its accesses take at full bandwidth. Answers come in bunches, as data move on
    // several buses side by side, so that an interval may seem to hold more than its length; never so the time from the
    // start.
    Ticks busy_before(Ticks now);

    // After a run that took `cycles`: advances to its end.
    HbmUse use(Cycles cycles);
    int ports() const { return static_cast<int>(ports_.size()); }

    // Tells the timeline when the ideal memory, or each channel, moves data; null: nobody watches.
    void watch(Timeline* timeline);
    // The run has ended: pieces on their way are given up and not told.
    void flush_timeline(Ticks end);

  private:
    struct Request {
        Answer answer;
        std::int64_t sequence = 0;
        int left = 0; // pieces
        Clocks last = 0;
        Bytes moved = 0; // in whole accesses
        bool write = false;
    };
    struct Moved {
        Ticks done;
        Bytes bytes;
    };

    Clocks clock_at_or_after(Ticks time) const;
    Ticks tick_of(Clocks clock) const;
    int push_row(Clocks now, std::uint64_t address, Bytes bytes, bool write, std::int64_t tag);
    int new_request();
    Ticks wake_after(Ticks now) const;
    std::string waiting_for() const;
    void finish(Request& request);
    void sort_answers();
    void show(bool write, int port, const DramCompletion& completion);
    void tell(Ticks now);

    __extension__ using Wide = __int128;

    TimeBase time_;
    Ticks latency_;
    BytesPerSecond bandwidth_;
    std::optional<BandwidthPipe> ideal_;
    std::optional<DramAddress> address_;
    std::int64_t granule_ = unlimited;
    std::int64_t few_ = unlimited; // a row of fewer accesses goes piece by piece, others port by port
    Clocks burst_ = 1;
    std::vector<std::unique_ptr<DramPort>> ports_;
    std::vector<int> active_; // ports with work
    std::vector<bool> is_active_;
    Wide clocks_per_ = 1, ticks_per_ = 1; // clocks_per_ clocks take ticks_per_ ticks
    Ticks lookahead_ = 0;
    Clocks progress_ = 0; // when something has moved last
    Clocks patience_ = 0;
    Ticks wake_ = unlimited;
    std::vector<Request> requests_;
    std::vector<int> free_requests_;
    int under_way_ = 0;
    std::int64_t sequence_ = 0;
    struct Finished {
        Answer answer;
        std::int64_t sequence;
        Bytes bytes;
    };
    std::vector<Finished> finished_;
    std::vector<Answer> answers_;
    std::vector<Moved> moved_; // a heap by `done`: answered, not yet counted
    Ticks busy_ = 0;
    std::vector<JoinedTrack> tracks_; // of the ideal memory, or of each port
    struct Shown {                    // a piece, for the timeline
        int port;
        bool write;
        Ticks from, to;
        Bytes bytes;
    };
    std::vector<Shown> shown_; // not told yet
    std::vector<Ticks> shown_to_;
};

} // namespace systole
