// What a PCIe link carries, from its generation and width.
#pragma once

#include <optional>

#include "sim/base/quantities.h"
#include "sim/config/machine.h"

namespace systole {

// Payload per second and direction of back-to-back memory writes of full payload, rounded down to a byte.
// Nothing if no generation is stated.
std::optional<BytesPerSecond> payload_bandwidth(const PcieLink& link);

} // namespace systole
