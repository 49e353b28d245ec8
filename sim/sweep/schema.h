// The tables of a sweep's database (store.h says what they hold) in SQL.
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/database.h"
#include "sim/sweep/store.h"

namespace systole {

std::vector<std::string> point_columns(const SweepHeader& header); // behind `point`
std::vector<std::string> layer_columns();                          // behind `point` and `layer`
std::string column_list(const std::vector<std::string>& columns);  // ", \"hash\", \"status\""

// Throws InputError for keys that are named like a column of results.
void require_free_names(const SweepHeader& header);

void create_tables(Database& database, const SweepHeader& header); // of points and layers, empty
void put_header(Database& database, const SweepHeader& header);    // into meta, in place of what is there

} // namespace systole
