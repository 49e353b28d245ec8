// A pseudo-channel from event to event and one clock by clock do the same, whatever DRAM and whatever requests.
#include <algorithm>
#include <memory>
#include <set>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "memory/dram_address.h"
#include "memory/dram_patterns.h"
#include "memory/dram_player.h"
#include "sim/config/hbm_file.h"
#include "tests/support/check_property.h"
#include "tests/support/csv.h"
#include "tests/support/dram_cases.h"

using namespace systole;
using namespace systole::test;

namespace {

std::string compare_modes(const DramConfig& config, const std::vector<DramStep>& steps) {
    return difference(play_steps(*make_dram_port(config, MemoryMode::fast), steps),
                      play_steps(*make_dram_port(config, MemoryMode::burst), steps));
}

// The fewest of the first steps that still differ.
std::vector<DramStep> shortened(const DramConfig& config, const std::vector<DramStep>& steps) {
    for (std::size_t count = 1; count < steps.size(); ++count) {
        std::vector<DramStep> fewer(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count));
        if (!compare_modes(config, fewer).empty()) {
            return fewer;
        }
    }
    return steps;
}

void check_modes(int cases) {
    for (int i = 0; i < cases; ++i) {
        const auto seed = property_seed() + static_cast<std::uint64_t>(i);
        DramDraw draw(seed);
        const auto config = any_dram(draw);
        REQUIRE(problems(config).empty());
        const auto steps = any_dram_traffic(draw);
        if (compare_modes(config, steps).empty()) {
            continue;
        }
        const auto fewer = shortened(config, steps);
        FAIL("fast and burst differ in " << compare_modes(config, fewer) << "\n"
                                         << describe(config) << "\n"
                                         << describe(fewer) << "to repeat: SYSTOLE_TEST_SEED=" << seed);
    }
}

// Two ports in each mode, kept busy with a bounded number of accesses waiting: single accesses at random of a channel.
void check_random_accesses(const DramConfig& config, std::int64_t requests, std::int64_t accesses) {
    const DramAddress address(config, 1);
    std::vector<std::unique_ptr<DramPort>> fast, burst;
    for (int port = 0; port < address.ports(); ++port) {
        fast.push_back(make_dram_port(config, MemoryMode::fast));
        burst.push_back(make_dram_port(config, MemoryMode::burst));
    }
    std::mt19937_64 random(property_seed());
    Clocks now = 0;
    const auto same_completions = [](DramPort& a, DramPort& b) {
        sort_completions(a.completions());
        sort_completions(b.completions());
        const auto text = difference(a.completions(), b.completions());
        a.completions().clear();
        b.completions().clear();
        return text;
    };
    for (std::int64_t request = 0; request < requests; ++request) {
        const auto first = accesses * static_cast<std::int64_t>(random() % (256 * 1024 * 1024 / (accesses * 32)));
        for (int i = 0; i < address.ports(); ++i) {
            const auto from = address.count_below(i, first);
            const auto to = address.count_below(i, first + accesses);
            if (from == to) {
                continue;
            }
            if (fast[i]->waiting() > config.queues.port) {
                const Clocks room = fast[i]->advance_until_waiting(config.queues.port / 2);
                REQUIRE(burst[i]->advance_until_waiting(config.queues.port / 2) == room);
                INFO("request " << request << " port " << i);
                REQUIRE(same_completions(*fast[i], *burst[i]) == "");
                now = std::max(now, room);
            }
            const DramPiece piece{now, from, to - from, false, request};
            fast[i]->push(piece);
            burst[i]->push(piece);
        }
    }
    for (int i = 0; i < address.ports(); ++i) {
        fast[i]->finish();
        burst[i]->finish();
        REQUIRE(same_completions(*fast[i], *burst[i]) == "");
        REQUIRE(difference(fast[i]->counts(), burst[i]->counts()) == "");
        const Clocks last = fast[i]->counts().last_data;
        REQUIRE(difference(fast[i]->time(last), burst[i]->time(last)) == "");
    }
}

