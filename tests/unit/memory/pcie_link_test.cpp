// The PCIe link, packet by packet. Numbers are derived with a link of 1 byte per tick: 1 GHz (a tick is 1 ps) and an
// overhead fraction that leaves exactly that rate.
#include <vector>

#include "memory/pcie_link.h"
#include "memory/pcie_probe.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr Hertz core_clock = 1'000'000'000;

// Generation 1 x1 without DLLPs: 250 MB/s, 4000 ticks a byte.
constexpr Ticks byte = 4000;

PcieConfig slow_link() {
    PcieConfig config;
    config.packets = true;
    config.generation = 1;
    config.lanes = 1;
    config.max_payload_bytes = 128;
    config.dllp_overhead = DllpOverhead::fraction;
    return config;
}

// Everything that completes up to the end, in the order in which the link tells it.
std::vector<PcieLink::Completion> drain(PcieLink& link, Ticks now = 0) {
    std::vector<PcieLink::Completion> all;
    for (; now != unlimited; now = link.next_event()) {
        while (const auto complete = link.poll(now))
            all.push_back(*complete);
    }
    return all;
}

Ticks end_of(PcieLink& link, Ticks now = 0) {
    Ticks end = 0;
    for (const auto& complete : drain(link, now))
        end = std::max(end, complete.at);
    return end;
}

Picoseconds duration(const PcieConfig& config, PcieTransfer transfer, Bytes bytes) {
    return probe_pcie(config, transfer, bytes).duration;
}

