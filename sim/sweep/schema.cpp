#include "sim/sweep/schema.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/sweep/metric.h"

namespace systole {

namespace {

std::string text_of_list(const std::vector<std::string>& words) {
    using Json = nlohmann::ordered_json;
    return Json(words).dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

std::vector<std::string> point_columns(const SweepHeader& header) {
    std::vector<std::string> columns{"hash", "status", "error"};
    columns.insert(columns.end(), header.keys.begin(), header.keys.end());
    for (const Metric& metric : point_metrics()) {
        columns.push_back(metric.name);
    }
    return columns;
}

std::vector<std::string> layer_columns() {
    std::vector<std::string> columns;
    for (const Metric& metric : layer_metrics()) {
        columns.push_back(metric.name);
    }
    return columns;
}

std::string column_list(const std::vector<std::string>& columns) {
    std::string list;
    for (const std::string& column : columns) {
        list += ", " + quoted_name(column);
    }
    return list;
}

void require_free_names(const SweepHeader& header) {
    std::vector<std::string> taken{"point", "hash", "status", "error"};
    for (const Metric& metric : point_metrics()) {
        taken.push_back(metric.name);
    }
    for (const std::string& key : header.keys) {
        for (const std::string& name : taken) {
            if (key == name) {
                throw InputError(fmt::format("'{}' cannot be an axis: results have a column of this name (rename the "
                                             "parameter)",
                                             key));
            }
        }
    }
}

void create_tables(Database& database, const SweepHeader& header) {
    database.execute("CREATE TABLE points(point INTEGER PRIMARY KEY" + column_list(point_columns(header)) + ");");
    database.execute("CREATE TABLE layers(point INTEGER, layer INTEGER" + column_list(layer_columns()) +
                     ", PRIMARY KEY(point, layer)) WITHOUT ROWID;");
}

void put_header(Database& database, const SweepHeader& header) {
    Statement put(database, "INSERT OR REPLACE INTO meta VALUES(?, ?)");
    const std::vector<std::pair<std::string, std::string>> values{{"version", header.version},
                                                                  {"description", header.description},
                                                                  {"space", header.space},
                                                                  {"arguments", text_of_list(header.arguments)},
                                                                  {"fingerprint", header.fingerprint},
                                                                  {"points", fmt::format("{}", header.points)}};
    for (const auto& [key, value] : values) {
        put.bind(1, key).bind(2, value).run();
    }
}

} // namespace systole
