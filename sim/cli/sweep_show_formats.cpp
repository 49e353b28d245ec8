// The points of a sweep as CSV and JSON.
#include <algorithm>

#include <fmt/format.h>

#include "sim/cli/sweep_point.h"
#include "sim/cli/sweep_show.h"
#include "sim/report/csv.h"
#include "sim/report/json.h"

namespace systole {

namespace {

std::vector<std::string> texts_of(const Row& row) {
    std::vector<std::string> fields;
    for (const Cell& cell : row) {
        fields.push_back(text_of(cell));
    }
    return fields;
}

struct ToJson {
    Json operator()(std::monostate) const { return nullptr; }
    template <typename T>
    Json operator()(const T& value) const {
        return value;
    }
};

Json json_of(const Cell& cell) { return std::visit(ToJson{}, cell); }

std::int64_t point_of(const Row& row) { return std::get<std::int64_t>(row.front()); }

// The settings of a stored point, as they were given.
Settings settings_of(const Table& table, const Row& row, const std::vector<std::string>& keys) {
    Settings settings;
    for (const std::string& key : keys) {
        settings.emplace_back(key, text_of(row[table.column(key)]));
    }
    return settings;
}

std::string layers_csv(Store& store, const Shown& shown) {
    const std::vector<std::string>& keys = store.header().keys;
    const std::vector<std::string> layer_columns = layer_columns_of(store);
    // Names of layer columns that are keys as well (dataflow, m) are those of the layer; the key's says so.
    std::vector<std::string> header{"point"};
    for (const std::string& key : keys) {
        const bool taken = std::find(layer_columns.begin(), layer_columns.end(), key) != layer_columns.end();
        header.push_back(taken ? "axis." + key : key);
    }
    header.insert(header.end(), layer_columns.begin() + 1, layer_columns.end());
    std::string text = csv_line(header);
    for (const Row& point : shown.points.rows) {
        std::vector<std::string> fields{text_of(point.front())};
        for (const auto& [key, value] : settings_of(shown.points, point, keys)) {
            fields.push_back(value);
        }
        for_each_layer(store, point_of(point), [&](const Row& layer) {
            std::vector<std::string> line = fields;
            const std::vector<std::string> own = texts_of(layer);
            line.insert(line.end(), own.begin() + 1, own.end());
            text += csv_line(line);
        });
    }
    return text;
}

Json layers_json(Store& store, std::int64_t point, const std::vector<std::string>& columns) {
    Json layers = Json::array();
    for_each_layer(store, point, [&](const Row& row) {
        Json layer;
        for (std::size_t i = 2; i < columns.size(); ++i) {
            layer[columns[i]] = json_of(row[i]);
        }
        layers.push_back(std::move(layer));
    });
    return layers;
}

} // namespace

std::string sweep_csv(Store& store, const Shown& shown) {
    if (shown.layers) {
        return layers_csv(store, shown);
    }
    std::string text = csv_line(shown.points.columns);
    for (const Row& row : shown.points.rows) {
        text += csv_line(texts_of(row));
    }
    return text;
}

std::string sweep_json(Store& store, const Shown& shown) {
    const SweepHeader& header = store.header();
    const Json space = Json::parse(header.space);
    Json root{{"schema_version", 1},    {"version", header.version},   {"description", header.description},
              {"axes", space["axes"]},  {"filters", space["filters"]}, {"total_points", header.points},
              {"stored", shown.stored}, {"failed", shown.failed},      {"lost", shown.lost},
              {"points", Json::array()}};
    const std::vector<std::string> layer_columns = layer_columns_of(store);
    for (const Row& row : shown.points.rows) {
        const Settings settings = settings_of(shown.points, row, header.keys);
        Json point{{"point", point_of(row)}, {"settings", Json::object()}};
        for (std::size_t i = 0; i < header.keys.size(); ++i) {
            point["settings"][header.keys[i]] = json_of(row[i + 1]); // behind the point, as read_points() says
        }
        for (std::size_t i = header.keys.size() + 1; i < row.size(); ++i) {
            point[shown.points.columns[i]] = json_of(row[i]);
        }
        point["command"] = "systole simulate " + shell_line(point_arguments(header.arguments, settings));
        if (shown.layers) {
            point["layers"] = layers_json(store, point_of(row), layer_columns);
        }
        root["points"].push_back(std::move(point));
    }
    return json_text(root);
}

} // namespace systole
