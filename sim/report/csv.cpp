#include "sim/report/csv.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/report/counters.h"
#include "sim/report/numbers.h"

namespace systole {

namespace {

std::string quoted(const std::string& field) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
        return field;
    }
    std::string text = "\"";
    for (const char c : field) {
        text += c;
        if (c == '"') {
            text += c;
        }
    }
    return text + '"';
}

std::string field_text(const std::optional<Json>& value) {
    if (!value || value->is_null()) {
        return "";
    }
    if (value->is_string()) {
        return value->get<std::string>();
    }
    if (value->is_number_float()) {
        return shortest(value->get<double>());
    }
    return value->dump();
}

bool has_column(const Counter& counter) { return counter.unit != "list" && counter.unit != "object"; }

} // namespace

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) {
        line += (&field == &fields.front() ? "" : ",") + quoted(field);
    }
    return line + "\n";
}

std::vector<std::string> csv_header() {
    std::vector<std::string> fields{"chip", "engine", "clock_hz"};
    for (const Counter& counter : operator_counters()) {
        if (has_column(counter)) {
            fields.push_back(counter.path);
            std::replace(fields.back().begin(), fields.back().end(), '.', '_');
        }
    }
    return fields;
}

std::vector<std::string> csv_fields(const RunResult& run, const OperatorResult& one) {
    std::vector<std::string> fields{run.chip, run.engine, fmt::format("{}", run.clock)};
    for (const Counter& counter : operator_counters()) {
        if (has_column(counter)) {
            fields.push_back(field_text(counter.value(one)));
        }
    }
    return fields;
}

std::string csv_report(const RunResult& result) {
    std::string text = csv_line(csv_header());
    for (const OperatorResult& one : result.operators) {
        text += csv_line(csv_fields(result, one));
    }
    return text;
}

} // namespace systole
