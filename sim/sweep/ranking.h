// The best points of a sweep, and those that no other point beats in every respect.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/sweep/cell.h"
#include "sim/sweep/metric.h"

namespace systole {

// By what points are compared: a metric whose `better` is lower or higher, by its name or by one that people say
// ("time" for seconds, "utilization", "efficiency"). Throws InputError that lists them.
const Metric& ranking_key(const std::string& name);

// Of the rows, their numbers with the best first; equal ones in their order; those without a number last and left out.
std::vector<std::size_t> best_first(const std::vector<Cell>& values, Better better);

// Numbers of the rows that no other beats: none is as good in every key and better in one. By the first key, the best
// first. Of rows that are equal in all keys each stays. `columns`: for each key the values of all rows.
std::vector<std::size_t> pareto_front(const std::vector<std::vector<Cell>>& columns, const std::vector<Better>& better);

} // namespace systole
