// What surrounds a network on its chip: serial stages of the host, and transfers over PCIe.
#pragma once

#include "sim/base/timeline.h"
#include "sim/config/machine.h"
#include "sim/stats/result.h"
#include "sim/workload/lowering.h"

namespace systole {

// The chip waits for the host: every PE-slot is `pcie`.
OperatorResult host_stage(const Machine& machine, const HostTask& task);
Cycles host_cycles(const Machine& machine, const HostTask& task);

// One long transfer over the link alone, by packets (memory/pcie_probe.h). `hidden`: cycles of it that run beside the
// chip's work on the batch before or behind, so that only the rest is waited for. Requests are counted as the DMA's, of
// `dma.burst` bytes.
OperatorResult transfer(const Machine& machine, const TransferTask& task, Cycles hidden);
Cycles transfer_cycles(const Machine& machine, const TransferTask& task);

// A result of these as an operator of a timeline, in which the machine does nothing.
void tell_outside(Timeline& timeline, const Machine& machine, const OperatorResult& result);

} // namespace systole
