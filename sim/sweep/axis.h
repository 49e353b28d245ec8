// An axis of a sweep: the values that one key takes, or several keys together (linked: square arrays).
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"

namespace systole {

struct AxisValue {
    std::vector<std::string> texts; // one for each key of the axis
    Place place;                    // where somebody wrote it

    bool operator==(const AxisValue& other) const { return texts == other.texts; }
};

struct Axis {
    std::vector<std::string> keys;
    std::vector<AxisValue> values;
    Place place;
};

inline constexpr std::size_t most_axis_values = 100'000;

// One item of a list of values, as it is written behind --axis or as a text in a sweep file:
//     16, ws, 820 GB/s    itself; of linked keys each takes it
//     8..256              8, 16, 32, ... 256: doubling, which has to arrive at the last value; with a unit "400..3200
//     GB/s" 8..512*4            times 4 1..9:2              1, 3, 5, 7, 9: plus 2, while not above the last value 8x512
//     of two linked keys: 8 for the first, 512 for the second 8x512..512x8        of linked keys: each doubles, halves
//     or stays, in equally many steps
// Throws InputError with `place`.
std::vector<AxisValue> expand_values(const std::string& item, std::size_t keys, const Place& place);

// "KEY=V,V,..." or "KEY,KEY=V,V,...". Throws InputError.
Axis parse_axis(const std::string& text);

// Refuses an axis without values, keys without a name and a value that is there twice.
void check_axis(const Axis& axis);

std::string name_of(const Axis& axis);       // "array.rows,array.cols"
std::string text_of(const AxisValue& value); // "8x512"

} // namespace systole
