// A pseudo-channel clock by clock and burst by burst: the plain reading of the rules (docs/model.md, "HBM"), written
// apart from dram_fast.h and held against it by a property test. Slow: for checks, not for networks.
#pragma once

#include <deque>
#include <vector>

#include "memory/dram_account.h"
#include "memory/dram_address.h"
#include "memory/dram_port.h"

namespace systole {

class BurstDramPort : public DramPort {
  public:
    explicit BurstDramPort(const DramConfig& config);

    void push(const DramPiece& piece) override;
    void advance(Clocks until) override;
    Clocks advance_until_waiting(std::int64_t bursts) override;
    void finish() override;

    std::int64_t waiting() const override { return static_cast<std::int64_t>(port_.size()); }
    bool idle() const override { return port_.empty() && reads_.empty() && writes_.empty(); }
    std::vector<DramCompletion>& completions() override { return completions_; }
    const DramCounts& counts() const override { return counts_; }
    DramTime time(Clocks until) const override { return account_.time(until); }

  private:
    struct Access {
        Clocks arrival = 0;
        bool write = false;
        int piece = 0;
        int bank = 0;
        std::int64_t row = 0;
        int together = 0; // of the first of an entry: accesses that come in at once
    };
    struct Bank {
        int group = 0, stack = 0;
        bool open = false;
        bool used = false; // a column since the ACT
        std::int64_t row = 0;
        Clocks activated, precharged, read, write; // last ones
        Clocks refreshed = 0;                      // usable from here on
        bool refresh_due = false;
        Clocks due = 0, refresh_end = 0;
    };
    struct Piece {
        std::int64_t tag = 0, count = 0, left = 0;
    };

    void before_commands(); // admission, refresh, direction
    void commands();        // a column command and a row command
    void admit();
    void refresh();
    bool refresh_step(Bank& bank, bool may_close);
    void choose_direction();
    void column_command();
    bool row_command(const std::vector<Access>& queue, bool for_other);
    bool column_ready(const Access& access) const;
    bool activate_ready(const Bank& bank) const;
    bool precharge_ready(const Bank& bank) const;
    std::vector<bool> seen_by_scheduler(const std::vector<Access>& queue) const;
    bool is_hit(const Access& access) const;
    void skip_idle(Clocks until);

    DramConfig config_;
    DramAddress address_;
    Clocks now_ = 0;
    bool before_done_ = false; // of this clock
    bool writing_ = false;
    std::deque<Access> port_;
    std::vector<Access> reads_, writes_; // in the order of their age
    std::vector<Bank> banks_;
    std::vector<Clocks> activations_;
    std::vector<Piece> pieces_;
    Clocks next_refresh_;
    int turn_ = 0;
    DramAccount account_;
    bool last_was_write_ = false;
    DramCounts counts_;
    std::vector<DramCompletion> completions_;
};

} // namespace systole
