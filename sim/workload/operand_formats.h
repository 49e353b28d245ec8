// "A[,B[,C]]": the number formats of a GEMM's operands, as --dtype and the key `dtype` of workload files take them.
#pragma once

#include <string_view>

#include "pe/format.h"
#include "sim/base/units.h"

namespace systole {

// B and C are stored like A where they are left out. The error names the formats there are.
Parsed<OperandFormats> parse_operand_formats(std::string_view text);

} // namespace systole
