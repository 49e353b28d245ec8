// What a pseudo-channel's next commands depend on, but for what is still to come: a value that can be copied.
#pragma once

#include <array>
#include <vector>

#include "memory/dram_banks.h"
#include "memory/dram_queue.h"

namespace systole {

struct DramState {
    struct Window { // of the last refresh
        Clocks from = DramBanks::long_ago, to = DramBanks::long_ago;
    };

    explicit DramState(const DramConfig& config)
        : banks(config), queues{DramQueue(banks.size(), config.queues.read, config.queues.bank_window),
                                DramQueue(banks.size(), config.queues.write, config.queues.bank_window)},
          refreshed(banks.size()) {}

    // Everything so many clocks later, and rows, accesses and pieces further up.
    void shift(Clocks clocks, std::int64_t rows, std::int64_t accesses, std::int64_t pieces) {
        banks.shift(clocks, rows);
        for (auto& queue : queues)
            queue.shift(rows, accesses, pieces);
        for (Clocks* at : {&now, &column_free, &row_free, &space_from[0], &space_from[1]})
            *at += clocks;
        for (auto& window : refreshed)
            window = {window.from + clocks, window.to + clocks};
    }

    DramBanks banks;
    std::array<DramQueue, 2> queues; // [write]
    bool writing = false;            // the direction that is served
    bool last_was_write = false;
    Clocks now = 0;
    Clocks column_free = 0, row_free = 0;
    std::array<Clocks, 2> space_from{}; // [write]: when the last access left the queue, and a clock more
    std::vector<Window> refreshed;      // of each bank
};

} // namespace systole
