// VMEM's bandwidth among its clients. The property test at the end holds the arbiter, driven cycle by cycle and driven
// from event to event, against a loop that deals every cycle's bytes and ports by itself.
#include <algorithm>
#include <deque>
#include <map>
#include <ostream>
#include <vector>

#include "tests/support/check_property.h"
#include "tests/unit/memory/vmem_ends.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("enough bandwidth serves all clients at their own pace at once", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(10));
    arbiter.start_stream(stream(10, 4));        // cycles 0..9, 4 B each
    arbiter.start_load(27, 3, 0);               // cycles 0..8
    arbiter.queue_writeback(7, 0, 5, 12, 2, 0); // cycles 0..5
    arbiter.queue_dma(8, 4, 0);                 // 10 - 4 - 3 - 2 = 1 B a cycle: cycles 0..3
    const Ends ends = finish(arbiter);
    CHECK(ends == Ends{.streams = {9}, .loads = {8}, .writebacks = {{7, 5}}, .dma = {{8, 3}}});
}

TEST_CASE("bandwidth is dealt to stream, stationary tile, write-back and DMA in this order", "[memory][vmem_arbiter]") {
    SECTION("8 B: nothing for the DMA, half for the write-back") {
        VmemArbiter arbiter(vmem(8));
        arbiter.start_stream(stream(10, 4));        // cycles 0..9
        arbiter.start_load(30, 3, 0);               // cycles 0..9
        arbiter.queue_writeback(7, 0, 9, 20, 2, 0); // 1 B in cycles 0..9, the other 10 B at 2: cycles 10..14
        arbiter.queue_dma(8, 10, 0);                // from cycle 10 on 8 - 2 = 6 B: 6 + 4
        CHECK(finish(arbiter) == Ends{.streams = {9}, .loads = {9}, .writebacks = {{7, 14}}, .dma = {{8, 11}}});
    }
    SECTION("5 B: 1 for the stationary tile, nothing behind it") {
        VmemArbiter arbiter(vmem(5));
        arbiter.start_stream(stream(10, 4));       // cycles 0..9
        arbiter.start_load(16, 3, 0);              // 1 B in cycles 0..9, then 3 B: 3 + 3 in cycles 10, 11
        arbiter.queue_writeback(7, 0, 3, 8, 2, 0); // from cycle 10 on 5 - 3 = 2 B: cycles 10..13
        arbiter.queue_dma(8, 6, 0);                // from cycle 12 on 5 - 2 = 3 B: cycles 12, 13
        CHECK(finish(arbiter) == Ends{.streams = {9}, .loads = {11}, .writebacks = {{7, 13}}, .dma = {{8, 13}}});
    }
    SECTION("3 B: the stream takes all and is late itself") {
        VmemArbiter arbiter(vmem(3));
        arbiter.start_stream(stream(6, 4)); // 24 B at 3: cycles 0..7
        arbiter.start_load(3, 3, 0);        // cycle 8
        arbiter.queue_dma(8, 1, 0);         // cycle 9
        CHECK(finish(arbiter) == Ends{.streams = {7}, .loads = {8}, .writebacks = {}, .dma = {{8, 9}}});
    }
}

TEST_CASE("a last vector that is wider than the others has a port as wide", "[memory][vmem_arbiter]") {
    // 4 + 4 + 7 B. With 7 B a cycle all three enter one behind the other: cycles 0..2; with 4 B, 15 B take cycles 0..3.
    for (const auto& [bandwidth, end] : {std::pair{7, 2}, std::pair{4, 3}}) {
        VmemArbiter arbiter(vmem(bandwidth));
        auto wide = stream(3, 4);
        wide.last_vector_bytes = 7;
        arbiter.start_stream(wide);
        CHECK(arbiter.stream_end() == end);
        CHECK(arbiter.delivery(0) == 0);
        CHECK(arbiter.delivery(1) == 1);
    }
}

