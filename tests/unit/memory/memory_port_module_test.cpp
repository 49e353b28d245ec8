// The boundary between a DMA engine and the memory, spoken in TLM-2.0: with the HBM of this project and with targets
// that answer in all the ways in which the standard lets them.
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "memory/hbm_module.h"
#include "memory/memory_port_module.h"
#include "sim/base/error.h"
#include "sim/kernel/session.h"

using namespace systole;

namespace {

Ticks kernel_now() { return kernel_ticks(sc_core::sc_time_stamp()); }

struct Seen { // a response
    int id;
    Ticks done;
    Ticks at; // the kernel's time of the call

    bool operator==(const Seen&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    return out << "{" << seen.id << " done " << seen.done << " at " << seen.at << "}";
}

// A client that makes its requests at given times and writes down the responses.
class PortClient : public sc_core::sc_module, public MemoryClient {
  public:
    SC_HAS_PROCESS(PortClient);

    PortClient(sc_core::sc_module_name name, std::multimap<Ticks, MemoryRequest> plan)
        : sc_module(name), port(
                               "port", 8, [](Ticks now) { return now / 2; }, [this](Ticks at) { woken.push_back(at); }),
          plan_(std::move(plan)) {
        port.attach(this);
        SC_METHOD(step);
    }

    void response(int id, Ticks done) override { seen.push_back({id, done, kernel_now()}); }

    MemoryPortModule port;
    std::vector<Seen> seen;
    std::vector<Ticks> woken;

  private:
    void step() {
        while (!plan_.empty() && plan_.begin()->first == kernel_now()) {
            const auto request = plan_.begin()->second;
            plan_.erase(plan_.begin());
            port.request(kernel_now(), request);
        }
        if (!plan_.empty())
            next_trigger(kernel_time(plan_.begin()->first - kernel_now()));
    }

    std::multimap<Ticks, MemoryRequest> plan_;
};

// A target whose behaviour is that of a function; later answers are scheduled with answer_at().
class Target : public sc_core::sc_module {
  public:
    SC_HAS_PROCESS(Target);
    using Payload = tlm::tlm_generic_payload;
    using Forward = std::function<tlm::tlm_sync_enum(Target&, Payload&, tlm::tlm_phase&, sc_core::sc_time&)>;

    Target(sc_core::sc_module_name name, Forward forward)
        : sc_module(name), socket("socket"), forward_(std::move(forward)) {
        socket.register_nb_transport_fw(this, &Target::nb_transport_fw);
        SC_METHOD(answer);
        sensitive << event_;
        dont_initialize();
    }

    void answer_at(Ticks at, Payload& payload, tlm::tlm_phase phase = tlm::BEGIN_RESP) {
        answers_.emplace(at, Answer{&payload, phase});
        event_.notify(kernel_time(answers_.begin()->first - kernel_now()));
    }
    tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase phase, Ticks ahead) {
        sc_core::sc_time delay = kernel_time(ahead);
        if (phase == tlm::BEGIN_RESP && payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return socket->nb_transport_bw(payload, phase, delay);
    }

    tlm_utils::simple_target_socket<Target> socket;
    Ticks ahead = 0; // of the answers on the backward path: the delay that they are annotated with

  private:
    struct Answer {
        Payload* payload;
        tlm::tlm_phase phase;
    };

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        return forward_(*this, payload, phase, delay);
    }
    void answer() {
        while (!answers_.empty() && answers_.begin()->first <= kernel_now()) {
            const auto next = answers_.begin()->second;
            answers_.erase(answers_.begin());
            backward(*next.payload, next.phase, ahead);
        }
        if (!answers_.empty())
            event_.notify(kernel_time(answers_.begin()->first - kernel_now()));
    }

