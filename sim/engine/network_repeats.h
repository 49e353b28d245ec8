// Bytes that the tasks of one operator move more than once.
#pragma once

#include <span>

#include "sim/engine/network_tasks.h"

namespace systole {

struct RepeatedBytes {
    Bytes hbm = 0;
    Bytes pcie = 0;
};

// What the tasks of one operator read and write beyond VMEM, each task for itself, less its compulsory bytes: each
// tensor that it reads from outside and that it leaves once (LoweredOperator). What it makes and reads itself is not
// compulsory, unless the operator says so (scores of standard attention).
RepeatedBytes repeated_bytes(std::span<const NetworkTask> tasks, const LoweredNetwork& network,
                             const LoweredOperator& of, DataOrigin from);

} // namespace systole