TEST_CASE("a client holds its share for the whole of its last cycle", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(4));
    arbiter.start_load(5, 4, 0); // cycle 0: 4 B, cycle 1: 1 B; the other 3 B of cycle 1 are nobody's
    arbiter.queue_dma(1, 4, 0);  // cycle 2
    CHECK(finish(arbiter) == Ends{.streams = {}, .loads = {1}, .writebacks = {}, .dma = {{1, 2}}});
}

TEST_CASE("a vector is delivered in the cycle of its last byte", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(3));
    arbiter.advance(100);
    arbiter.start_stream(stream(4, 5)); // vectors end at bytes 5, 10, 15, 20
    CHECK(arbiter.delivery(0) == 1);    // 5 B at 3 a cycle: the second cycle
    CHECK(arbiter.delivery(1) == 3);    // 10
    CHECK(arbiter.delivery(2) == 4);    // 15
    CHECK(arbiter.delivery(3) == 6);    // 20
    CHECK(arbiter.stream_end() == 106);
    CHECK(arbiter.streamed(100) == 3);
    CHECK(arbiter.streamed(103) == 12);
    CHECK(arbiter.streamed(106) == 20); // not 21

    VmemArbiter wide(vmem(1000));
    wide.start_stream(stream(4, 5)); // one vector a cycle at most
    CHECK(wide.delivery(3) == 3);
    CHECK(wide.stream_end() == 3);
    CHECK(wide.streamed(1) == 10);
}

TEST_CASE("a short last vector enters a cycle after the one before", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(100));
    arbiter.start_stream(stream(3, 4, 1)); // 4 B in cycles 0, 1; 1 B in cycle 2
    CHECK(arbiter.stream_end() == 2);
    CHECK(arbiter.streamed(1) == 8);
    CHECK(arbiter.streamed(2) == 9);
    CHECK(arbiter.delivery(2) == 2);

    VmemArbiter narrow(vmem(3));
    narrow.start_stream(
        stream(3, 4, 1));      // bytes 4, 8, 9 at 3 a cycle: cycles 1, 2 and 2; the third vector takes cycle 3
    narrow.queue_dma(1, 1, 0); // the stream holds its share as long as it lasts
    CHECK(narrow.stream_end() == 3);
    CHECK(narrow.delivery(1) == 2);
    CHECK(narrow.streamed(2) == 9);
    CHECK(narrow.streamed(3) == 9);
    CHECK(finish(narrow).dma == std::map<std::int64_t, Cycles>{{1, 4}});
}

TEST_CASE("the bytes of a stationary tile follow its share", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(5));
    arbiter.start_stream(stream(3, 4)); // cycles 0..2
    arbiter.start_load(10, 4, 0);       // 1 B in cycles 0..2, then 4 B: cycles 3, 4
    arbiter.deal();
    CHECK(arbiter.loaded(0) == 1);
    CHECK(arbiter.loaded(2) == 3);
    arbiter.advance(3);
    arbiter.deal();
    CHECK(arbiter.loaded(3) == 7);
    CHECK(arbiter.loaded(4) == 10); // not 11
    CHECK(arbiter.loading());
    arbiter.advance(5);
    CHECK_FALSE(arbiter.loading());
    CHECK(arbiter.load_delivered() == 4);
}

TEST_CASE("one bank serves one client in a cycle, whatever it leaves", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(100, 1));
    arbiter.start_stream(stream(3, 2));        // cycles 0..2
    arbiter.start_load(6, 3, 0);               // cycles 3, 4
    arbiter.queue_writeback(7, 0, 1, 4, 2, 0); // cycles 5, 6
    arbiter.queue_dma(8, 250, 0);              // cycles 7..9
    // The load has waited for 3 cycles, the write-back for 5, the DMA for 7.
    CHECK(finish(arbiter) ==
          Ends{.streams = {2}, .loads = {4}, .writebacks = {{7, 6}}, .dma = {{8, 9}}, .conflict_cycles = 15});
}

