// SystemC memory models of every kind in the place of the HBM.
#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "sim/base/error.h"
#include "sim/engine/external_memory.h"
#include "sim/kernel/session.h"
#include "tests/support/engines.h"
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

using Payload = tlm::tlm_generic_payload;

struct Seen {
    std::int64_t reads = 0, writes = 0, bytes = 0, made = 0, alive = 0;
    std::uint64_t end = 0; // behind the highest address
};

void look(Seen& seen, const Payload& payload) {
    ++(payload.is_write() ? seen.writes : seen.reads);
    seen.bytes += payload.get_data_length();
    seen.end = std::max<std::uint64_t>(seen.end, payload.get_address() + payload.get_data_length());
}

// Answers at once, a constant latency ahead.
class Annotating : public sc_core::sc_module, public ExternalMemory {
  public:
    Annotating(const TimeBase& time, Picoseconds latency, Seen& seen)
        : sc_module(sc_core::sc_module_name("annotating")), latency_(kernel_time(time.from_picoseconds(latency))),
          seen_(seen) {
        ++seen_.made;
        ++seen_.alive;
        socket_.register_nb_transport_fw(this, &Annotating::nb_transport_fw);
    }
    ~Annotating() override { --seen_.alive; }

    void bind(tlm::tlm_initiator_socket<>& dma) override { dma.bind(socket_); }
    Ticks busy_before(Ticks now) const override { return 5 * now - 7; } // nonsense, which may do no harm

  private:
    tlm::tlm_sync_enum nb_transport_fw(int, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        if (phase != tlm::BEGIN_REQ)
            return tlm::TLM_COMPLETED;
        look(seen_, payload);
        delay += latency_;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    tlm_utils::multi_passthrough_target_socket<Annotating> socket_{"socket"};
    sc_core::sc_time latency_;
    Seen& seen_;
};

// The simplest model there is: a blocking transport that waits, one socket for each DMA engine.
class Blocking : public ExternalMemory {
  public:
    Blocking(const TimeBase& time, Picoseconds latency, Seen& seen)
        : latency_(kernel_time(time.from_picoseconds(latency))), seen_(seen) {}

    void bind(tlm::tlm_initiator_socket<>& dma) override {
        sockets_.push_back(std::make_unique<Socket>(sc_core::sc_gen_unique_name("socket")));
        sockets_.back()->register_b_transport(this, &Blocking::b_transport);
        dma.bind(*sockets_.back());
    }

  private:
    using Socket = tlm_utils::simple_target_socket<Blocking>;

    void b_transport(Payload& payload, sc_core::sc_time& delay) {
        look(seen_, payload);
        sc_core::wait(delay + latency_);
        delay = sc_core::SC_ZERO_TIME;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    std::vector<std::unique_ptr<Socket>> sockets_;
    sc_core::sc_time latency_;
    Seen& seen_;
};

// A model with a clock, which therefore never comes to rest: one answer in each of its cycles, or none at all.
class Clocked : public sc_core::sc_module, public ExternalMemory {
  public:
    SC_HAS_PROCESS(Clocked);

    Clocked(sc_core::sc_time period, bool dead)
        : sc_module(sc_core::sc_module_name("clocked")), clock_("clock", period), dead_(dead) {
        socket_.register_nb_transport_fw(this, &Clocked::nb_transport_fw);
        SC_METHOD(tick);
        sensitive << clock_.posedge_event();
        dont_initialize();
    }
    void bind(tlm::tlm_initiator_socket<>& dma) override { dma.bind(socket_); }

  private:
    tlm::tlm_sync_enum nb_transport_fw(int initiator, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase != tlm::BEGIN_REQ)
            return tlm::TLM_COMPLETED;
        queue_.push_back({initiator, &payload});
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void tick() {
        if (queue_.empty() || dead_)
            return;
        const auto [initiator, payload] = queue_.front();
        queue_.pop_front();
        payload->set_response_status(tlm::TLM_OK_RESPONSE);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket_[initiator]->nb_transport_bw(*payload, phase, delay);
    }

