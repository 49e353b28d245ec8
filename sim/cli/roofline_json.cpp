// `systole roofline` as JSON, and as CSV, which is the same numbers in columns.
#include <cmath>
#include <set>

#include "sim/cli/roofline_answer.h"
#include "sim/report/csv.h"
#include "sim/report/json.h"
#include "sim/report/numbers.h"

namespace systole {

namespace {

// Whole numbers as integers, as a count is one; what is not finite as null.
Json number(double value) {
    constexpr double exact = 9007199254740992.0; // 2^53
    if (!std::isfinite(value)) {
        return nullptr;
    }
    if (value == std::floor(value) && std::abs(value) < exact) {
        return static_cast<std::int64_t>(value);
    }
    return value;
}

Json real(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json level_json(const analytic::LevelResult& level) {
    Json json;
    json["bytes_per_s"] = real(level.bandwidth);
    json["compulsory_bytes"] = number(level.compulsory_bytes);
    json["tiled_bytes"] = level.tiled_bytes ? number(*level.tiled_bytes) : Json(nullptr);
    json["intensity"] = real(level.intensity);
    json["tiled_intensity"] = level.tiled_intensity ? real(*level.tiled_intensity) : Json(nullptr);
    json["ridge"] = real(level.ridge);
    json["seconds"] = real(level.seconds);
    json["attainable_flops"] = real(level.attainable);
    return json;
}

Json operator_of(const RooflineOperator& one) {
    const analytic::Work& work = one.result.work;
    Json json;
    json["name"] = work.name;
    json["kind"] = work.kind;
    for (const auto& [key, value] : work.shape) {
        json[key] = number(value);
    }
    json["dtype"] = one.dtype;
    json["sparsity"] = one.sparsity;
    json["flops"] = number(one.result.flops());
    if (work.pe_bytes_per_mac > 0) { // on an array: multiply-adds of the dense problem
        json["dense_macs"] = number(work.flops / 2);
    }
    json["compulsory_bytes"] = number(work.bytes());
    json["roofline"] = roofline_json_of(one.result);
    return json;
}

RooflineOperator total_of(const RooflineAnswer& answer) {
    std::vector<analytic::Result> parts;
    std::set<std::string> dtypes;
    std::set<std::string> sparsities;
    for (const RooflineOperator& one : answer.operators) {
        parts.push_back(one.result);
        dtypes.insert(one.dtype);
        sparsities.insert(one.sparsity);
    }
    return {analytic::total(parts), dtypes.size() == 1 ? *dtypes.begin() : "mixed",
            sparsities.size() == 1 ? *sparsities.begin() : "mixed"};
}

Json document(const RooflineAnswer& answer) {
    Json root;
    root["schema_version"] = 1;
    root["chip"] = answer.chip.empty() ? Json(nullptr) : Json(answer.chip);
    root["topic"] = answer.topic;
    if (!answer.quantities.empty()) {
        for (const RooflineNumber& quantity : answer.quantities) {
            root["results"][quantity.key] = number(quantity.value);
        }
    }
    if (!answer.skipped.empty()) {
        root["skipped"] = answer.skipped;
    }
    if (!answer.operators.empty()) {
        root["operators"] = Json::array();
        for (const RooflineOperator& one : answer.operators) {
            root["operators"].push_back(operator_of(one));
        }
        root["total"] = operator_of(total_of(answer));
    }
    return root;
}

std::string cell(const Json& value) {
    if (value.is_null()) {
        return "";
    }
    if (value.is_string()) {
        return value.get<std::string>();
    }
    return value.is_number_float() ? shortest(value.get<double>()) : value.dump();
}

// Objects flattened, "roofline_levels_hbm_seconds"; in the order in which a column first appears.
void flatten(const Json& json, const std::string& prefix, std::vector<std::pair<std::string, std::string>>& cells) {
    for (const auto& [key, value] : json.items()) {
        if (value.is_object()) {
            flatten(value, prefix + key + "_", cells);
        } else {
            cells.emplace_back(prefix + key, cell(value));
        }
    }
}

using Cells = std::vector<std::pair<std::string, std::string>>;

std::string value_of(const Cells& row, const std::string& column) {
    for (const auto& [name, value] : row) {
        if (name == column) {
            return value;
        }
    }
    return "";
}

} // namespace

Json roofline_json_of(const analytic::Result& result) {
    Json json;
    json["peak_flops"] = real(result.peak);
    json["t_math_s"] = real(result.math_s);
    json["t_vector_s"] = real(result.vector_s);
    json["lower_bound_s"] = real(result.lower_bound_s);
    json["upper_bound_s"] = real(result.upper_bound_s);
    json["bound"] = result.bound;
    json["attainable_flops"] = real(result.attainable);
    json["utilization"] = real(result.utilization);
    json["levels"] = Json::object();
    for (const analytic::LevelResult& level : result.levels) {
        json["levels"][level.name] = level_json(level);
    }
    return json;
}

std::string roofline_json(const RooflineAnswer& answer) { return json_text(document(answer)); }

std::string roofline_csv(const RooflineAnswer& answer) {
    const Json root = document(answer);
    std::vector<Cells> rows;
    const Json operators = root.contains("operators") ? root["operators"] : Json::array({Json::object()});
    for (const Json& one : operators) {
        Cells row{{"chip", cell(root["chip"])}, {"topic", cell(root["topic"])}};
        flatten(one, "", row);
        if (root.contains("results")) {
            flatten(root["results"], "", row);
        }
        rows.push_back(std::move(row));
    }
    std::vector<std::string> header;
    std::set<std::string> known;
    for (const Cells& row : rows) {
        for (const auto& [name, value] : row) {
            if (known.insert(name).second) {
                header.push_back(name);
            }
        }
    }
    std::string text = csv_line(header);
    for (const Cells& row : rows) {
        std::vector<std::string> fields;
        for (const std::string& column : header) {
            fields.push_back(value_of(row, column));
        }
        text += csv_line(fields);
    }
    return text;
}

} // namespace systole