TEST_CASE("one bank of unlimited width still serves one client in a cycle", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(unlimited, 1));
    arbiter.start_stream(stream(3, 2));        // cycles 0..2
    arbiter.start_load(6, 3, 0);               // cycles 3, 4
    arbiter.queue_writeback(7, 0, 1, 4, 2, 0); // cycles 5, 6
    arbiter.queue_dma(8, 250, 0);              // cycle 7
    arbiter.queue_dma(9, 1, 0);                // cycle 7
    CHECK(finish(arbiter) ==
          Ends{.streams = {2}, .loads = {4}, .writebacks = {{7, 6}}, .dma = {{8, 7}, {9, 7}}, .conflict_cycles = 15});
}

TEST_CASE("a write-back ends with its last result or its last byte, whichever is later", "[memory][vmem_arbiter]") {
    SECTION("the results are slower") {
        VmemArbiter arbiter(vmem(4));
        arbiter.queue_writeback(1, 2, 9, 8, 4, 0); // 4 B in cycles 2 and 3; the last result comes out in 9
        arbiter.queue_dma(2, 4, 0);                // cycle 0
        CHECK(finish(arbiter) == Ends{.streams = {}, .loads = {}, .writebacks = {{1, 9}}, .dma = {{2, 0}}});
    }
    SECTION("the bytes are slower") {
        VmemArbiter arbiter(vmem(3));
        arbiter.queue_writeback(1, 2, 4, 12, 4, 0); // 3 B in cycles 2..5
        CHECK(finish(arbiter).writebacks == std::map<std::int64_t, Cycles>{{1, 5}});
    }
    SECTION("its port is its own until then, and the next write-back follows") {
        VmemArbiter arbiter(vmem(4));
        arbiter.queue_writeback(1, 0, 5, 8, 4, 0); // cycles 0..5
        arbiter.queue_writeback(2, 3, 4, 8, 4, 0); // cycles 6, 7
        CHECK(finish(arbiter).writebacks == std::map<std::int64_t, Cycles>{{1, 5}, {2, 7}});
    }
}

TEST_CASE("DMA chunks follow each other without a gap, also within a cycle", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(10));
    arbiter.queue_dma(1, 4, 0);  // bytes 0..3: cycle 0
    arbiter.queue_dma(2, 3, 0);  // 4..6: cycle 0
    arbiter.queue_dma(3, 5, 0);  // 7..11: cycles 0, 1
    arbiter.queue_dma(4, 28, 0); // 12..39: cycles 1..3
    arbiter.queue_dma(5, 1, 0);  // 40: cycle 4
    CHECK(arbiter.dma_pending());
    CHECK(finish(arbiter).dma == std::map<std::int64_t, Cycles>{{1, 0}, {2, 0}, {3, 1}, {4, 3}, {5, 4}});
    CHECK_FALSE(arbiter.dma_pending());
}

TEST_CASE("an unlimited VMEM moves every chunk in the cycle it is queued", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(unlimited));
    arbiter.advance(5);
    arbiter.start_stream(stream(3, 1000)); // 5..7: one vector a cycle all the same
    arbiter.start_load(2000, 1000, 0);     // 5, 6: one row a cycle
    arbiter.queue_writeback(1, 6, 6, 1 << 30, 1 << 30, 0);
    arbiter.queue_dma(2, std::int64_t{1} << 40, 0);
    arbiter.queue_dma(3, 1, 0);
    CHECK(finish(arbiter) == Ends{.streams = {7}, .loads = {6}, .writebacks = {{1, 6}}, .dma = {{2, 5}, {3, 5}}});
}

TEST_CASE("an arbiter without work has no event, and going back in time changes nothing", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(4));
    arbiter.deal();
    CHECK(arbiter.next_event() == unlimited);
    arbiter.advance(10);
    arbiter.advance(3);
    CHECK(arbiter.now() == 10);
    arbiter.queue_writeback(1, 15, 15, 1, 1, 0);
    arbiter.deal();
    CHECK(arbiter.next_event() == 15); // its first result: the shares change
    arbiter.advance(15);
    arbiter.deal();
    CHECK(arbiter.next_event() == 16);
}

