// The result for people: 80 columns, read from top to bottom: machine, problem, result, levels, roofline, where the
// cycles went.
#pragma once

#include <string>

#include "sim/config/machine.h"
#include "sim/report/layers.h"
#include "sim/stats/result.h"

namespace systole {

// `rows`: of the table of a network's operators; lists of products have one of their own, and their mappings.
std::string text_report(const Machine& machine, const RunResult& result, LayerRows rows = LayerRows::folded);

// Its parts, each a block of lines ending with a newline.
std::string machine_text(const Machine& machine, const RunResult& result);
std::string operators_text(const RunResult& result); // one line per operator, for several
std::string mappings_text(const RunResult& result);  // likewise
std::string problem_text(const Machine& machine, const OperatorResult& result);
std::string result_text(const OperatorResult& result, const std::string& engine);
std::string levels_text(const OperatorResult& result);
std::string roofline_text(const OperatorResult& result);
std::string stack_text(const OperatorResult& result);

} // namespace systole
