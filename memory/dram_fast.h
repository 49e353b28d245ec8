// A pseudo-channel from event to event: an admission, a refresh, a change of direction, a column or a row command; and
// a stream whose steps repeat in one go, however many bursts they hold (dram_repeats.h).
// The rules are those of docs/model.md, "HBM"; memory/dram_burst.h is the same, clock by clock.
#pragma once

#include <cstdint>

#include "memory/dram_account.h"
#include "memory/dram_places.h"
#include "memory/dram_port.h"
#include "memory/dram_repeats.h"
#include "memory/dram_state.h"
#include "memory/fifo.h"

namespace systole {

class FastDramPort : public DramPort {
  public:
    explicit FastDramPort(const DramConfig& config);

    void push(const DramPiece& piece) override;
    void advance(Clocks until) override {
        run(until, -1);
        s_.now = std::max(s_.now, until);
    }
    Clocks advance_until_waiting(std::int64_t bursts) override;
    void finish() override { run(never, -1); }

    std::int64_t waiting() const override { return waiting_; }
    bool idle() const override { return waiting_ == 0 && s_.queues[0].empty() && s_.queues[1].empty(); }
    std::vector<DramCompletion>& completions() override { return completions_; }
    const DramCounts& counts() const override { return counts_; }
    DramTime time(Clocks until) const override { return account_.time(until); }

    std::int64_t events() const { return events_; } // so far: what the time of a simulation is made of

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
    static constexpr std::uint64_t other_direction = std::uint64_t{1} << 60; // ages are below
    struct Piece {
        std::int64_t tag = 0;
        std::int64_t count = 0, left = 0;
    };
    struct Waiting { // in front of the queues; `first` and `count`: what is left
        Clocks arrival = 0;
        std::int64_t first = 0, count = 0;
        bool write = false;
    };

    void run(Clocks until, std::int64_t stop_at_waiting);
    int next_to_enter() const;
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
    int in_a_row(Clocks until) const;
    void issue_column(const Choice& choice, int count);
    void issue_row(const Choice& choice);
    void skip_idle_refreshes(Clocks until);
    void take(std::int64_t piece, int count, Clocks last);
    void drop_finished_pieces();

    // Streams, in steps of step_ accesses (dram_stream.cpp).
    void take_known_steps(Clocks until, std::int64_t stop_at_waiting);
    bool stream_is_ahead() const;
    bool goes_on_from(int state) const;
    bool describe(DramRepeats::Key& key) const;
    int current_state(Clocks until);
    const DramRepeats::Step* next_step(int from) const;
    void take_step(const DramRepeats::Step& step);
    void become(int state);
    void begin_recording(int from);
    void end_recording(int to);
    std::int64_t head_piece() const { return first_piece_ + static_cast<std::int64_t>(pieces_.size() - port_.size()); }

    DramQueue& queue() { return s_.queues[s_.writing]; }
    const DramQueue& queue() const { return s_.queues[s_.writing]; }
    void forget_choices() { column_known_ = precharge_known_ = activate_known_ = false; }
    const Choice& row() const { return precharge_.before(activate_) ? precharge_ : activate_; }

    DramConfig config_;
    DramPlaces places_;
    DramState s_;
    Fifo<Waiting> port_;
    Fifo<Piece> pieces_;           // from the oldest that is not complete to the newest
    std::int64_t first_piece_ = 0; // the number of the oldest of them
    std::int64_t waiting_ = 0;
    std::int64_t events_ = 0;

    Clocks next_refresh_;
    int refresh_turn_ = 0;        // per bank: the next one
    Clocks direction_at_ = never; // when the direction is to be looked at again
    // The next command of each kind as things are now; not known: to be found anew.
    Choice column_, precharge_, activate_;
    bool column_known_ = false, precharge_known_ = false, activate_known_ = false;
    DramAccount account_;

    std::int64_t step_;           // a power of two; 0: streams are not looked at
    bool step_due_ = false;       // the port's head is at the start of a step
    std::int64_t last_step_ = -1; // where the head was then
    int steps_in_stream_ = 0;     // so far, one behind the other
    DramRepeats repeats_;
    DramRepeats::Key key_;
    int ahead_of_state_ = DramRepeats::none; // s_ is not up to date: it is this state, but for the shift
    struct Recording {                       // of a step
        int from = DramRepeats::none;
        std::int64_t first = 0, piece = 0;
        Clocks clock = 0, next_refresh = 0;
        int refresh_turn = 0;
        DramCounts counts;
        DramTime time;
        std::vector<DramRepeats::Done> done;
    };
    Recording recording_;

    DramCounts counts_;
    std::vector<DramCompletion> completions_;
};

} // namespace systole
