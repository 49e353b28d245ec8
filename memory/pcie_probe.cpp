#include "memory/pcie_probe.h"

#include <algorithm>

#include "memory/pcie_link.h"

namespace systole {

namespace {

constexpr Hertz picosecond_ticks = 1'000'000'000; // a clock whose ticks are exactly 1 ps

PcieProbeResult move(const PcieConfig& config, PcieTransfer transfer, Bytes bytes) {
    PcieLink link(config, TimeBase(picosecond_ticks), 1);
    if (transfer != PcieTransfer::write)
        link.read(0, bytes, 0);
    if (transfer != PcieTransfer::read)
        link.write(0, bytes, 1);
    PcieProbeResult result;
    for (Ticks now = 0; now != unlimited; now = link.next_event()) {
        while (const auto complete = link.poll(now))
            result.duration = std::max(result.duration, complete->at);
    }
    result.use = link.use(result.duration, 1);
    return result;
}

} // namespace

PcieProbeResult probe_pcie(const PcieConfig& config, PcieTransfer transfer, Bytes bytes) {
    const PcieWire wire = pcie_wire(config);
    const bool write = transfer == PcieTransfer::write;
    const Bytes packet = std::min(bytes, write ? wire.max_payload : wire.max_request);
    PcieProbeResult result = move(config, transfer, bytes);
    result.latency = move(config, write ? PcieTransfer::write : PcieTransfer::read, packet).duration;
    return result;
}

} // namespace systole
