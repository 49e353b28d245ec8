#include "sim/report/json.h"

#include <algorithm>

namespace systole {

Json operator_json(const OperatorResult& result) {
    Json object;
    for (const Counter& counter : operator_counters()) {
        if (std::optional<Json> value = counter.value(result)) {
            std::string pointer = "/" + counter.path;
            std::replace(pointer.begin(), pointer.end(), '.', '/');
            object[Json::json_pointer(pointer)] = std::move(*value);
        }
    }
    return object;
}

namespace {

// The total's words: those of the operators that have one, "mixed" where these do not agree.
void mark_mixed(Json& total, const Json& operators) {
    for (const char* const key : {"dataflow", "dtype", "sparsity"}) {
        const auto has_one = [&](const Json& one) { return !one[key].is_null(); };
        const auto first = std::find_if(operators.begin(), operators.end(), has_one);
        if (first == operators.end()) {
            continue;
        }
        const auto differs = [&](const Json& one) { return has_one(one) && one[key] != (*first)[key]; };
        total[key] = std::any_of(first, operators.end(), differs) ? Json("mixed") : (*first)[key];
    }
}

} // namespace

Json run_json(const RunResult& result) {
    Json root;
    root["schema_version"] = 1;
    root["chip"] = result.chip;
    root["engine"] = result.engine;
    root["clock_hz"] = result.clock;
    root["operators"] = Json::array();
    for (const OperatorResult& one : result.operators) {
        root["operators"].push_back(operator_json(one));
    }
    root["total"] = operator_json(result.total);
    mark_mixed(root["total"], root["operators"]);
    if (!result.skipped.empty()) {
        root["skipped"] = result.skipped;
    }
    return root;
}

std::string json_report(const RunResult& result) { return json_text(run_json(result)); }

std::string json_text(const Json& value) { return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

} // namespace systole
