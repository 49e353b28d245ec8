// Drives a VMEM arbiter to the end of what has been started on it.
#pragma once

#include <map>
#include <ostream>
#include <vector>

#include <catch2/catch.hpp>

#include "memory/vmem_arbiter.h"

namespace systole::test {

inline VmemConfig vmem(BytesPerCycle bandwidth, std::int64_t banks = unlimited, int ports = 1) {
    VmemConfig config;
    config.bandwidth = bandwidth;
    config.banks = banks;
    config.ports = ports;
    return config;
}

inline VmemStream stream(Cycles vectors, Bytes bytes, Bytes last_bytes) {
    return {.vectors = vectors, .vector_bytes = bytes, .last_vector_bytes = last_bytes};
}

inline VmemStream stream(Cycles vectors, Bytes bytes) { return stream(vectors, bytes, bytes); }

inline VmemStream stream_from(BankId bank, Cycles vectors, Bytes bytes) {
    auto result = stream(vectors, bytes);
    result.x_bank = bank;
    return result;
}

// Nothing here lasts this long: an arbiter that never comes to an end fails instead.
inline constexpr Cycles too_late = 1'000'000;

// When everything was done: by client, id -> cycle of the last byte.
struct Ends {
    std::vector<Cycles> streams, loads;
    std::map<std::int64_t, Cycles> writebacks, dma;
    std::map<std::int64_t, Cycles> vectors{}; // transfers of the vector unit
    Cycles conflict_cycles = 0;

    bool operator==(const Ends&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Ends& ends) {
    const auto list = [&](const char* name, const auto& cycles) {
        out << name << ":";
        for (const Cycles cycle : cycles)
            out << " " << cycle;
        out << "; ";
    };
    const auto map = [&](const char* name, const auto& cycles) {
        out << name << ":";
        for (const auto& [id, cycle] : cycles)
            out << " " << id << "@" << cycle;
        out << "; ";
    };
    list("streams", ends.streams);
    list("loads", ends.loads);
    map("writebacks", ends.writebacks);
    map("dma", ends.dma);
    map("vectors", ends.vectors);
    out << "conflict cycles: " << ends.conflict_cycles;
    return out;
}

inline void take_finished(VmemArbiter& arbiter, Ends& ends) {
    for (const auto& done : arbiter.finished_writebacks())
        ends.writebacks[done.id] = done.cycle;
    for (const auto& done : arbiter.finished_dma())
        ends.dma[done.id] = done.cycle;
    for (const auto& done : arbiter.finished_vectors())
        ends.vectors[done.id] = done.cycle;
    arbiter.finished_writebacks().clear();
    arbiter.finished_dma().clear();
    arbiter.finished_vectors().clear();
}

// Lets it run from event to event; what has been started is started.
inline Ends finish(VmemArbiter& arbiter) {
    Ends ends;
    arbiter.deal();
    for (Cycles next = arbiter.next_event(); next != unlimited; next = arbiter.next_event()) {
        REQUIRE(next < too_late);
        const bool streaming = arbiter.streaming();
        const bool loading = arbiter.loading();
        arbiter.advance(next);
        if (streaming && !arbiter.streaming())
            ends.streams.push_back(arbiter.stream_end());
        if (loading && !arbiter.loading())
            ends.loads.push_back(arbiter.load_delivered());
        take_finished(arbiter, ends);
        arbiter.deal();
    }
    ends.conflict_cycles = arbiter.conflict_cycles();
    return ends;
}

} // namespace systole::test
