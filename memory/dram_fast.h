// A pseudo-channel from event to event. What costs one step: a row command, an admission, a refresh, a change of
// direction, an idle gap; and a whole run of row hits, as far as nothing else can come between (DramBlock::Rhythm).
// The rules are those of docs/model.md, "HBM"; memory/dram_burst.h is the same, clock by clock.
#pragma once

#include <array>
#include <deque>

#include "memory/dram_account.h"
#include "memory/dram_port.h"
#include "memory/dram_queue.h"

namespace systole {

class FastDramPort : public DramPort {
  public:
    explicit FastDramPort(const DramConfig& config);

    void push(const DramPiece& piece) override;
    void advance(Clocks until) override {
        run(until, -1);
        now_ = std::max(now_, until);
    }
    Clocks advance_until_waiting(std::int64_t bursts) override;
    void finish() override { run(never, -1); }

    std::int64_t waiting() const override { return waiting_; }
    bool idle() const override { return waiting_ == 0 && queues_[0].empty() && queues_[1].empty(); }
    std::vector<DramCompletion>& completions() override { return completions_; }
    const DramCounts& counts() const override { return counts_; }
    DramTime time(Clocks until) const override { return account_.time(until); }

  private:
    static constexpr Clocks never = Clocks{1} << 60;

    // The next command of a kind; clock == never: none. order: smaller goes first of two in one clock.
    struct Choice {
        Clocks clock = never;
        std::uint64_t order = ~std::uint64_t{0};
        int bank = -1;

        bool before(const Choice& other) const {
            return clock != other.clock ? clock < other.clock : order < other.order;
        }
        // Row commands: for the direction that is not served now.
        bool for_other() const { return (order & other_direction) != 0; }
    };
    static constexpr std::uint64_t other_direction = std::uint64_t{1} << 40; // accesses have smaller ages
    struct Piece {
        std::int64_t tag = 0;
        std::int64_t count = 0, left = 0;
        Clocks last = 0; // its last column command so far
        bool write = false;
    };
    struct Window { // of the last refresh
        Clocks from = DramBanks::long_ago, to = DramBanks::long_ago;
    };

    void run(Clocks until, std::int64_t stop_at_waiting);
    Clocks next_admission() const;
    void admit(Clocks now);
    void refresh();
    void choose_direction();
    bool wants_change() const;
    Choice column_choice(int bank) const;
    Choice next_column() const;
    Choice next_precharge(std::uint64_t banks) const;
    Choice next_activate(std::uint64_t banks) const;
    template <typename Clock>
    Choice best_row(std::uint64_t banks, Clocks floor, Clock clock) const;
    void choose();
    void bank_changed(int bank);
    void issue_column(const Choice& choice);
    void issue_row(const Choice& choice);
    bool jump(Clocks until, std::int64_t stop_at_waiting);
    struct Run { // of row hits, as far as nothing can come between
        int segment = DramQueue::none;
        int index = 0; // of its first access in the block
        int periods = 0;
        bool admits = false; // an access comes in for each one that leaves
    };
    Run find_run(Clocks until, std::int64_t stop_at_waiting) const;
    bool oldest(std::int64_t age, bool& waits) const;
    bool in_step(const DramQueue::Segment& segment, int number, int index) const;
    void issue_run(const Run& run);
    // Column commands one by one, without looking at anything else as long as nothing else can happen.
    bool issue_batch(Clocks until, std::int64_t stop_at_waiting);
    void finish_batch(Clocks start, Clocks last, bool admits);
    Clocks batch_end(Clocks until) const;
    int batch_limit(std::int64_t stop_at_waiting, bool& admits) const;
    void admit_behind(std::int64_t count, Clocks last);
    void skip_idle_refreshes(Clocks until);
    void take(int piece, std::int64_t count, Clocks last);
    DramQueue& queue() { return queues_[writing_]; }
    const DramQueue& queue() const { return queues_[writing_]; }

    DramConfig config_;
    DramAddress address_;
    DramBlock block_;
    DramBanks banks_;
    std::array<DramQueue, 2> queues_; // [write]
    bool writing_ = false;
    std::deque<DramPiece> port_; // pieces not yet (wholly) in the queues; `first` and `count`: what is left
    std::deque<int> port_pieces_;
    Clocks port_from_ = 0; // the head follows the access before it, in this clock at the earliest
    std::int64_t waiting_ = 0;
    std::vector<Piece> pieces_;
    std::vector<int> free_pieces_;

    Clocks now_ = 0;
    Clocks column_free_ = 0, row_free_ = 0;
    Clocks next_refresh_;
    int refresh_turn_ = 0;               // per bank: the next one
    Clocks direction_at_ = never;        // when the direction is to be looked at again
    std::array<Clocks, 2> space_from_{}; // [write]: when the last access left the queue, and a clock more
    // The next command of each kind as things are now; not known: to be found anew.
    Choice column_, precharge_, activate_;
    bool column_known_ = false, precharge_known_ = false, activate_known_ = false;
    void forget_choices() { column_known_ = precharge_known_ = activate_known_ = false; }
    const Choice& row() const { return precharge_.before(activate_) ? precharge_ : activate_; }

    struct Candidate { // a bank in a batch
        int bank = 0, group = 0;
        Clocks ready = 0; // as far as its row decides
        std::int64_t age = 0;
        int index = 0, left = 0; // of its entry
        Clocks last = 0;         // its last command in this batch
        int taken = 0;
    };
    struct Pick {
        int bank;
        Clocks at;
    };
    std::vector<Candidate> batch_;
    std::vector<Pick> picks_;
    std::vector<Clocks> group_ready_;
    std::vector<Window> refreshed_; // of each bank
    DramAccount account_;
    bool last_was_write_ = false;
    DramCounts counts_;
    std::vector<DramCompletion> completions_;
};

} // namespace systole
