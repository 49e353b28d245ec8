#include <algorithm>
#include <deque>
#include <utility>

#include <catch2/catch.hpp>

#include "memory/dram_player.h"

using namespace systole;

namespace {

// Serves one access every `pace` clocks, in order, `latency` clocks after it began; no banks.
class SimplePort : public DramPort {
  public:
    SimplePort(Clocks pace, Clocks latency) : pace_(pace), latency_(latency) {}

    void push(const DramPiece& piece) override {
        log.push_back(piece);
        pieces_.push_back(piece);
        waiting_ += piece.count;
        longest = std::max(longest, waiting_);
    }
    void advance(Clocks until) override {
        while (!pieces_.empty() && std::max(free_, pieces_.front().arrival) < until) {
            step();
        }
    }
    Clocks advance_until_waiting(std::int64_t bursts) override {
        Clocks now = 0;
        while (waiting_ > bursts) {
            now = step();
        }
        return now;
    }
    void finish() override { advance_until_waiting(0); }
    std::int64_t waiting() const override { return waiting_; }
    bool idle() const override { return pieces_.empty(); }
    std::vector<DramCompletion>& completions() override { return completions_; }
    const DramCounts& counts() const override { return counts_; }
    DramTime time(Clocks until) const override {
        DramTime time;
        time.data = pace_ * counts_.reads;
        time.idle = until - time.data;
        return time;
    }

    std::vector<DramPiece> log;
    std::int64_t longest = 0;

  private:
    // One access; returns when it began.
    Clocks step() {
        DramPiece& piece = pieces_.front();
        const Clocks begin = std::max(free_, piece.arrival);
        free_ = begin + pace_;
        --waiting_;
        ++counts_.reads;
        if (--piece.count == 0) {
            completions_.push_back({piece.tag, begin + latency_});
            pieces_.pop_front();
        }
        return begin;
    }

    Clocks pace_, latency_;
    Clocks free_ = 0;
    std::int64_t waiting_ = 0;
    std::deque<DramPiece> pieces_;
    std::vector<DramCompletion> completions_;
    DramCounts counts_;
};

class ListedRequests : public DramRequests {
  public:
    explicit ListedRequests(std::vector<DramRequest> list, std::optional<Clocks> gap = std::nullopt)
        : list_(std::move(list)), gap_(gap) {}
    bool next(DramRequest& request) override {
        if (at_ == list_.size()) {
            return false;
        }
        request = list_[at_++];
        return true;
    }
    std::optional<Clocks> closed_loop_gap() const override { return gap_; }

  private:
    std::vector<DramRequest> list_;
    std::optional<Clocks> gap_;
    std::size_t at_ = 0;
};

// Two pseudo-channels that take turns every two accesses of 32 bytes.
DramConfig two_ports(int queue) {
    DramConfig config;
    config.organization.channels = 1;
    config.mapping = "co1 pc1 bg2 co4 ba2 ro";
    config.queues.port = queue;
    return config;
}

struct Played {
    DramPlay play;
    std::vector<DramPiece> log[2];
    std::int64_t longest[2];
};

Played played(const DramConfig& config, ListedRequests requests, Clocks pace = 2, Clocks latency = 10) {
    Played result;
    std::vector<std::unique_ptr<DramPort>> ports;
    SimplePort* raw[2];
    for (SimplePort*& port : raw) {
        auto owned = std::make_unique<SimplePort>(pace, latency);
        port = owned.get();
        ports.push_back(std::move(owned));
    }
    // The ports die with the player, so what they have seen is taken when the last request has been asked for.
    class Watch : public DramRequests {
      public:
        Watch(ListedRequests& inner, SimplePort** ports, Played& result)
            : inner_(inner), ports_(ports), result_(result) {}
        bool next(DramRequest& request) override {
            for (int i = 0; i < 2; ++i) {
                result_.log[i] = ports_[i]->log;
                result_.longest[i] = ports_[i]->longest;
            }
            return inner_.next(request);
        }
        std::optional<Clocks> closed_loop_gap() const override { return inner_.closed_loop_gap(); }

      private:
        ListedRequests& inner_;
        SimplePort** ports_;
        Played& result_;
    };
    Watch watch(requests, raw, result);
    result.play = play(config, std::move(ports), watch);
    return result;
}

} // namespace

