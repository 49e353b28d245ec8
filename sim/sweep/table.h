// What a database holds, as tables in the order of the space.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/sweep/store.h"

namespace systole {

struct Table {
    std::vector<std::string> columns;
    std::vector<Row> rows;

    std::size_t column(const std::string& name) const; // throws InputError for one that is not there
    std::vector<Cell> values(const std::string& column) const;
};

// Of the points with this status, or of all: point, the keys of the axes, status, the metrics, error, hash.
Table read_points(Store& store, const std::string& status = "");

// Of each layer of these points, in their order: point, layer, the metrics. Points without layers are left out.
std::vector<std::string> layer_columns_of(Store& store);
void for_each_layer(Store& store, std::int64_t point, const std::function<void(const Row&)>& use);

} // namespace systole