namespace {

enum class Client { stream, load, writeback, dma, vector };
constexpr int client_count = 5;

// Started in the cycle `at`, or when its client becomes free.
struct Job {
    Client client;
    Cycles at;
    std::int64_t count; // vectors, rows, vectors; DMA: 1; vector unit: cycles at full rate
    Bytes bytes;        // of each
    Bytes last;         // stream: of the last vector, if that is less
    Cycles late;        // write-back: cycles until the first result
    Cycles pace;        // write-back: cycles between two results
    BankId bank;
    Bytes y;       // stream: of each vector, from y's bank, if a vector is larger
    BankId y_bank; // stream

    Bytes last_bytes() const { return client == Client::stream ? std::min(last, bytes) : bytes; }
    Bytes y_bytes() const { return y < bytes ? y : 0; }
    Bytes last_y_bytes() const { return y_bytes() < last_bytes() ? y_bytes() : 0; }
    Bytes total() const { return (count - 1) * bytes + last_bytes(); }
};

using Jobs = std::vector<Job>;

std::ostream& operator<<(std::ostream& out, const Job& job) {
    static constexpr const char* names[] = {"stream", "load", "writeback", "dma", "vector"};
    return out << names[static_cast<int>(job.client)] << " at " << job.at << ": " << job.count << " x " << job.bytes
               << " B (last " << job.last_bytes() << ") in bank " << job.bank << ", y " << job.y_bytes() << " (last "
               << job.last_y_bytes() << ") in bank " << job.y_bank << ", late " << job.late << ", pace " << job.pace;
}

void showValue(const Job& job, std::ostream& out) { out << job; }

rc::Gen<Job> any_job(std::int64_t banks) {
    using rc::gen::inRange;
    return rc::gen::build<Job>(
        rc::gen::set(&Job::client,
                     rc::gen::element(Client::stream, Client::load, Client::writeback, Client::dma, Client::vector)),
        rc::gen::set(&Job::at, inRange<Cycles>(0, 60)), rc::gen::set(&Job::count, inRange<std::int64_t>(1, 12)),
        rc::gen::set(&Job::bytes, inRange<Bytes>(1, 20)), rc::gen::set(&Job::last, inRange<Bytes>(1, 40)),
        rc::gen::set(&Job::late, inRange<Cycles>(0, 12)), rc::gen::set(&Job::pace, inRange<Cycles>(1, 3)),
        rc::gen::set(&Job::bank, inRange<BankId>(0, std::min<std::int64_t>(banks, 8))),
        rc::gen::set(&Job::y, inRange<Bytes>(0, 20)),
        rc::gen::set(&Job::y_bank, inRange<BankId>(0, std::min<std::int64_t>(banks, 8))));
}

VmemStream stream_of(const Job& job) {
    return {.vectors = job.count,
            .vector_bytes = job.bytes,
            .last_vector_bytes = job.last_bytes(),
            .y_bytes = job.y_bytes(),
            .last_y_bytes = job.last_y_bytes(),
            .x_bank = job.bank,
            .y_bank = job.y_bank};
}

Cycles last_result(const Job& job, Cycles start) { return start + job.late + (job.count - 1) * job.pace; }

// Starts what can start in this cycle, in the order of the jobs of a client. A job's id is its place in the list.
class Starter {
  public:
    explicit Starter(const Jobs& jobs) {
        for (std::size_t i = 0; i < jobs.size(); ++i)
            waiting_[static_cast<int>(jobs[i].client)].push_back({static_cast<std::int64_t>(i), jobs[i]});
    }

