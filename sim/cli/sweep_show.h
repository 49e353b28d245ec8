// `systole sweep show`: the points of a database as text, CSV or JSON.
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/ranking.h"
#include "sim/sweep/table.h"

namespace systole {

struct Shown {
    Table points;                  // what is shown of them, in this order
    std::vector<const Metric*> by; // of --pareto or --best-by
    std::string order;             // "the Pareto front of seconds and area"; "" for all
    std::int64_t stored = 0;
    std::int64_t failed = 0;
    std::int64_t lost = 0;
    bool layers = false;
};

// 80 columns; at most `limit` rows.
std::string sweep_text(Store& store, const Shown& shown, std::size_t limit);
std::string sweep_csv(Store& store, const Shown& shown);
std::string sweep_json(Store& store, const Shown& shown);

} // namespace systole
