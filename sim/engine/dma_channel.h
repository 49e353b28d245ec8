// One direction of one DMA engine: a window of requests in flight, and a slot for the next one. Reads and writes have
// channels of their own, as the read and write address channels of AXI and TileLink masters: neither waits for the
// other, and the memory sees both in the order in which they are issued.
#pragma once

#include <vector>

#include "sim/base/quantities.h"

namespace systole {

class DmaChannel {
  public:
    // Requests carry ids from `first_id` on; `interval`: cycles from one to the next, 0: any number in a cycle.
    DmaChannel(int first_id, int outstanding, Cycles interval) : interval_(interval) {
        for (int i = outstanding; i-- > 0;)
            free_.push_back(first_id + i);
    }

    bool full() const { return free_.empty(); }
    Cycles slot() const { return slot_; } // the first cycle in which a request may be issued, as the interval goes

    // Not full, and `now` not before slot().
    int take(Cycles now) {
        const int id = free_.back();
        free_.pop_back();
        slot_ = now + interval_;
        return id;
    }
    void give_back(int id) { free_.push_back(id); }

  private:
    std::vector<int> free_;
    Cycles interval_;
    Cycles slot_ = 0;
};

} // namespace systole
