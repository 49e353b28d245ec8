#include "sim/engine/surroundings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dataflow/problem.h"
#include "memory/pcie_probe.h"
#include "memory/time_base.h"
#include "sim/base/error.h"

namespace systole {

namespace {

__extension__ using Wide = __int128;

Cycles cycles_in(const Machine& machine, Picoseconds time) {
    constexpr std::int64_t picoseconds = 1'000'000'000'000;
    return static_cast<Cycles>((Wide{time} * machine.clock + picoseconds - 1) / picoseconds);
}

OperatorResult waiting(const Machine& machine, const std::string& name, const char* kind, Cycles cycles) {
    OperatorResult result;
    result.name = name;
    result.kind = kind;
    result.tile = {0, 0, 0};
    result.from = DataOrigin::host;
    result.cycles = cycles;
    result.seconds = static_cast<double>(cycles) / static_cast<double>(machine.clock);
    if (__builtin_mul_overflow(machine.pe_count(), cycles, &result.pe_slots))
        throw InputError(name + ": the PE-slots of its time leave 64 bits (make it shorter)");
    result.stack[Cause::pcie] = result.pe_slots;
    result.roofline.peak_flops = peak_flops(machine, 1);
    return result;
}

// Times of the link as parts of the cycles that were waited for, which they sum to.
LinkTime in_cycles(const LinkTime& time, Cycles cycles) {
    const auto all = std::max<std::int64_t>(1, time.total());
    std::int64_t sum = 0;
    Cycles before = 0;
    const auto next = [&](std::int64_t part) {
        sum += part;
        const auto up_to = static_cast<Cycles>(Wide{sum} * cycles / all);
        return up_to - std::exchange(before, up_to);
    };
    LinkTime parts;
    parts.payload = next(time.payload);
    parts.protocol = next(time.protocol);
    parts.latency = next(time.latency);
    parts.idle = next(time.idle);
    return parts;
}

PcieTransfer direction_of(const TransferTask& task) {
    return task.to_device ? PcieTransfer::read : PcieTransfer::write;
}

} // namespace

Cycles host_cycles(const Machine& machine, const HostTask& task) { return cycles_in(machine, task.time); }

OperatorResult host_stage(const Machine& machine, const HostTask& task) {
    auto result = waiting(machine, task.name, "host", host_cycles(machine, task));
    RooflineLevel host;
    host.seconds = static_cast<double>(task.time) * 1e-12;
    result.roofline.levels["host"] = host;
    result.roofline.bound = task.time > 0 ? "host" : "none";
    result.roofline.lower_bound_s = result.roofline.upper_bound_s = host.seconds;
    return result;
}

Cycles transfer_cycles(const Machine& machine, const TransferTask& task) {
    return cycles_in(machine, probe_pcie(machine.pcie, direction_of(task), task.data.bytes).duration);
}

OperatorResult transfer(const Machine& machine, const TransferTask& task, Cycles hidden) {
    const auto alone = probe_pcie(machine.pcie, direction_of(task), task.data.bytes);
    const Cycles whole = cycles_in(machine, alone.duration);
    auto result = waiting(machine, task.name, "transfer", std::max<Cycles>(0, whole - hidden));
    const Bytes bytes = task.data.bytes;
    (task.to_device ? result.traffic.pcie.write : result.traffic.pcie.read).vector = bytes;
    (task.to_device ? result.traffic.hbm.write : result.traffic.hbm.read).vector = bytes;
    result.traffic.pcie.accesses = result.traffic.hbm.accesses = ceil_div(bytes, machine.dma.burst_bytes);
    result.pcie = alone.use;
    for (auto* direction : {&result.pcie.to_device, &result.pcie.to_host})
        direction->time = in_cycles(direction->time, result.cycles);
    RooflineLevel link;
    link.compulsory_bytes = link.tiled_bytes = link.limiting_bytes = bytes;
    if (machine.pcie.bandwidth != unlimited) {
        link.bytes_per_second = static_cast<double>(machine.pcie.bandwidth);
        link.seconds = std::min(static_cast<double>(bytes) / link.bytes_per_second, result.seconds);
    }
    result.roofline.levels["pcie"] = link;
    result.roofline.bound = link.seconds > 0 ? "pcie" : "none";
    result.roofline.lower_bound_s = result.roofline.upper_bound_s = link.seconds;
    return result;
}

void tell_outside(Timeline& timeline, const Machine& machine, const OperatorResult& result) {
    const TimeBase time(machine.clock);
    timeline.begin_operator(result.name, {.ticks_per_cycle = time.per_cycle(), .ticks_per_second = time.per_second()});
    const std::array facts{TimelineFact{"kind", 0, result.kind}};
    timeline.end_operator(time.at(result.cycles), facts);
}

} // namespace systole
