// What travels from PE to PE. One word a cycle and hop; the flags say what in it means something.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>

namespace systole {

inline constexpr int max_lanes = 4; // MACs per PE and cycle

// Neighbouring k of one operand, at most max_lanes of them; int4 and int8 values.
using Lanes = std::array<std::int16_t, max_lanes>;

struct PeWord {
    Lanes lanes{};
    std::int32_t sum = 0;  // a partial sum on its way down (WS, IS) or a result shifting out (OS)
    std::uint8_t real = 0; // lanes that hold operand elements; the others are padding
    bool valid = false;    // lanes take part in this cycle
    bool starts = false;   // WS, IS: switch to the new stationary tile; OS: sums start from zero
    bool drain = false;    // OS: the finished sum starts to shift out
    bool last = false;     // OS: the last vector of a sum
    bool fresh = false;    // WS, IS: of the tile that is shifting in, not what it pushes out
    bool sum_valid = false;
    bool sum_real = false; // the sum belongs to an output, not to padding

    bool operator==(const PeWord&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const PeWord& word) {
    return out << "{" << word.lanes[0] << "," << word.sum << "}";
}

// int32 with wrap-around, the accumulation of int4 and int8 operands.
inline std::int32_t multiply_add(const Lanes& a, const Lanes& b, std::int32_t sum) {
    auto wide = static_cast<std::uint32_t>(sum);
    for (int i = 0; i < max_lanes; ++i)
        wide += static_cast<std::uint32_t>(std::int32_t{a[i]} * std::int32_t{b[i]});
    return static_cast<std::int32_t>(wide);
}

} // namespace systole
