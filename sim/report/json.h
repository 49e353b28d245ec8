// The result as JSON: the stable interface for scripts (docs/cli.md).
#pragma once

#include <string>

#include "sim/report/counters.h"
#include "sim/stats/result.h"

namespace systole {

Json operator_json(const OperatorResult& result);

Json run_json(const RunResult& result); // the whole object

std::string json_report(const RunResult& result); // run_json() as text; ends with a newline

// A JSON value as text, indented by two; bytes that are not UTF-8 are replaced.
std::string json_text(const Json& value);

} // namespace systole
