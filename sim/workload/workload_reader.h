// Workload files that are lists of GEMMs (network_reader.h explains the text).
#pragma once

#include <string>

#include "sim/workload/network_reader.h"
#include "sim/workload/workload.h"

namespace systole {

// Throws InputError with all problems of the text, each with its place in `file`; for a network of other operators as
// well.
Workload read_workload(const std::string& text, const std::string& file, const OperandFormats& default_formats);

} // namespace systole
