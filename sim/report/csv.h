// The result as CSV: a header, then one row per operator (RFC 4180 quoting, "\n" line ends).
#pragma once

#include <string>
#include <vector>

#include "sim/stats/result.h"

namespace systole {

// Columns: chip, engine, clock_hz, then the paths of operator_counters() with '_' for '.'. They are always all there,
// but for the lists.
std::string csv_report(const RunResult& result);

// Its header and the row of one operator (or of the total), as fields.
std::vector<std::string> csv_header();
std::vector<std::string> csv_fields(const RunResult& run, const OperatorResult& one);

std::string csv_line(const std::vector<std::string>& fields);

} // namespace systole
