// "dense" or "N:M", as --sparsity, the key `sparsity` of workload files and SCALE-Sim's topologies take it.
#pragma once

#include <string_view>

#include "dataflow/problem.h"
#include "sim/base/units.h"

namespace systole {

// "M:M" is dense. The error says which N:M there are.
Parsed<SparsePattern> parse_sparsity_pattern(std::string_view text);

} // namespace systole
