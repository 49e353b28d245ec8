#include "tests/support/csv.h"

#include <fstream>
#include <stdexcept>

namespace systole::test {

namespace {

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

} // namespace

const std::string& CsvRow::text(const std::string& column) const {
    const auto found = fields_.find(column);
    if (found == fields_.end()) {
        throw std::runtime_error("no column '" + column + "'");
    }
    return found->second;
}

std::int64_t CsvRow::integer(const std::string& column) const {
    const std::string& value = text(column);
    std::size_t used = 0;
    std::int64_t number = 0;
    try {
        number = std::stoll(value, &used);
    } catch (const std::logic_error&) {
        used = 0;
    }
    if (used == 0 || used != value.size()) {
        throw std::runtime_error("column '" + column + "': '" + value + "' is no integer");
    }
    return number;
}

std::vector<std::string> split_csv_line(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += line[++i];
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += line[i];
        }
    }
    for (std::string& field : fields) {
        field = trimmed(field);
    }
    return fields;
}

std::vector<CsvRow> read_csv(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line)) {
        throw std::runtime_error(file.string() + ": cannot be read, or is empty");
    }
    const std::vector<std::string> header = split_csv_line(line);
    std::vector<CsvRow> rows;
    for (int number = 2; std::getline(in, line); ++number) {
        if (trimmed(line).empty()) {
            continue;
        }
        const std::vector<std::string> fields = split_csv_line(line);
        if (fields.size() != header.size()) {
            throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " +
                                     std::to_string(fields.size()) + " fields, the header has " +
                                     std::to_string(header.size()));
        }
        std::map<std::string, std::string> named;
        for (std::size_t i = 0; i < header.size(); ++i) {
            named[header[i]] = fields[i];
        }
        rows.emplace_back(std::move(named));
    }
    return rows;
}

std::filesystem::path test_file(const std::string& relative) {
    return std::filesystem::path(SYSTOLE_TESTS_DIR) / relative;
}

} // namespace systole::test