    template <typename IsFree, typename Start>
    void start(Cycles now, IsFree&& is_free, Start&& start) {
        for (auto& queue : waiting_) {
            while (!queue.empty() && queue.front().job.at <= now && is_free(queue.front().job.client)) {
                start(queue.front().id, queue.front().job);
                queue.pop_front();
            }
        }
    }
    // The next cycle in which a job asks to be started; jobs that wait for their client are not counted.
    Cycles next(Cycles now) const {
        Cycles next = unlimited;
        for (const auto& queue : waiting_) {
            if (!queue.empty() && queue.front().job.at > now)
                next = std::min(next, queue.front().job.at);
        }
        return next;
    }
    bool done() const {
        return std::all_of(std::begin(waiting_), std::end(waiting_), [](const auto& queue) { return queue.empty(); });
    }

  private:
    struct Entry {
        std::int64_t id;
        Job job;
    };
    std::deque<Entry> waiting_[client_count];
};

void start_on(VmemArbiter& arbiter, std::int64_t id, const Job& job) {
    const Cycles now = arbiter.now();
    switch (job.client) {
    case Client::stream:
        return arbiter.start_stream(stream_of(job));
    case Client::load:
        return arbiter.start_load(job.total(), job.bytes, job.bank);
    case Client::writeback:
        return arbiter.queue_writeback(id, now + job.late, last_result(job, now), job.total(), job.bytes, job.bank);
    case Client::dma:
        return arbiter.queue_dma(id, job.total(), job.bank);
    case Client::vector:
        return arbiter.queue_vector(id, job.total(), job.bytes, job.bank);
    }
}

// Drives the arbiter through the jobs; `step(next)` chooses the cycle to go on with, given the next event.
template <typename Step>
Ends drive(const VmemConfig& config, const Jobs& jobs, Step&& step) {
    VmemArbiter arbiter(config);
    Starter starter(jobs);
    Ends ends;
    for (;;) {
        starter.start(
            arbiter.now(),
            [&](Client client) {
                return (client != Client::stream || !arbiter.streaming()) &&
                       (client != Client::load || !arbiter.loading());
            },
            [&](std::int64_t id, const Job& job) { start_on(arbiter, id, job); });
        arbiter.deal();
        RC_ASSERT(arbiter.now() < too_late);
        const Cycles event = arbiter.next_event();
        RC_ASSERT(event > arbiter.now());
        const Cycles next = std::min(event, starter.next(arbiter.now()));
        if (next == unlimited) {
            RC_ASSERT(starter.done());
            ends.conflict_cycles = arbiter.conflict_cycles();
            return ends;
        }
        const bool streaming = arbiter.streaming();
        const bool loading = arbiter.loading();
        arbiter.advance(step(arbiter.now(), next));
        if (streaming && !arbiter.streaming())
            ends.streams.push_back(arbiter.stream_end());
        if (loading && !arbiter.loading())
            ends.loads.push_back(arbiter.load_delivered());
        take_finished(arbiter, ends);
    }
}

// One cycle of the page's rules: what is served is cut from `rest`, never more than there is, and takes a port.
class CycleModel {
  public:
    explicit CycleModel(const VmemConfig& config) : config_(config) {}

    bool is_free(Client client) const {
        return client == Client::stream ? stream_.vectors == 0 : client == Client::load ? load_.left == 0 : true;
    }
    bool busy() const {
        return stream_.vectors > 0 || load_.left > 0 || !writebacks_.empty() || !dma_.empty() || !vector_.empty();
    }

    void start(Cycles now, std::int64_t id, const Job& job) {
        const Flow flow{id, job.total(), job.bytes, now + job.late, last_result(job, now), job.bank, job.count, job};
        if (job.client == Client::stream) {
            stream_ = flow;
            phase_left_ = 0;
        }
        if (job.client == Client::load)
            load_ = flow;
        if (job.client == Client::writeback)
            writebacks_.push_back(flow);
        if (job.client == Client::dma)
            dma_.push_back(flow);
        if (job.client == Client::vector)
            vector_.push_back(flow);
    }

