// The points of a sweep: every combination of the axes' values that the filters accept, in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/sweep/axis.h"

namespace systole {

inline constexpr std::int64_t most_combinations = 10'000'000;
inline constexpr std::int64_t most_points = 1'000'000;

struct FilterText {
    std::string text;
    Place place;
};

// Key and value, in the order of the axes and their keys.
using Settings = std::vector<std::pair<std::string, std::string>>;

class Space {
  public:
    // Throws InputError for axes that share a key, filters that are wrong, a space that is empty or too large.
    Space(std::vector<Axis> axes, const std::vector<FilterText>& filters);

    const std::vector<Axis>& axes() const { return axes_; }
    const std::vector<std::string>& filters() const { return filters_; }
    std::int64_t combinations() const { return combinations_; } // before the filters
    std::int64_t size() const { return static_cast<std::int64_t>(accepted_.size()); }

    std::vector<std::string> keys() const;
    // Of a point from 0 to size() - 1; the last axis changes fastest.
    Settings settings(std::int64_t point) const;
    // Which value of an axis it has.
    std::size_t value_index(std::int64_t point, std::size_t axis) const;
    // Of a combination, counted before the filters; nothing if these leave it out.
    std::optional<std::int64_t> point_of(std::int64_t combination) const;

    // The axes and filters, as JSON of one line: two spaces with the same text have the same points.
    std::string text() const;

  private:
    void count_combinations();
    void accept_all(const std::vector<FilterText>& filters);

    std::vector<Axis> axes_;
    std::vector<std::string> filters_;
    std::int64_t combinations_ = 1;
    std::vector<std::int32_t> accepted_; // combinations, ascending
};

// What Space::text() was made from. Throws InputError for a text that it did not write.
struct SpaceText {
    std::vector<Axis> axes;
    std::vector<FilterText> filters;
};
SpaceText parse_space(const std::string& text);

} // namespace systole
