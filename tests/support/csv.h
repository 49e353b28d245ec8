// Small reader of the truth tables: a header line, then rows; fields may be quoted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace systole::test {

class CsvRow {
  public:
    explicit CsvRow(std::map<std::string, std::string> fields) : fields_(std::move(fields)) {}

    // Both throw std::runtime_error that names the column if it is missing, or not a number.
    const std::string& text(const std::string& column) const;
    std::int64_t integer(const std::string& column) const;

  private:
    std::map<std::string, std::string> fields_;
};

// Fields of one line, surrounding blanks removed; "" inside quotes is one quote.
std::vector<std::string> split_csv_line(const std::string& line);

// Throws std::runtime_error for a missing file, an empty one and a row with another number of fields than the header.
std::vector<CsvRow> read_csv(const std::filesystem::path& file);

// A file below tests/.
std::filesystem::path test_file(const std::string& relative);

} // namespace systole::test