PcieConfig arbitrary_link() {
    using rc::gen::element;
    PcieConfig config;
    config.packets = true;
    config.generation = *element(1, 2, 3, 4, 5, 6);
    config.lanes = *element(1, 2, 4, 8, 12, 16, 32);
    config.max_payload_bytes = *element(64, 128, 256, 512, 1024, 2048, 4096);
    config.max_read_request_bytes = *element(128, 256, 512, 1024, 4096);
    if (*rc::gen::arbitrary<bool>())
        config.completion_bytes = 64;
    config.header_bytes = *element(12, 16);
    config.ecrc = *rc::gen::arbitrary<bool>();
    config.dllp_overhead = *element(DllpOverhead::model, DllpOverhead::strict, DllpOverhead::fraction);
    config.dllp_millionths = *rc::gen::inRange(0, 500'000);
    config.tags = *element(1, 2, 7, 32, 256, 1024);
    config.latency = *element<Picoseconds>(0, 7'777, 500'000);
    if (*rc::gen::arbitrary<bool>()) {
        config.posted_header_credits = *rc::gen::inRange(1, 64);
        config.posted_data_credits = 256 + *rc::gen::inRange(0, 1024); // 256 * 16 B: the largest payload
        config.completion_header_credits = *rc::gen::inRange(1, 64);
        config.completion_data_credits = 256 + *rc::gen::inRange(0, 1024);
    }
    return config;
}

Bytes arbitrary_size() { return *rc::gen::inRange<Bytes>(1, 20'000); }

} // namespace

TEST_CASE("writes are cut into packets, each with its header", "[memory][pcie]") {
    PcieLink link(slow_link(), TimeBase(core_clock), 4);
    link.write(0, 300, 7); // 128 + 128 + 44, three times 24 besides: 372 bytes
    const auto all = drain(link);
    REQUIRE(all.size() == 1);
    CHECK(all[0].id == 7);
    CHECK(all[0].at == 372 * byte);
    const PcieUse use = link.use(372 * byte, 1);
    CHECK(use.to_host.payload_bytes == 300);
    CHECK(use.to_host.wire_bytes == 372);
    CHECK(use.to_host.time == LinkTime{300 * byte, 72 * byte, 0, 0});
    CHECK(use.to_device.time == LinkTime{0, 0, 0, 372 * byte});
}

TEST_CASE("a posted write is accepted half a round trip after its last packet started", "[memory][pcie]") {
    PcieConfig config = slow_link();
    config.latency = 1'000'000;
    PcieLink link(config, TimeBase(core_clock), 4);
    link.write(0, 256, 0); // the second packet starts after 152 bytes
    CHECK(end_of(link) == 152 * byte + 1'000'000);
    CHECK(link.use(152 * byte + 1'000'000, 1).to_host.time.latency == 1'000'000 - 152 * byte);
}

TEST_CASE("a read takes its request, and its completions with their headers", "[memory][pcie]") {
    PcieLink link(slow_link(), TimeBase(core_clock), 4);
    link.read(0, 512, 3); // request 24; four completions of 128 + 20 = 592
    CHECK(end_of(link) == (24 + 592) * byte);
    const PcieUse use = link.use(616 * byte, 1);
    CHECK(use.to_device.payload_bytes == 512);
    CHECK(use.to_device.wire_bytes == 592);
    CHECK(use.to_device.time == LinkTime{512 * byte, 80 * byte, 24 * byte, 0});
    CHECK(use.to_host.payload_bytes == 0);
    CHECK(use.to_host.wire_bytes == 24);
}

TEST_CASE("the round trip of a read holds from its request to its last byte", "[memory][pcie]") {
    PcieConfig config = slow_link();
    config.latency = 5'000'000; // a round trip of 2500 bytes
    for (const Bytes bytes : {1, 64, 512}) {
        PcieLink link(config, TimeBase(core_clock), 4);
        link.read(1000, bytes, 0);
        CHECK(end_of(link, 1000) == 1000 + 10'000'000);
    }
    PcieLink link(config, TimeBase(core_clock), 4);
    link.read(0, 1024, 0); // the completions of the second request follow those of the first
    CHECK(end_of(link) == 10'000'000 + 592 * byte);
}

TEST_CASE("a tag is free when its request has fully returned, not one tick earlier", "[memory][pcie]") {
    PcieConfig config = slow_link();
    config.tags = 2;
    config.latency = 5'000'000;
    PcieLink link(config, TimeBase(core_clock), 4);
    for (int id = 0; id < 4; ++id)
        link.read(0, 512, id);
    // Requests 0 and 1 start at 0 and 24 bytes, and return at R and R + 592 bytes; 2 and 3 start then.
    const Ticks trip = 10'000'000;
    CHECK_FALSE(link.poll(-1));
    CHECK(link.poll(0)->at == trip);
    CHECK_FALSE(link.poll(0));
    CHECK(link.poll(24 * byte)->at == trip + 592 * byte);
    CHECK(link.next_event() == trip);
    CHECK_FALSE(link.poll(trip - 1));
    CHECK(link.poll(trip)->at == 2 * trip);
    CHECK_FALSE(link.poll(trip + 592 * byte - 1));
    CHECK(link.poll(trip + 592 * byte)->at == 2 * trip + 592 * byte);
}

TEST_CASE("tags bound the bandwidth of reads to tags * request / round trip", "[memory][pcie]") {
    PcieConfig config;
    config.packets = true;
    config.generation = 4;
    config.latency = 500'000;
    constexpr Bytes bytes = 32 * 512 * 1000;
    config.tags = 32;
    // 1000 times 32 requests, each round one microsecond; the last 31 requests queue behind the last but 31st.
    const Picoseconds end = duration(config, PcieTransfer::read, bytes);
    CHECK(end >= 1000 * 1'000'000);
    CHECK(end <= 1001 * 1'000'000);
    config.tags = 1;
    CHECK(duration(config, PcieTransfer::read, 512 * 1000) == 1000 * 1'000'000);
}

TEST_CASE("a header credit lets one packet go per round trip", "[memory][pcie]") {
    PcieConfig config = slow_link();
    config.latency = 5'000'000;
    config.posted_header_credits = 1;
    // The tenth packet starts after nine round trips and is accepted half a trip later.
    CHECK(duration(config, PcieTransfer::write, 1280) == 9 * 10'000'000 + 5'000'000);
    config.posted_header_credits = unlimited;
    config.posted_data_credits = 16; // 256 bytes: two packets
    CHECK(duration(config, PcieTransfer::write, 1280) == 4 * 10'000'000 + 152 * byte + 5'000'000);
}

TEST_CASE("completion credits hold the completions back", "[memory][pcie]") {
    PcieConfig config = slow_link();
    config.latency = 5'000'000;
    config.completion_header_credits = 2;
    // One request of 512: its first completion would start at R - 592 bytes; two go, then two a round trip later.
    const Ticks first = 10'000'000 - 592 * byte;
    CHECK(duration(config, PcieTransfer::read, 512) == first + 10'000'000 + 2 * 148 * byte);
}

TEST_CASE("reads and writes at once share the direction to the host, packet by packet", "[memory][pcie]") {
    PcieConfig config = slow_link();
    const PcieProbeResult both = probe_pcie(config, PcieTransfer::duplex, 51'200);
    // To the host: 400 packets of 152 bytes and 100 requests of 24; that direction never pauses.
    CHECK(both.duration == (400 * 152 + 100 * 24) * byte);
    CHECK(both.use.to_host.wire_bytes == 400 * 152 + 100 * 24);
    CHECK(both.use.to_host.time.idle == 0);
    CHECK(both.use.to_host.time.latency == 0);
}

TEST_CASE("writes pass a read that waits for its tag", "[memory][pcie]") {
    PcieConfig config = slow_link();
    config.tags = 1;
    config.latency = 50'000'000;
    PcieLink link(config, TimeBase(core_clock), 4);
    link.read(0, 1024, 0);
    link.write(0, 128, 1);
    const auto all = drain(link);
    CHECK(all[0].id == 1);
    CHECK(all[0].at == 24 * byte + 50'000'000);
    CHECK(all[1].at == 2 * 100'000'000);
}

TEST_CASE("an ideal link moves payload alone, and an unlimited one takes its round trip", "[memory][pcie]") {
    PcieConfig config;
    config.bandwidth = core_clock; // 1000 ticks a byte
    CHECK(duration(config, PcieTransfer::write, 5000) == 5'000'000);
    CHECK(duration(config, PcieTransfer::read, 5000) == 5'000'000);
    CHECK(duration(config, PcieTransfer::duplex, 5000) == 5'000'000);
    config.bandwidth = unlimited;
    config.latency = 700;
    CHECK(duration(config, PcieTransfer::write, 5000) == 700);
    CHECK(duration(config, PcieTransfer::read, 5000) == 1400);
}

TEST_CASE("nothing is rounded before a completion, whatever the clock", "[memory][pcie]") {
    check_property("a stream of writes ends where its bytes do", 200, [] {
        PcieConfig config = arbitrary_link();
        config.posted_header_credits = config.posted_data_credits = unlimited;
        config.latency = 0;
        const TimeBase time(*rc::gen::inRange<Hertz>(1'000'000, 5'000'000'000));
        const PcieWire wire = pcie_wire(config);
        PcieLink link(config, time, 1);
        PcieWire::Wide on_wire = 0;
        Ticks last = 0;
        for (int i = 0; i < 200; ++i) {
            const Bytes bytes = arbitrary_size();
            on_wire += bytes + ceil_div(bytes, wire.max_payload) * wire.write_overhead;
            link.write(0, bytes, i);
            last = end_of(link, last);
            // ceil(bytes * ticks per second * denominator / numerator)
            const PcieWire::Wide exact = on_wire * time.per_second() * wire.rate_denominator;
            RC_ASSERT(last == static_cast<Ticks>((exact + wire.rate_numerator - 1) / wire.rate_numerator));
        }
    });
}

TEST_CASE("bytes and times are conserved on every link", "[memory][pcie]") {
    check_property("random transfers both ways", 300, [] {
        const PcieConfig config = arbitrary_link();
        const TimeBase time(*rc::gen::inRange<Hertz>(1'000'000, 5'000'000'000));
        const PcieWire wire = pcie_wire(config);
        PcieLink link(config, time, 64);
        Bytes read = 0, written = 0, down = 0, up = 0;
        int asked = 0, complete = 0;
        Ticks now = 0, end = 0;
        const auto poll = [&] {
            while (const auto one = link.poll(now)) {
                RC_ASSERT(one->at >= now - 1); // never told too late
                end = std::max(end, one->at);
                ++complete;
            }
        };
        const int transfers = *rc::gen::inRange(1, 60);
        for (; asked < transfers; ++asked) {
            const Bytes bytes = arbitrary_size();
            if (*rc::gen::arbitrary<bool>()) {
                link.read(now, bytes, asked);
                read += bytes;
                up += ceil_div(bytes, wire.max_request) * wire.request_bytes;
                const Bytes rest = bytes % wire.max_request;
                down += bytes + (bytes / wire.max_request * ceil_div(wire.max_request, wire.completion) +
                                 ceil_div(rest, wire.completion)) *
                                    wire.completion_overhead;
            } else {
                link.write(now, bytes, asked);
                written += bytes;
                up += bytes + ceil_div(bytes, wire.max_payload) * wire.write_overhead;
            }
            poll();
            const Ticks pause = *rc::gen::inRange<Ticks>(0, 3'000'000);
            for (const Ticks until = now + pause; now < until;) {
                now = std::min(until, link.next_event());
                poll();
            }
        }
        while (link.next_event() != unlimited) {
            now = link.next_event();
            poll();
        }
        end = std::max(end, now);
        RC_ASSERT(complete == transfers);
        const PcieUse use = link.use(end, 1);
        RC_ASSERT(use.to_device.payload_bytes == read);
        RC_ASSERT(use.to_device.wire_bytes == down);
        RC_ASSERT(use.to_host.payload_bytes == written);
        RC_ASSERT(use.to_host.wire_bytes == up);
        for (const LinkTime& split : {use.to_device.time, use.to_host.time}) {
            RC_ASSERT(split.total() == end);
            RC_ASSERT(std::min({split.payload, split.protocol, split.latency, split.idle}) >= 0);
        }
        // No faster than the bound that the roofline uses.
        const PcieBandwidth best = best_payload_bandwidth(config);
        const auto least = [&](Bytes bytes, BytesPerSecond bandwidth) {
            return static_cast<PcieWire::Wide>(bytes) * time.per_second() / bandwidth;
        };
        RC_ASSERT(end >= least(read, best.to_device));
        RC_ASSERT(end >= least(written, best.to_host));
    });
}

TEST_CASE("how often the link is polled changes nothing", "[memory][pcie]") {
    check_property("the same completions", 200, [] {
        const PcieConfig config = arbitrary_link();
        PcieLink seldom(config, TimeBase(core_clock), 64);
        PcieLink often(config, TimeBase(core_clock), 64);
        for (int id = 0; id < 40; ++id) {
            const Bytes bytes = arbitrary_size();
            const bool read = *rc::gen::arbitrary<bool>();
            for (PcieLink* link : {&seldom, &often})
                read ? link->read(0, bytes, id) : link->write(0, bytes, id);
        }
        const auto by_id = [](std::vector<PcieLink::Completion> all) {
            std::vector<Ticks> at(40);
            for (const auto& one : all)
                at[static_cast<std::size_t>(one.id)] = one.at;
            return at;
        };
        std::vector<PcieLink::Completion> found;
        for (Ticks now = 0; often.next_event() != unlimited; now += 10'000) {
            while (const auto complete = often.poll(now))
                found.push_back(*complete);
        }
        RC_ASSERT(by_id(drain(seldom)) == by_id(found));
    });
}

TEST_CASE("more of anything is never slower", "[memory][pcie]") {
    check_property("tags, lanes, payload, generation, credits", 300, [] {
        PcieConfig config = arbitrary_link();
        config.dllp_overhead = DllpOverhead::fraction; // the intervals of the specification do not grow steadily
        const auto transfer = *rc::gen::element(PcieTransfer::write, PcieTransfer::read);
        const Bytes bytes = *rc::gen::inRange<Bytes>(1, 200'000);
        const Picoseconds before = duration(config, transfer, bytes);
        PcieConfig better = config;
        switch (*rc::gen::inRange(0, 6)) {
        case 0:
            better.tags *= 2;
            break;
        case 1:
            better.lanes *= 2;
            break;
        case 2:
            better.max_payload_bytes *= 2;
            break;
        case 3:
            better.generation = std::min(5, config.generation + 1);
            break;
        case 4:
            better.latency /= 2;
            break;
        default:
            better.posted_header_credits = better.posted_data_credits = unlimited;
            better.completion_header_credits = better.completion_data_credits = unlimited;
        }
        if (better.generation < config.generation)
            RC_DISCARD("generation 6 has no better");
        const Picoseconds after = duration(better, transfer, bytes);
        RC_LOG() << "before " << before << " ps, after " << after << " ps\n";
        // Half a latency rounds to whole ticks; larger packets need their data credits at once.
        const Picoseconds packet = config.posted_data_credits == unlimited ? 0 : 2 * config.latency;
        RC_ASSERT(after <= before + 1 + packet);
    });
}