    Forward forward_;
    std::multimap<Ticks, Answer> answers_;
    sc_core::sc_event event_;
};

MemoryRequest read(int id, Bytes bytes, std::uint64_t address = 0) {
    return {.write = false, .address = address, .bytes = bytes, .id = id};
}

// Runs one client against a target with this behaviour.
struct Outcome {
    std::vector<Seen> seen;
    std::vector<Ticks> woken;
};

Outcome run_against(Target::Forward forward, std::multimap<Ticks, MemoryRequest> plan, Ticks ahead = 0) {
    KernelSession session;
    PortClient client("client", std::move(plan));
    Target target("target", std::move(forward));
    target.ahead = ahead;
    client.port.socket.bind(target.socket);
    session.run();
    return {client.seen, client.woken};
}

const TimeBase ticks_of_gigahertz(1'000'000'000);

HbmConfig pipe_of(BytesPerSecond bandwidth, Picoseconds latency) {
    HbmConfig config;
    config.bandwidth = bandwidth;
    config.latency = latency;
    return config;
}

} // namespace

TEST_CASE("the HBM behind its socket answers like a pipe of its bandwidth and latency", "[memory][port][hbm]") {
    const auto config = pipe_of(819'000'000'000, 100'000);
    const std::vector<std::pair<Ticks, Bytes>> asked{{0, 64}, {0, 64}, {10, 4096}, {20'000, 1}, {1'000'000, 100}};
    BandwidthPipe pipe(ticks_of_gigahertz, config.bandwidth, config.latency);
    std::multimap<Ticks, MemoryRequest> plan;
    std::vector<Seen> expected;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto [at, bytes] = asked[i];
        plan.emplace(at, read(static_cast<int>(i), bytes));
        expected.push_back({static_cast<int>(i), pipe.submit(at, bytes), at}); // known at once
    }
    KernelSession session;
    PortClient client("client", plan);
    HbmModule hbm("hbm", config, ticks_of_gigahertz);
    client.port.socket.bind(hbm.socket);
    session.run();
    CHECK(client.seen == expected);
    CHECK(client.seen[1].done == 157 + 100'000); // 128 B at 819 GB/s: 156.29
    CHECK(client.woken.empty());                 // the client is in its own step
    CHECK(hbm.device().busy_before(2'000'000) == pipe.busy_before(2'000'000));
}

TEST_CASE("clients of one HBM are served in the order in which they ask", "[memory][port][hbm]") {
    KernelSession session;
    PortClient first("first", {{0, read(3, 1000)}, {150, read(4, 100)}});
    PortClient second("second", {{50, read(5, 1000)}});
    HbmModule hbm("hbm", pipe_of(1'000'000'000'000, 7), ticks_of_gigahertz); // one byte a tick
    first.port.socket.bind(hbm.socket);
    second.port.socket.bind(hbm.socket);
    session.run();
    CHECK(first.seen == std::vector<Seen>{{3, 1000 + 7, 0}, {4, 1000 + 1000 + 100 + 7, 150}});
    CHECK(second.seen == std::vector<Seen>{{5, 1000 + 1000 + 7, 50}});
}

TEST_CASE("a blocking transport to the HBM takes its delay into account", "[memory][hbm]") {
    KernelSession session;
    struct Initiator : sc_core::sc_module {
        SC_HAS_PROCESS(Initiator);
        explicit Initiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") { SC_THREAD(run); }

        // When the bytes are there; asked for `ahead` ticks from now.
        Ticks done(Ticks ahead) {
            tlm::tlm_generic_payload payload;
            payload.set_data_length(30);
            sc_core::sc_time delay = kernel_time(ahead);
            socket->b_transport(payload, delay);
            CHECK(payload.is_response_ok());
            return kernel_now() + kernel_ticks(delay);
        }
        void run() {
            CHECK(done(100) == 100 + 30 + 7);
            CHECK(kernel_now() == 100);           // it has waited for the arrival
            CHECK(done(10) == 110 + 20 + 30 + 7); // 20 ticks before the pipe is free
            finished = true;
        }

        tlm_utils::simple_initiator_socket<Initiator> socket;
        bool finished = false;
    } initiator("initiator");
    HbmModule hbm("hbm", pipe_of(1'000'000'000'000, 7), ticks_of_gigahertz);
    initiator.socket.bind(hbm.socket);
    session.run();
    CHECK(initiator.finished);
}

TEST_CASE("a transaction carries what was asked for", "[memory][port]") {
    std::vector<tlm::tlm_command> commands;
    std::vector<std::uint64_t> addresses;
    std::vector<unsigned> lengths;
    bool sound = true;
    run_against(
        [&](Target&, Target::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
            commands.push_back(payload.get_command());
            addresses.push_back(payload.get_address());
            lengths.push_back(payload.get_data_length());
            sound = sound && phase == tlm::BEGIN_REQ && delay == sc_core::SC_ZERO_TIME &&
                    payload.get_streaming_width() == payload.get_data_length() &&
                    payload.get_byte_enable_ptr() == nullptr && !payload.is_dmi_allowed() &&
                    payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE;
            for (unsigned i = 0; i < payload.get_data_length(); ++i)
                payload.get_data_ptr()[i] = 1; // there is room for as much as is asked for
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            return tlm::TLM_COMPLETED;
        },
        {{5, {.write = true, .address = 0x1234'5678'9abc, .bytes = 4096, .id = 2}},
         {6, read(7, 1, 42)},
         {7, read(7, 100'000, 43)}}); // an id is free again once it is answered
    CHECK(commands == std::vector{tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND, tlm::TLM_READ_COMMAND});
    CHECK(addresses == std::vector<std::uint64_t>{0x1234'5678'9abc, 42, 43});
    CHECK(lengths == std::vector<unsigned>{4096, 1, 100'000});
    CHECK(sound);
}

TEST_CASE("answers on the backward path may come later and out of order", "[memory][port]") {
    const auto outcome = run_against(
        [](Target& target, Target::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
            // 64, 65, 66, ... bytes: the later it was asked, the sooner it is answered
            target.answer_at(1000 - 100 * (payload.get_data_length() - 64), payload);
            phase = tlm::END_REQ; // the next request may come
            return tlm::TLM_UPDATED;
        },
        {{0, read(0, 64)}, {0, read(1, 65)}, {10, read(2, 66)}});
    // Strictly later than the answer, so that the order of the processes at one time does not matter: one tick.
    CHECK(outcome.seen == std::vector<Seen>{{2, 801, 800}, {1, 901, 900}, {0, 1001, 1000}});
    CHECK(outcome.woken == std::vector<Ticks>{801, 901, 1001});
}

TEST_CASE("the next request waits until the target has ended the one before", "[memory][port]") {
    const auto outcome = run_against(
        [](Target& target, Target::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
            target.answer_at(kernel_now() + 100, payload); // the answer ends the request
            return tlm::TLM_ACCEPTED;
        },
        {{0, read(0, 64)}, {0, read(1, 64)}, {10, read(2, 64)}});
    // 0 + 100; 100 + 100; 200 + 100; each seen a tick later
    CHECK(outcome.seen == std::vector<Seen>{{0, 101, 100}, {1, 201, 200}, {2, 301, 300}});
}

TEST_CASE("the delay of an answer on the backward path counts", "[memory][port]") {
    const auto outcome = run_against(
        [](Target& target, Target::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
            target.answer_at(300, payload, tlm::END_REQ); // no answer yet
            target.answer_at(500, payload);
            phase = tlm::BEGIN_REQ;
            return tlm::TLM_ACCEPTED;
        },
        {{100, read(6, 64)}}, 40);
    CHECK(outcome.seen == std::vector<Seen>{{6, 500 + 40, 500}});
    CHECK(outcome.woken == std::vector<Ticks>{540}); // strictly later than the answer already
}

TEST_CASE("an answer at once with a delay lies ahead of the kernel's time", "[memory][port]") {
    const auto outcome = run_against(
        [](Target&, Target::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            phase = tlm::BEGIN_RESP;
            delay += kernel_time(77);
            return tlm::TLM_UPDATED;
        },
        {{0, read(1, 64)}, {1000, read(0, 64)}});
    CHECK(outcome.seen == std::vector<Seen>{{1, 77, 0}, {0, 1077, 1000}});
    CHECK(outcome.woken.empty());
}

TEST_CASE("a request that is only taken at once is answered later", "[memory][port]") {
    const auto outcome = run_against(
        [](Target& target, Target::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
            target.answer_at(400, payload);
            phase = tlm::END_REQ;
            delay += kernel_time(5);
            return tlm::TLM_UPDATED;
        },
        {{0, read(1, 64)}});
    CHECK(outcome.seen == std::vector<Seen>{{1, 401, 400}});
}

TEST_CASE("an answer on the backward path from within the request needs no waking", "[memory][port]") {
    const auto outcome = run_against(
        [](Target& target, Target::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
            CHECK(target.backward(payload, tlm::BEGIN_RESP, 30) == tlm::TLM_COMPLETED);
            return tlm::TLM_ACCEPTED;
        },
        {{200, read(4, 64)}});
    CHECK(outcome.seen == std::vector<Seen>{{4, 230, 200}});
    CHECK(outcome.woken.empty());
}

TEST_CASE("the port passes on what the memory says of its busy time", "[memory][port]") {
    KernelSession session;
    const PortClient client("client", {});
    CHECK(client.port.busy_before(100) == 50); // as this test's client has it
}

namespace {

constexpr auto says = "the memory answered a request with TLM_ADDRESS_ERROR_RESPONSE";

tlm::tlm_sync_enum refuse_at_once(Target&, Target::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum refuse_later(Target& target, Target::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    target.answer_at(kernel_now() + 10, payload);
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum complete_at_once(Target&, Target::Payload& payload, tlm::tlm_phase&, sc_core::sc_time& delay) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += kernel_time(9);
    return tlm::TLM_COMPLETED;
}

// One answer of a healthy target in a session of its own.
void check_healthy_session() {
    CHECK(run_against(complete_at_once, {{1, read(1, 64)}}).seen == std::vector<Seen>{{1, 10, 1}});
}

} // namespace

TEST_CASE("an error of the memory is an internal error that says which", "[memory][port]") {
    CHECK_THROWS_AS(run_against(refuse_at_once, {{0, read(0, 64)}}), InternalError);
    CHECK_THROWS_WITH(run_against(refuse_at_once, {{0, read(0, 64)}}), Catch::Contains(says));
    CHECK_THROWS_AS(run_against(refuse_later, {{0, read(0, 64)}}), InternalError);
    CHECK_THROWS_WITH(run_against(refuse_later, {{0, read(0, 64)}}), Catch::Contains(says));
}

TEST_CASE("one process can run session after session, each from time zero", "[kernel][session]") {
    for (int i = 0; i < 3; ++i) {
        check_healthy_session();
        KernelSession session;
        CHECK(kernel_now() == 0);
        PortClient client("client", {}); // the names of the last session are free again
        CHECK(std::string(client.name()) == "client");
    }
}

TEST_CASE("a session that ended in an exception does not break the next", "[kernel][session]") {
    for (int i = 0; i < 3; ++i) {
        CHECK_THROWS_AS(run_against(refuse_at_once, {{100, read(0, 64)}}), InternalError);
        check_healthy_session();
        CHECK_THROWS_AS(run_against(refuse_later, {{100, read(0, 64)}}), InternalError);
        check_healthy_session();
    }
}

TEST_CASE("a session that is left before it runs does not break the next", "[kernel][session]") {
    const auto leave = [] {
        KernelSession session;
        const PortClient client("client", {{0, read(0, 64)}}); // its socket is bound to nothing
        throw InputError("changed my mind");
    };
    CHECK_THROWS_AS(leave(), InputError);
    check_healthy_session();
}

TEST_CASE("what the kernel itself complains about is an internal error", "[kernel][session]") {
    const auto unbound = [] {
        KernelSession session;
        const PortClient client("client", {{0, read(0, 64)}});
        session.run();
    };
    CHECK_THROWS_AS(unbound(), InternalError);
    CHECK_THROWS_WITH(unbound(), Catch::Contains("SystemC: "));
    check_healthy_session();
}
