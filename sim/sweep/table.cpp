#include "sim/sweep/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

Row row_of(Statement& query, std::size_t columns) {
    Row row;
    for (std::size_t column = 0; column < columns; ++column) {
        row.push_back(query.cell(static_cast<int>(column)));
    }
    return row;
}

// The columns of the points as people read them: what was asked, what came out, and then the rest.
std::vector<std::string> reading_order(std::vector<std::string> columns, const std::vector<std::string>& keys) {
    const auto is_one_of = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<std::string> order{"point"};
    order.insert(order.end(), keys.begin(), keys.end());
    order.emplace_back("status");
    const std::vector<std::string> last{"error", "hash"};
    for (const std::string& column : columns) {
        if (!is_one_of(order, column) && !is_one_of(last, column)) {
            order.push_back(column);
        }
    }
    order.insert(order.end(), last.begin(), last.end());
    return order;
}

} // namespace

std::size_t Table::column(const std::string& name) const {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) {
        throw InputError(fmt::format("the database has no column '{}' (it is of another version of Systole)", name));
    }
    return static_cast<std::size_t>(found - columns.begin());
}

std::vector<Cell> Table::values(const std::string& name) const {
    const std::size_t at = column(name);
    std::vector<Cell> all;
    for (const Row& row : rows) {
        all.push_back(row[at]);
    }
    return all;
}

Table read_points(Store& store, const std::string& status) {
    Table table;
    table.columns = reading_order(Statement(store.database(), "SELECT * FROM points").columns(), store.header().keys);
    std::string list;
    for (const std::string& column : table.columns) {
        list += (list.empty() ? "" : ", ") + quoted_name(column);
    }
    Statement query(store.database(),
                    fmt::format("SELECT {} FROM points WHERE ? IN ('', status) ORDER BY point", list));
    query.bind(1, status);
    while (query.step()) {
        table.rows.push_back(row_of(query, table.columns.size()));
    }
    return table;
}

std::vector<std::string> layer_columns_of(Store& store) {
    return Statement(store.database(), "SELECT * FROM layers").columns();
}

void for_each_layer(Store& store, std::int64_t point, const std::function<void(const Row&)>& use) {
    Statement query(store.database(), "SELECT * FROM layers WHERE point = ? ORDER BY layer");
    query.bind(1, point);
    const std::size_t columns = query.columns().size();
    while (query.step()) {
        use(row_of(query, columns));
    }
}

} // namespace systole