// A stream in pieces of one size, with a bounded number of accesses waiting. Now and then it is broken by another
// access, or leaps: it goes on at the same place of another row or a few pieces on, perhaps in pieces of another size.
std::vector<DramStep> any_stream(DramDraw& draw, int accesses) {
    std::int64_t size = std::int64_t{1} << draw.between(0, 8);
    const bool uneven = draw.one_in(4);
    const bool write = draw.one_in(3);
    const std::int64_t room = draw.between(16, 200);
    const bool broken = draw.one_in(2);
    const bool leaps = draw.one_in(2);
    std::vector<DramStep> steps;
    std::int64_t at = draw.one_in(2) ? 0 : draw.between(0, 10'000);
    for (std::int64_t given = 0, tag = 0; given < accesses; ++tag) {
        DramStep step;
        if (leaps && draw.one_in(40)) {
            at += draw.one_in(2) ? std::int64_t{1024} * draw.between(1, 50) : 8 * draw.between(1, 50);
            size = draw.one_in(2) ? size : std::int64_t{1} << draw.between(0, 8);
        }
        step.piece = {0, at, uneven ? draw.between(1, static_cast<int>(size)) : size, write, tag};
        if (broken && draw.one_in(500)) {
            step.piece = {0, draw.between(0, 1 << 20), 1, draw.one_in(2), tag};
        } else {
            at += step.piece.count;
        }
        given += step.piece.count;
        step.room = room;
        step.gap = broken && draw.one_in(300) ? draw.between(0, 500) : 0;
        steps.push_back(step);
    }
    return steps;
}

void check_streams(int cases, int accesses) {
    for (int i = 0; i < cases; ++i) {
        const auto seed = property_seed() + static_cast<std::uint64_t>(i);
        DramDraw draw(seed);
        const auto config = any_dram(draw);
        const auto steps = any_stream(draw, accesses);
        if (const auto text = compare_modes(config, steps); !text.empty()) {
            FAIL("fast and burst differ in " << text << "\n"
                                             << describe(config) << "\nin a stream of pieces of "
                                             << steps.front().piece.count << "; to repeat: SYSTOLE_TEST_SEED=" << seed);
        }
    }
}

// The first requests of a pattern.
class FirstOf : public DramRequests {
  public:
    FirstOf(std::unique_ptr<DramRequests> all, std::int64_t count) : all_(std::move(all)), left_(count) {}

    bool next(DramRequest& request) override { return left_-- > 0 && all_->next(request); }
    std::optional<Clocks> closed_loop_gap() const override { return all_->closed_loop_gap(); }

  private:
    std::unique_ptr<DramRequests> all_;
    std::int64_t left_;
};

void check_pattern(const std::string& name, const std::string& pattern, Bytes most_bytes) {
    const auto config = load_hbm(name);
    const auto access = config->organization.access_bytes;
    const auto played = [&](MemoryMode mode, std::int64_t requests) {
        FirstOf first(make_dram_pattern(pattern, access), requests);
        return play(*config, mode, first);
    };
    // As many requests as come to these bytes: the first tells their size.
    const Bytes size = played(MemoryMode::fast, 1).bytes;
    const auto requests = std::max<std::int64_t>(100, most_bytes / size);
    const auto fast = played(MemoryMode::fast, requests);
    const auto burst = played(MemoryMode::burst, requests);
    INFO(name << " " << pattern << ", " << requests << " requests");
    CHECK(fast.cycles == burst.cycles);
    CHECK(fast.bytes == burst.bytes);
    CHECK(difference(fast.counts, burst.counts) == "");
    CHECK(difference(fast.time, burst.time) == "");
    CHECK(fast.latency.percentile(50) == burst.latency.percentile(50));
    CHECK(fast.latency.percentile(99) == burst.latency.percentile(99));
}

constexpr const char* stacks[] = {"hbm2_1pc", "hbm2_legacy_128bit", "hbm3_2pc", "hbm3_2pc_no_refresh",
                                  "hbm3_2pc_perbank_refresh"};
// Each configuration and pattern of the truth table.
void check_patterns(Bytes most_bytes) {
    std::set<std::pair<std::string, std::string>> rows;
    for (const CsvRow& row : read_csv(test_file("truth/hbm_truth.csv"))) {
        rows.emplace(row.text("config"), row.text("pattern"));
    }
    REQUIRE(rows.size() == 47);
    for (const auto& [stack, pattern] : rows) {
        check_pattern(stack, pattern, most_bytes);
    }
}

} // namespace

TEST_CASE("both memory modes agree on 150 random DRAMs and streams", "[dram]") { check_modes(150); }

TEST_CASE("both memory modes agree on 3,000 random DRAMs and streams", "[dram][long]") { check_modes(3'000); }

TEST_CASE("both memory modes agree on 60 random DRAMs and long streams", "[dram]") { check_streams(60, 6'000); }

TEST_CASE("both memory modes agree on 1,000 random DRAMs and long streams", "[dram][long]") {
    check_streams(1'000, 12'000);
}

// A step that is known from one place must not be taken for what lies at another one, though its low bits are the same.
TEST_CASE("a long stream that leaps between two of its steps completes in both modes alike", "[dram]") {
    const auto config = load_hbm("hbm2e_3200");
    for (const std::int64_t size : {8, 4}) { // of the pieces behind the leap
        for (std::int64_t leap = 256; leap < 400; leap += 8) {
            std::vector<DramStep> steps;
            for (std::int64_t tag = 0; tag < leap; ++tag)
                steps.push_back({0, std::nullopt, false, {0, 8 * tag, 8, false, tag}});
            for (std::int64_t tag = leap; tag < leap + 40; ++tag)
                steps.push_back({0, std::nullopt, false, {0, 8 * leap + 8192 + size * (tag - leap), size, false, tag}});
            INFO("pieces of " << size << " behind " << leap << " of 8");
            CHECK(compare_modes(*config, steps) == "");
        }
    }
}

TEST_CASE("both memory modes agree on random accesses to a busy HBM3 channel", "[dram]") {
    check_random_accesses(*load_hbm("hbm3_2pc"), 20'000, 2);
}

TEST_CASE("both memory modes agree on many random accesses", "[dram][long]") {
    for (const char* stack : stacks) {
        check_random_accesses(*load_hbm(stack), 200'000, 2);
        check_random_accesses(*load_hbm(stack), 200'000, 5);
    }
}

TEST_CASE("both memory modes agree on the start of each pattern of the truth table", "[dram]") {
    check_patterns(64 * 1024);
}

TEST_CASE("both memory modes agree on the patterns over many refreshes", "[dram][long]") {
    check_patterns(1024 * 1024);
}
