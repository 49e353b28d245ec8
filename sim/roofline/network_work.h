// Operators of a network as work for the roofline.
#pragma once

#include <vector>

#include "sim/roofline/roof.h"
#include "sim/workload/lowering.h"

namespace systole::analytic {

struct OperatorWork {
    Work work;
    OperandFormats formats; // of its matrix products; of vector work alone: of what it reads
};

// One for each operator that computes or moves something, in order. FLOPs: 2 for each MAC of its tasks, 1 for each
// operation of the vector unit. Bytes: the compulsory ones of LoweredOperator, each operator on its own (nothing stays
// in VMEM between neighbours). Host stages and transfers are no work of the chip and left out: `surroundings`.
std::vector<OperatorWork> network_work(const Network& network, const LoweredNetwork& lowered);

struct Surroundings {
    double host_s = 0;
    double to_device_bytes = 0;
    double to_host_bytes = 0;
};

Surroundings surroundings(const LoweredNetwork& lowered);

} // namespace systole::analytic
