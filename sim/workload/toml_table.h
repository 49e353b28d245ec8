// A table of a TOML file that a person wrote: its values by key, each checked, each problem with its place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "sim/base/error.h"
#include "sim/base/quantities.h"
#include "sim/workload/operator_attributes.h"

namespace systole {

// Names that expressions may use where a number is wanted: shape = ["batch", "4 * width"].
using Parameters = std::map<std::string, std::int64_t>;

// std::nullopt, with what is wrong in `found`, for text that is no TOML.
std::optional<toml::table> parse_toml(const std::string& text, const std::string& file, Diagnostics& found);

Place place_in(const std::string& file, const toml::source_region& region);

class TomlTable {
  public:
    TomlTable(const toml::table& table, const std::string& file, const Parameters& parameters, Diagnostics& found)
        : table_(table), file_(file), parameters_(parameters), found_(found) {}

    bool has(const char* key) const { return table_.contains(key); }
    Place place() const { return place_in(file_, table_.source()); }
    Place place_of(const char* key) const; // of the value; of the table if there is none
    void report(const char* key, const std::string& problem) const { found_.add(place_of(key), problem); }

    // Unknown keys. `prefix`: what the table's keys are listed under, "operator."; `listing`: how to see them all.
    void check_keys(const std::vector<std::string>& known, const std::string& prefix) const;

    std::string word(const char* key, const std::string& otherwise = "") const;
    std::vector<std::string> words(const char* key) const; // a text, or a list of texts
    // "same" or "same_lower" of `padding`; "" where it is no text.
    std::string padding_word() const;
    bool flag(const char* key, bool otherwise = false) const;
    double real(const char* key, double otherwise, double least, double most) const;
    Picoseconds time(const char* key) const; // "500 us"; 0 if it is not given
    // Nothing if it is not given or wrong.
    std::optional<std::int64_t> number(const char* key, std::int64_t least, std::int64_t most) const;
    std::int64_t number_or(const char* key, std::int64_t otherwise, std::int64_t least, std::int64_t most) const;
    std::vector<std::int64_t> numbers(const char* key, std::int64_t least, std::int64_t most) const; // or one alone
    Pair pair(const char* key, Pair otherwise, std::int64_t least) const; // one number stands for both

  private:
    std::optional<std::int64_t> number_of(const toml::node& node, const char* key, std::int64_t least,
                                          std::int64_t most) const;
    std::optional<std::int64_t> expression(const toml::node& node, const char* key, const std::string& text) const;

    const toml::table& table_;
    const std::string& file_;
    const Parameters& parameters_;
    Diagnostics& found_;
};

} // namespace systole