    void serve(Cycles now, Ends& ends) {
        Bytes rest = config_.bandwidth;
        taken_.clear();
        waiting_ = 0;
        if (stream_.vectors > 0)
            serve_stream(now, rest, ends);
        if (load_.left > 0) {
            take(load_, rest);
            if (load_.left == 0)
                ends.loads.push_back(now);
        }
        if (!writebacks_.empty() && writebacks_.front().first <= now) {
            auto& flow = writebacks_.front();
            take(flow, rest);
            if (flow.left == 0 && now >= flow.last) {
                ends.writebacks[flow.id] = now;
                writebacks_.pop_front();
            }
        }
        Bytes dma = 0; // its share
        const BankId dma_bank = dma_.empty() ? 0 : dma_.front().bank;
        if (!dma_.empty() && port(dma_bank)) {
            dma = rest;
            rest = 0;
            if (dma > 0)
                ++taken_[dma_bank];
        }
        if (!vector_.empty()) {
            auto& flow = vector_.front();
            take(flow, rest);
            if (flow.left == 0) {
                ends.vectors[flow.id] = now;
                vector_.pop_front();
            }
        }
        serve_dma(now, dma, dma_bank, ends);
        ends.conflict_cycles += waiting_;
    }

  private:
    struct Flow {
        std::int64_t id = 0;
        Bytes left = 0;
        Bytes cap = 0;
        Cycles first = 0, last = 0;
        BankId bank = 0;
        std::int64_t vectors = 0; // still to enter
        Job job{};
    };

    bool port(BankId bank) {
        const bool is_free = config_.banks == unlimited || taken_[bank] < config_.ports;
        waiting_ += !is_free;
        return is_free;
    }

    // The share is the client's for the whole cycle, however little of it is left to move.
    void take(Flow& flow, Bytes& rest) {
        if (!port(flow.bank))
            return;
        const Bytes share = std::min(rest, flow.cap);
        flow.left = std::max<Bytes>(0, flow.left - share);
        rest -= share;
        if (share > 0)
            ++taken_[flow.bank];
    }

    void serve_stream(Cycles now, Bytes& rest, Ends& ends) {
        const Job& job = stream_.job;
        if (config_.banks != unlimited && config_.ports == 1 && job.y_bytes() > 0 && job.bank == job.y_bank)
            return serve_turns(now, rest, ends);
        take(stream_, rest);
        if (job.y_bytes() > 0)
            ++taken_[job.y_bank];
        // A vector enters when all its bytes are there, one a cycle.
        const Bytes behind = stream_.vectors > 1 ? (stream_.vectors - 2) * stream_.cap + job.last_bytes() : 0;
        if (stream_.left <= behind && --stream_.vectors == 0)
            ends.streams.push_back(now);
    }

    // x's part of a vector, then y's; a cycle moves bytes of one of them.
    void serve_turns(Cycles now, Bytes& rest, Ends& ends) {
        const Job& job = stream_.job;
        const bool last = stream_.vectors == 1;
        const Bytes y = last ? job.last_y_bytes() : job.y_bytes();
        const Bytes x = (last ? job.last_bytes() : job.bytes) - y;
        if (phase_left_ == 0) {
            phase_left_ = x + y;
        }
        Bytes& left = phase_left_;
        left = left > y ? std::max(y, left - rest) : std::max<Bytes>(0, left - rest);
        rest -= std::min(rest, std::max(job.bytes - job.y_bytes(), job.y_bytes()));
        ++taken_[job.bank];
        if (left == 0 && --stream_.vectors == 0)
            ends.streams.push_back(now);
    }

    void serve_dma(Cycles now, Bytes share, BankId dealt, Ends& ends) {
        while (share > 0 && !dma_.empty()) {
            auto& chunk = dma_.front();
            if (config_.banks != unlimited && chunk.bank != dealt && taken_[chunk.bank] >= config_.ports)
                return;
            const Bytes moved = std::min(share, chunk.left);
            share -= moved;
            chunk.left -= moved;
            if (chunk.left > 0)
                return;
            ends.dma[chunk.id] = now;
            dma_.pop_front();
        }
    }

