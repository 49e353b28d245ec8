// One pseudo-channel behind its request port: the contract of the two ways to advance it. Both give identical results:
// dram_burst.h goes clock by clock and burst by burst, dram_fast.h from event to event.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "memory/dram_config.h"

namespace systole {

// Consecutive accesses of one pseudo-channel: [first, first + count) of its own address space, in accesses.
struct DramPiece {
    Clocks arrival = 0; // not before the arrival of the piece pushed before it
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool write = false;
    std::int64_t tag = 0; // comes back with the completion
};

struct DramCompletion {
    std::int64_t tag = 0;
    Clocks clock = 0;       // the last byte of the piece has been on the bus
    std::int64_t count = 0; // accesses of the piece
};

// Where the clocks of the data bus went; they sum to the clock of the last account().
struct DramTime {
    Clocks data = 0;       // bursts on the bus
    Clocks row = 0;        // a request waited for ACT, PRE or its bank group
    Clocks turnaround = 0; // between reads and writes
    Clocks refresh = 0;
    Clocks idle = 0; // no request waited

    Clocks total() const { return data + row + turnaround + refresh + idle; }
    DramTime& operator+=(const DramTime& other) {
        data += other.data;
        row += other.row;
        turnaround += other.turnaround;
        refresh += other.refresh;
        idle += other.idle;
        return *this;
    }
};

struct DramCounts {
    std::int64_t reads = 0, writes = 0; // bursts
    std::int64_t row_hits = 0;          // of them: not the first burst after the ACT of their row
    std::int64_t activates = 0, precharges = 0, refreshes = 0;
    Clocks last_data = 0; // when the last burst so far has left the bus
};

class DramPort {
  public:
    virtual ~DramPort() = default;

    virtual void push(const DramPiece& piece) = 0;
    // All that happens before clock `until`; must not go back.
    virtual void advance(Clocks until) = 0;
    // As advance(), but stops when no more than `bursts` wait in front of the queues. Returns the clock from which on
    // that holds.
    virtual Clocks advance_until_waiting(std::int64_t bursts) = 0;
    // Runs until nothing is left to do.
    virtual void finish() = 0;

    virtual std::int64_t waiting() const = 0; // bursts in front of the queues
    virtual bool idle() const = 0;
    virtual std::vector<DramCompletion>& completions() = 0; // filled as they happen; the caller clears them
    virtual const DramCounts& counts() const = 0;
    virtual DramTime time(Clocks until) const = 0; // `until` >= everything that has happened
};

std::unique_ptr<DramPort> make_dram_port(const DramConfig& config, MemoryMode mode);

} // namespace systole