TEST_CASE("a request is cut into one piece for each pseudo-channel", "[memory][dram]") {
    // Accesses 1..9: of port 0 are 0 1 4 5 8 9, of port 1 2 3 6 7.
    const Played result = played(two_ports(128), ListedRequests({{32, 9 * 32, false, 0}}));
    REQUIRE(result.log[0].size() == 1);
    CHECK(result.log[0][0].first == 1);
    CHECK(result.log[0][0].count == 5);
    REQUIRE(result.log[1].size() == 1);
    CHECK(result.log[1][0].first == 0);
    CHECK(result.log[1][0].count == 4);
    CHECK(result.play.bytes == 288);
    CHECK(result.play.requests == 1);
    // The fifth access of port 0 begins in clock 8 and is there 10 later.
    CHECK(result.play.cycles == 18);
    CHECK(result.play.latency.percentile(50) == 18);
    // Data 10 and 8 of 18 clocks: mean 9.
    CHECK(result.play.time.data == 9);
    CHECK(result.play.time.idle == 9);
    // 288 bytes in 18 clocks, the pins move 32 bytes a clock (2 ports, 32 bytes in 2 clocks each).
    CHECK(result.play.efficiency(two_ports(128)) == 0.5);
}

TEST_CASE("a request that begins or ends within an access takes all of it", "[memory][dram]") {
    const Played result = played(two_ports(128), ListedRequests({{40, 8, true, 0}, {60, 8, true, 0}}));
    REQUIRE(result.log[0].size() == 2);
    CHECK(result.log[0][0].first == 1);
    CHECK(result.log[0][0].count == 1);
    CHECK(result.log[0][0].write);
    CHECK(result.log[0][1].count == 1); // 60..67: access 1, and access 2 of the other port
    CHECK(result.log[1].size() == 1);
    CHECK(result.play.bytes == 16);
}

TEST_CASE("small and large requests are cut alike", "[memory][dram]") {
    std::vector<DramRequest> small;
    std::vector<DramRequest> large;
    for (std::int64_t i = 0; i < 64; ++i) {
        small.push_back({64 * i, 64, false, 0});
    }
    for (std::int64_t i = 0; i < 4; ++i) {
        large.push_back({1024 * i, 1024, false, 0});
    }
    const Played a = played(two_ports(1000), ListedRequests(small));
    const Played b = played(two_ports(1000), ListedRequests(large));
    for (const int port : {0, 1}) {
        std::int64_t next = 0;
        for (const DramPiece& piece : a.log[port]) {
            CHECK(piece.first == next);
            next += piece.count;
        }
        CHECK(next == 64);
        next = 0;
        for (const DramPiece& piece : b.log[port]) {
            CHECK(piece.first == next);
            next += piece.count;
        }
        CHECK(next == 64);
    }
    CHECK(a.play.cycles == b.play.cycles);
}

TEST_CASE("a full queue stops the requests until half of it is through", "[memory][dram]") {
    std::vector<DramRequest> list;
    for (std::int64_t i = 0; i < 20; ++i) {
        list.push_back({128 * i, 64, false, 0}); // two accesses of port 0
    }
    const Played result = played(two_ports(4), ListedRequests(list));
    CHECK(result.longest[0] == 6); // 4 may wait when another two come
    // Three requests in clock 0. The fourth waits until 2 of 6 accesses are left: the fourth of them begins in clock 6.
    REQUIRE(result.log[0].size() == 20);
    CHECK(result.log[0][2].arrival == 0);
    CHECK(result.log[0][3].arrival == 6);
    CHECK(result.log[0][4].arrival == 6);
    CHECK(result.log[0][5].arrival == 14); // two more came: again 6, four accesses later
    CHECK(result.play.cycles == 39 * 2 + 10);
}

TEST_CASE("a cycle holds a request and all behind it back", "[memory][dram]") {
    const Played result =
        played(two_ports(8), ListedRequests({{0, 32, false, 0}, {0, 32, false, 50}, {0, 32, false, 20}}));
    REQUIRE(result.log[0].size() == 3);
    CHECK(result.log[0][1].arrival == 50);
    CHECK(result.log[0][2].arrival == 50);
    CHECK(result.play.cycles == 62);
}

TEST_CASE("a closed loop waits for the answer and the gap", "[memory][dram]") {
    const Played result = played(two_ports(8), ListedRequests({{0, 32, false, 0}, {64, 32, false, 0}}, 100));
    REQUIRE(result.log[1].size() == 1);
    CHECK(result.log[1][0].arrival == 110);
    CHECK(result.play.cycles == 120);
    CHECK(result.play.latency.mean() == 10);
}

TEST_CASE("no requests are no time", "[memory][dram]") {
    const Played result = played(two_ports(8), ListedRequests({}));
    CHECK(result.play.cycles == 0);
    CHECK(result.play.efficiency(two_ports(8)) == 0);
    CHECK(result.play.row_hit_rate() == 0);
}
