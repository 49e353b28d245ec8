// What went over a PCIe link, and where its time went.
#pragma once

#include "sim/base/quantities.h"

namespace systole {

// Time of one direction, in whole units of the reader's choice (core cycles, picoseconds). Each number is a difference
// of cumulated times rounded down, so that they sum to the time that was asked about exactly.
struct LinkTime {
    std::int64_t payload = 0;  // moving payload, at the raw rate after line coding
    std::int64_t protocol = 0; // moving headers, framing, CRC, requests; and what DLLPs and skip ordered sets take
    std::int64_t latency = 0;  // something is asked for and nothing moves: round trip, tags, credits
    std::int64_t idle = 0;     // nothing is asked for

    std::int64_t total() const { return payload + protocol + latency + idle; }
    LinkTime& operator+=(const LinkTime& other) {
        payload += other.payload;
        protocol += other.protocol;
        latency += other.latency;
        idle += other.idle;
        return *this;
    }
    bool operator==(const LinkTime&) const = default;
};

struct DirectionUse {
    Bytes payload_bytes = 0;
    Bytes wire_bytes = 0; // whole packets, requests among them; without line coding and DLLPs
    LinkTime time;

    DirectionUse& operator+=(const DirectionUse& other) {
        payload_bytes += other.payload_bytes;
        wire_bytes += other.wire_bytes;
        time += other.time;
        return *this;
    }
    bool operator==(const DirectionUse&) const = default;
};

struct PcieUse {
    DirectionUse to_device; // completions of DMA reads
    DirectionUse to_host;   // DMA writes and the requests of reads

    PcieUse& operator+=(const PcieUse& other) {
        to_device += other.to_device;
        to_host += other.to_host;
        return *this;
    }
    bool operator==(const PcieUse&) const = default;
};

} // namespace systole
