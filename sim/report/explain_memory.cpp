// Sentences about the memories and the link.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "sim/report/explain_facts.h"
#include "sim/report/numbers.h"
#include "sim/stats/level_comparison.h"

namespace systole {

namespace {

// Bytes of one vector of all arrays of a core, from the run: what streamed into the arrays over the issue cycles.
double vector_bytes(const RunFacts& facts) {
    const OperatorResult& r = facts.result;
    const double issued = static_cast<double>(facts.steps * static_cast<double>(facts.streamed));
    const double streamed = facts.output_stationary ? static_cast<double>(r.traffic.vmem.read.a + r.traffic.vmem.read.b)
                            : r.dataflow == Dataflow::input_stationary ? static_cast<double>(r.traffic.vmem.read.b)
                                                                       : static_cast<double>(r.traffic.vmem.read.a);
    return issued > 0 ? streamed / issued / facts.machine.cores : 0;
}

Bytes moved(const RunFacts& facts, const char* level) {
    for (const LevelComparison& one : compare_levels(facts.result)) {
        if (one.level == level) {
            return one.simulated_bytes;
        }
    }
    return 0;
}

double over_compulsory(const RunFacts& facts, const char* level) {
    const auto found = facts.result.roofline.levels.find(level);
    if (found == facts.result.roofline.levels.end() || found->second.compulsory_bytes == 0) {
        return 1;
    }
    return static_cast<double>(moved(facts, level)) / static_cast<double>(found->second.compulsory_bytes);
}

// What the data buses did with their time, where the memory is made of stacks.
std::string bus_text(const RunFacts& facts) {
    const HbmUse& use = facts.result.hbm;
    if (use.accesses == 0 || facts.result.cycles == 0) {
        return "";
    }
    const auto part = [&](Cycles cycles) {
        return fmt::format("{:.1f} %", 100 * static_cast<double>(cycles) / static_cast<double>(facts.result.cycles));
    };
    return fmt::format("; of the run its buses moved data in {}, waited for rows in {}, turned around in {}, were in "
                       "refresh in {} and idle in {}",
                       part(use.data), part(use.row), part(use.turnaround), part(use.refresh), part(use.idle));
}

constexpr const char* latency_cure = "a shorter hbm.latency or a longer run, which pays it as often";

// The part of the DRAM's lost time that is largest.
std::string dram_cure(const HbmUse& use) {
    const Cycles most = std::max({use.row, use.turnaround, use.refresh, use.idle});
    if (most == use.idle) {
        return latency_cure;
    }
    return most == use.row          ? "a mapping or tiles that stay longer in a row"
           : most == use.turnaround ? "fewer turns between reads and writes (longer write queues)"
                                    : "a stack that refreshes bank by bank";
}

std::string weights_name(const RunFacts& facts) {
    return facts.result.dataflow == Dataflow::weight_stationary ? "weights" : "stationary inputs";
}

// Each stationary tile comes from HBM and most of the bytes are such: the streams have to be long enough to hide that.
std::optional<Sentence> late_tiles(const RunFacts& facts) {
    const Bytes from_hbm = moved(facts, "hbm");
    const Bytes stationary = facts.result.dataflow == Dataflow::weight_stationary ? facts.result.traffic.hbm.read.b
                                                                                  : facts.result.traffic.hbm.read.a;
    if (!facts.one_shape || facts.output_stationary || 2 * stationary < from_hbm || facts.core_bytes_per_cycle <= 0 ||
        facts.result.from != DataOrigin::hbm) {
        return std::nullopt;
    }
    const double needed = static_cast<double>(stationary) / facts.steps / facts.core_bytes_per_cycle; // cycles a pass
    const double ratio = static_cast<double>(facts.interval) / needed;
    if (ratio >= 1) {
        return std::nullopt;
    }
    return Sentence{
        fmt::format(
            "{} arrive late: HBM delivers {:.2g} of the bytes per cycle that passes of S = {} vectors, {} cycles "
            "apart, need{}",
            weights_name(facts), ratio, facts.streamed, facts.interval, bus_text(facts)),
        fmt::format("S >= {:.0f} would hide it, or hbm.bandwidth {:.3g} times as high", std::ceil(needed), 1 / ratio)};
}

// What keeps clients of VMEM from meeting in a bank. Ports first: tiles are dealt to the banks in turn and share
// vmem.bandwidth, so twice the banks may meet as often.
std::string bank_cure(const VmemConfig& vmem) {
    const std::string ports = fmt::format("vmem.ports = {}", vmem.ports + 1);
    return vmem.banks == unlimited ? ports : ports + fmt::format(", or several times the {} vmem.banks", vmem.banks);
}

} // namespace

Sentence vmem_sentence(const RunFacts& facts) {
    const BytesPerCycle rate = facts.machine.vmem.bandwidth;
    if (facts.one_shape && rate != unlimited && vector_bytes(facts) > static_cast<double>(rate)) {
        const double need = vector_bytes(facts);
        return {fmt::format("a vector takes {:.4g} bytes on average and VMEM delivers {} a cycle, so {:.3g} of the "
                            "vectors enter on time",
                            need, rate, static_cast<double>(rate) / need),
                fmt::format("vmem.bandwidth >= {:.0f} B/cycle", std::ceil(need))};
    }
    if (facts.result.vmem_conflict_cycles > 0) {
        return {
            fmt::format("clients of VMEM met in a bank in {} cycles (summed over clients), and the array waited for "
                        "streams, loads, operands or buffers that this held up",
                        facts.result.vmem_conflict_cycles),
            bank_cure(facts.machine.vmem)};
    }
    if (rate == unlimited) {
        return {fmt::format("a read of VMEM takes {} cycle{} and a result a cycle to be written",
                            facts.machine.vmem.read_latency, facts.machine.vmem.read_latency == 1 ? "" : "s"),
                "a shorter vmem.read_latency"};
    }
    return {fmt::format("streams, loads, results and DMA share {} B/cycle, and the array waited for its part", rate),
            "a higher vmem.bandwidth"};
}

Sentence capacity_sentence(const RunFacts& facts) {
    const OperatorResult& r = facts.result;
    const std::string tiles = facts.one_shape ? fmt::format(" of {} x {} x {}", r.tile.m, r.tile.n, r.tile.k) : "";
    const std::string what = fmt::format("no buffer was free: VMEM holds {} tile{}{} of each operand, and one is free "
                                         "again when its passes are done or its results are stored",
                                         facts.machine.vmem.buffers, facts.machine.vmem.buffers == 1 ? "" : "s", tiles);
    if (facts.machine.vmem.buffers == 1) {
        return {what, "vmem.buffers = 2 would fetch the next tile behind the present one"};
    }
    return {what, "more vmem.buffers, or smaller tiles (--tile), which are sooner free"};
}

Sentence hbm_bandwidth_sentence(const RunFacts& facts) {
    if (const auto late = late_tiles(facts)) {
        return *late;
    }
    const double bytes = static_cast<double>(moved(facts, "hbm"));
    const double needed = facts.core_bytes_per_cycle > 0 ? bytes / facts.core_bytes_per_cycle : 0;
    const double others =
        static_cast<double>(facts.result.cycles - facts.bar(Cause::hbm_bandwidth) - facts.bar(Cause::hbm_latency));
    const double ratio = over_compulsory(facts, "hbm");
    std::string what = fmt::format(
        "HBM moves {} at {:.4g} bytes a cycle, which takes {:.0f} cycles, where all the rest takes {:.0f}{}",
        bytes_text(static_cast<Bytes>(bytes)), facts.core_bytes_per_cycle, needed, others, bus_text(facts));
    std::string cure = needed > others && others > 0
                           ? fmt::format("hbm.bandwidth {:.3g} times as high", needed / others)
                           : std::string("a higher hbm.bandwidth");
    if (needed <= others) {
        what += "; it is waited for at the start, at the end and where the array is faster than that for a while";
    }
    if (ratio > 1.5 && facts.result.from == DataOrigin::hbm) {
        cure += fmt::format("; the mapping moves {:.1f} times the compulsory bytes, fewer with a larger vmem.capacity",
                            ratio);
    }
    return {what, cure};
}

Sentence hbm_latency_sentence(const RunFacts& facts) {
    const Machine& m = facts.machine;
    const double latency = static_cast<double>(m.hbm.latency) * 1e-12 * static_cast<double>(m.clock);
    const double in_flight = static_cast<double>(m.dma.burst_bytes) * m.dma.in_flight() * m.cores;
    std::string what =
        fmt::format("HBM had been asked and moved nothing: a request takes {:.0f} cycles there and back{}", latency,
                    m.hbm.dram ? " on top of the DRAM's own" : "");
    const double to_fill = latency * facts.core_bytes_per_cycle;
    if (to_fill > in_flight && m.dma.burst_bytes > 0) {
        const double wanted = std::ceil(to_fill / in_flight * m.dma.outstanding);
        return {what + fmt::format(", {:.0f} bytes could be on their way and {:.0f} can be asked for at a time{}",
                                   to_fill, in_flight, bus_text(facts)),
                fmt::format("dma.outstanding >= {:.0f}, or larger requests (dma.burst)", wanted)};
    }
    what += ", at the start and at the end of a run and wherever nothing was asked for in time";
    return {what + bus_text(facts), facts.result.hbm.accesses > 0 ? dram_cure(facts.result.hbm) : latency_cure};
}

Sentence pcie_sentence(const RunFacts& facts) {
    const PcieUse& use = facts.result.pcie;
    const auto host = facts.result.roofline.levels.find("host");
    if (host != facts.result.roofline.levels.end() && facts.result.traffic.pcie.total() == 0) {
        return {fmt::format("the chip waits for {} of the host's stages", scaled(host->second.seconds, "s")),
                "shorter stages (`time`, `time_per_sample` and `growth` in the workload file)"};
    }
    const bool down = use.to_device.time.payload + use.to_device.time.protocol >=
                      use.to_host.time.payload + use.to_host.time.protocol;
    const DirectionUse& busier = down ? use.to_device : use.to_host;
    const double whole = static_cast<double>(std::max<std::int64_t>(1, busier.time.total()));
    const auto part = [&](std::int64_t cycles) {
        return fmt::format("{:.1f} %", 100 * static_cast<double>(cycles) / whole);
    };
    std::string what =
        fmt::format("{} cross the link {} the chip, {} of the run as payload, {} as protocol, {} in latency",
                    bytes_text(busier.payload_bytes), down ? "to" : "from", part(busier.time.payload),
                    part(busier.time.protocol), part(busier.time.latency));
    const std::int64_t busy = busier.time.payload + busier.time.protocol;
    if (busier.time.latency > busy) {
        return {what, "more pcie.tags and dma.outstanding, larger requests, a shorter pcie.round_trip"};
    }
    const double others = static_cast<double>(facts.result.cycles - facts.bar(Cause::pcie));
    if (2 * busier.time.protocol > busier.time.payload) {
        return {what + ", the bytes of headers, requests and link upkeep",
                "fuller packets (a larger dma.burst, pcie.max_payload_bytes), a faster link (pcie.lanes, "
                "pcie.generation), or data that stays in HBM (--from hbm)"};
    }
    return {what, fmt::format("a link {:.3g} times as fast (pcie.lanes, pcie.generation) would take no longer than the "
                              "rest; or leave data in HBM (--from hbm)",
                              std::max(1.0, static_cast<double>(busy) / std::max(1.0, others)))};
}

} // namespace systole
