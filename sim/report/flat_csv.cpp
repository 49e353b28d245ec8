#include "sim/report/flat_csv.h"

#include <vector>

#include "sim/report/csv.h"

namespace systole {

namespace {

void add_fields(const std::string& name, const Json& value, std::vector<std::string>& header,
                std::vector<std::string>& row) {
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items()) {
            add_fields(name.empty() ? key : name + "_" + key, inner, header, row);
        }
        return;
    }
    header.push_back(name);
    row.push_back(value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump());
}

} // namespace

std::string flat_csv(const Json& object) {
    std::vector<std::string> header;
    std::vector<std::string> row;
    add_fields("", object, header, row);
    return csv_line(header) + csv_line(row);
}

} // namespace systole