    VmemConfig config_;
    Flow stream_, load_;
    Bytes phase_left_ = 0; // of the vector that is read in turns
    std::map<BankId, int> taken_;
    int waiting_ = 0;
    std::deque<Flow> writebacks_, dma_, vector_;
};

// Cycles by which turns lengthen a stream: it alone, with and without.
Cycles turn_cycles(VmemConfig config, const Job& job) {
    if (job.client != Client::stream)
        return 0;
    const auto alone = [&] {
        CycleModel model(config);
        model.start(0, 0, job);
        Ends ends;
        for (Cycles now = 0; model.busy(); ++now)
            model.serve(now, ends);
        return ends.streams.front();
    };
    const Cycles with = alone();
    config.banks = unlimited;
    return with - alone();
}

Ends model_ends(const VmemConfig& config, const Jobs& jobs) {
    CycleModel model(config);
    Starter starter(jobs);
    Ends ends;
    for (Cycles now = 0; !starter.done() || model.busy(); ++now) {
        starter.start(
            now, [&](Client client) { return model.is_free(client); },
            [&](std::int64_t id, const Job& job) { model.start(now, id, job); });
        model.serve(now, ends);
    }
    for (const auto& job : jobs)
        ends.conflict_cycles += turn_cycles(config, job);
    return ends;
}

// Every job ends once, and all bytes of jobs that are done by the end of a cycle have passed VMEM by then.
void check_bytes(const VmemConfig& config, const Jobs& jobs, const Ends& ends) {
    std::vector<std::pair<Cycles, Bytes>> moved;
    std::size_t stream = 0, load = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto& job = jobs[i];
        const auto id = static_cast<std::int64_t>(i);
        const Cycles end = job.client == Client::stream      ? ends.streams.at(stream++)
                           : job.client == Client::load      ? ends.loads.at(load++)
                           : job.client == Client::writeback ? ends.writebacks.at(id)
                           : job.client == Client::dma       ? ends.dma.at(id)
                                                             : ends.vectors.at(id);
        moved.emplace_back(end, job.total());
    }
    RC_ASSERT(stream == ends.streams.size());
    RC_ASSERT(load == ends.loads.size());
    RC_ASSERT(jobs.size() == stream + load + ends.writebacks.size() + ends.dma.size() + ends.vectors.size());
    std::sort(moved.begin(), moved.end());
    Bytes sum = 0;
    for (const auto& [end, bytes] : moved) {
        sum += bytes;
        RC_ASSERT(sum <= config.bandwidth * (end + 1));
    }
}

VmemConfig any_vmem() {
    return vmem(*rc::gen::inRange<BytesPerCycle>(1, 50).as("bandwidth"),
                *rc::gen::elementOf(std::vector<std::int64_t>{unlimited, 1, 2, 3, 8}).as("banks"),
                *rc::gen::inRange(1, 4).as("ports"));
}

} // namespace

TEST_CASE("from event to event, cycle by cycle or by a plain loop: the same cycles", "[memory][vmem_arbiter]") {
    check_property("arbiter", 2000, [] {
        const auto config = any_vmem();
        const Jobs jobs = *rc::gen::container<Jobs>(any_job(config.banks));
        const Ends expected = model_ends(config, jobs);
        RC_ASSERT(drive(config, jobs, [](Cycles, Cycles next) { return next; }) == expected);
        RC_ASSERT(drive(config, jobs, [](Cycles now, Cycles) { return now + 1; }) == expected);
        check_bytes(config, jobs, expected);
    });
}

TEST_CASE("looking in between two events changes nothing", "[memory][vmem_arbiter]") {
    check_property("arbiter, looked at", 500, [] {
        const auto config = any_vmem();
        const Jobs jobs = *rc::gen::container<Jobs>(any_job(config.banks));
        const auto seldom = *rc::gen::inRange<Cycles>(2, 9);
        const auto between = [&](Cycles now, Cycles next) { return std::min(next, now + seldom); };
        RC_ASSERT(drive(config, jobs, between) == model_ends(config, jobs));
    });
}