    tlm_utils::multi_passthrough_target_socket<Clocked> socket_{"socket"};
    sc_core::sc_clock clock_;
    bool dead_;
    std::deque<std::pair<int, Payload*>> queue_;
};

Machine machine_with_ideal_hbm(Picoseconds latency, int cores = 1) {
    Machine machine = ideal_machine(4, 4);
    machine.clock = 1'000'000'000;
    machine.cores = cores;
    machine.dma.burst_bytes = 16;
    machine.hbm = {};
    machine.hbm.latency = latency;
    return machine;
}

ExternalMemoryFactory annotating(Picoseconds latency, Seen& seen) {
    return [latency, &seen](const TimeBase& time) { return std::make_unique<Annotating>(time, latency, seen); };
}

ExternalMemoryFactory clocked(double period_ns, bool dead = false) {
    return
        [=](const TimeBase&) { return std::make_unique<Clocked>(sc_core::sc_time(period_ns, sc_core::SC_NS), dead); };
}

} // namespace

TEST_CASE("an ideal external memory takes the cycles of an ideal HBM, on every engine", "[engine][external]") {
    constexpr Picoseconds latency = 37'100;
    for (const int cores : {1, 2}) {
        const Machine machine = machine_with_ideal_hbm(latency, cores);
        const auto problem = gemm(9, 10, 11);
        for (const auto from : {DataOrigin::vmem, DataOrigin::hbm, DataOrigin::host}) {
            for_each_engine([&](EngineKind engine) {
                auto options = run_options(engine, ws, from);
                const auto built_in = run_one(machine, problem, options);
                Seen seen;
                options.external_memory = annotating(latency, seen);
                const auto external = run_one(machine, problem, options);
                CHECK(external.cycles == built_in.cycles);
                CHECK(external.stack.total() == built_in.stack.total());
                CHECK(seen.made == (from == DataOrigin::vmem ? 0 : 1)); // nobody asks it for anything
                CHECK(seen.alive == 0);
                const auto& hbm = external.traffic.hbm;
                CHECK(seen.reads + seen.writes == hbm.accesses);
                CHECK(seen.bytes == hbm.read.total() + hbm.write.total());
                if (from != DataOrigin::vmem) {
                    CHECK(seen.end > 9 * 11 + 11 * 10); // C lies behind A and B
                    CHECK(seen.end <= 9 * 11 + 11 * 10 + 9 * 10);
                }
            });
        }
    }
}

TEST_CASE("a blocking memory that waits takes one request of an engine at a time", "[engine][external]") {
    constexpr Picoseconds latency = 20'000; // 20 cycles
    const Machine machine = machine_with_ideal_hbm(latency);
    for_each_engine([&](EngineKind engine) {
        Seen seen;
        auto options = run_options(engine, ws, DataOrigin::hbm);
        options.external_memory = [&](const TimeBase& time) { return std::make_unique<Blocking>(time, latency, seen); };
        const auto result = run_one(machine, gemm(8, 8, 8), options);
        // 4 + 4 + 4 requests of 16 B, each seen the tick after its answer: in the cycle after it.
        CHECK(seen.reads + seen.writes == 12);
        CHECK(result.cycles >= 12 * 20);
        options.engine = EngineKind::tile;
        options.verify.reset();
        CHECK(result.cycles == run_one(machine, gemm(8, 8, 8), options).cycles);
    });
}

TEST_CASE("a run ends though the external memory has a clock that does not", "[engine][external]") {
    const Machine machine = machine_with_ideal_hbm(0);
    for_each_engine([&](EngineKind engine) {
        auto options = run_options(engine, ws, DataOrigin::host);
        options.external_memory = clocked(2.5);
        const auto fast = run_one(machine, gemm(8, 8, 8), options);
        options.external_memory = clocked(40);
        const auto slow = run_one(machine, gemm(8, 8, 8), options);
        CHECK(slow.traffic.hbm.accesses == fast.traffic.hbm.accesses);
        CHECK(slow.cycles > 40 * (slow.traffic.hbm.accesses - 1)); // one answer in 40 cycles, the first at 0
        CHECK(slow.cycles < 40 * (slow.traffic.hbm.accesses + 4) + fast.cycles);
        CHECK(slow.stack[Cause::hbm_bandwidth] == 0); // it does not say when it moves data
    });
}

TEST_CASE("an external memory that does not answer is told from a deadlock of the machine", "[engine][external]") {
    const Machine machine = machine_with_ideal_hbm(0);
    auto options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    options.external_memory = clocked(100'000, true); // a slow clock, so that the test is quick
    CHECK_THROWS_AS(run_one(machine, gemm(8, 8, 8), options), EnvironmentError);
    CHECK_THROWS_WITH(run_one(machine, gemm(8, 8, 8), options),
                      Catch::Contains("the external memory has answered nothing for 10000000 cycles") &&
                          Catch::Contains("core 0: "));
    options.max_cycles = 5000;
    CHECK_THROWS_AS(run_one(machine, gemm(8, 8, 8), options), InputError);
    CHECK_THROWS_WITH(run_one(machine, gemm(8, 8, 8), options), Catch::Contains("raise --max-cycles"));
}

TEST_CASE("an external memory that answers late is no reason to speak of --max-cycles", "[engine][external]") {
    const Machine machine = machine_with_ideal_hbm(0);
    auto options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    options.external_memory = clocked(40);
    const Cycles cycles = run_one(machine, gemm(8, 8, 8), options).cycles;
    options.max_cycles = cycles + 1;
    CHECK(run_one(machine, gemm(8, 8, 8), options).cycles == cycles);
}

TEST_CASE("an external memory faster than hbm.bandwidth is refused, not a bug", "[engine][external]") {
    Machine machine = machine_with_ideal_hbm(0);
    machine.hbm.bandwidth = 100'000'000; // 0.1 B a cycle
    Seen seen;
    auto options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    options.external_memory = annotating(0, seen);
    CHECK_THROWS_AS(run_one(machine, gemm(8, 8, 8), options), InputError);
    CHECK_THROWS_WITH(run_one(machine, gemm(8, 8, 8), options), Catch::Contains("set that to its peak"));
    machine.hbm.bandwidth = unlimited;
    CHECK(run_one(machine, gemm(8, 8, 8), options).cycles > 0);
}

TEST_CASE("the naive mapping and the dataflow are chosen for the chip's own HBM", "[engine][external]") {
    const Machine machine = machine_with_ideal_hbm(10'000);
    auto options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    options.dataflow.reset();
    const auto built_in = run_one(machine, gemm(20, 12, 31), options);
    options.external_memory = clocked(33);
    const auto external = run_one(machine, gemm(20, 12, 31), options);
    CHECK(external.dataflow == built_in.dataflow);
    CHECK(external.tile == built_in.tile);
}

TEST_CASE("each operator gets an external memory of its own", "[engine][external]") {
    const Machine machine = machine_with_ideal_hbm(10'000);
    Seen seen;
    auto options = run_options(EngineKind::flat, ws, DataOrigin::hbm);
    options.external_memory = annotating(10'000, seen);
    const auto result = simulate(machine, {gemm(4, 4, 4), gemm(8, 4, 4)}, options);
    CHECK(result.operators.size() == 2);
    CHECK(seen.made == 2);
    CHECK(seen.alive == 0);
}

TEST_CASE("what a factory or a memory throws arrives at the caller, and the next run is sound", "[engine][external]") {
    const Machine machine = machine_with_ideal_hbm(0);
    auto options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    const Cycles cycles = run_one(machine, gemm(8, 8, 8), options).cycles;
    options.external_memory = [](const TimeBase&) -> std::unique_ptr<ExternalMemory> {
        throw std::runtime_error("no memory today");
    };
    CHECK_THROWS_WITH(run_one(machine, gemm(8, 8, 8), options), "no memory today");
    options.external_memory = [](const TimeBase&) { return std::unique_ptr<ExternalMemory>(); };
    CHECK_THROWS_AS(run_one(machine, gemm(8, 8, 8), options), InputError);
    options.external_memory = {};
    CHECK(run_one(machine, gemm(8, 8, 8), options).cycles == cycles);
}
