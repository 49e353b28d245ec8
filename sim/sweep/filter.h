// Which combinations of a sweep are run: "array.rows * array.cols <= 16384 and dataflow != ws".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/sweep/axis.h"

namespace systole {

// Comparisons (== != < <= > >=), several with "and" between them. Their sides are whole numbers, keys of the axes whose
// values are whole numbers, + - * / (rounding towards zero) and parentheses; or with == and != a key and one of its
// values ("hbm.bandwidth == 820 GB/s").
class Filter {
  public:
    // Throws InputError for what is no filter, names no key of the axes or compares with a value that no axis has.
    Filter(const std::string& text, const Place& place, const std::vector<Axis>& axes);

    // Throws InputError where a key is used as a number and has no number, and for a division by zero.
    bool accepts(const std::map<std::string, std::string>& values,
                 const std::map<std::string, std::int64_t>& numbers) const;

    const std::string& text() const { return text_; }

  private:
    struct Comparison {
        std::string left;
        std::string sign;
        std::string right;
        bool as_words = false; // `left` is a key, `right` one of its values
    };

    Comparison read(const std::string& text, const std::vector<Axis>& axes) const;
    void check_side(const std::string& side, const std::vector<Axis>& axes) const;
    std::int64_t number(const std::string& side, const std::map<std::string, std::int64_t>& numbers) const;
    [[noreturn]] void refuse(const std::string& why) const;

    std::string text_;
    Place place_;
    std::vector<Comparison> comparisons_;
};

} // namespace systole
