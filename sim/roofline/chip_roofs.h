// The roofs of a chip file.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dataflow/problem.h"
#include "sim/config/machine.h"
#include "sim/roofline/roof.h"

namespace systole::analytic {

// nominal: the data sheet (nominal.*) where it states a number, else the machine's. machine: what is simulated.
enum class Rates { nominal, machine };

std::optional<Rates> parse_rates(std::string_view text);

// FLOP/s with operands in these formats: that of the slower one. Of two formats the data sheet need state A's alone
// (weights stored narrower than the math is done). Throws InputError that lists the formats there are.
double peak_of(const Machine& machine, Format a, Format b, Rates rates);

// Formats of which a peak is known.
std::vector<Format> formats_of(const Machine& machine, Rates rates);

// Levels, nearest to the math first: the data sheet's caches (fastest first), VMEM of all cores, HBM, PCIe, one link. A
// level without a stated bandwidth is left out; an unlimited one is there with an infinite bandwidth.
Roofs chip_roofs(const Machine& machine, const OperandFormats& formats, Rates rates = Rates::nominal);

// The same for work of the vector unit: its rate, if the data sheet states it, is the peak, whatever the format.
Roofs vector_roofs(const Machine& machine, Format format, Rates rates = Rates::nominal);

// Without the levels that data from there does not cross: from hbm no PCIe, from vmem no HBM either.
Roofs seen_from(Roofs roofs, DataOrigin from);

// Bytes of PE registers that one multiply-add touches: A, B and the sum read, the sum written (4 bytes each).
double pe_bytes_per_mac(const OperandFormats& formats);

} // namespace systole::analytic
