// What travels from PE to PE. One word a cycle and hop; the flags say what in it means something.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <ostream>

#include "pe/format.h"
#include "pe/sparsity.h"

namespace systole {

inline constexpr int max_lanes = 4; // MACs per PE and cycle

// Operand values and sums are 32 bits wide: two's complement where sums are int32, else the bit pattern of an fp32,
// which holds every value of the narrower formats.
using Pattern = std::int32_t;

inline Pattern pattern_of(std::int32_t value) { return value; }
inline Pattern pattern_of(float value) { return std::bit_cast<Pattern>(value); }

// Neighbouring k of one operand, at most max_lanes of them. With sparsity: of the sparse operand the values of q
// positions and, q lanes behind each, its pick, which is a lane of the other operand; of the other operand all elements
// of the groups that these positions belong to.
using Lanes = std::array<Pattern, most_activations>;

struct PeWord {
    Lanes lanes{};
    Pattern sum = 0;       // a partial sum on its way down (WS, IS) or a result shifting out (OS)
    std::uint8_t real = 0; // lanes that hold operand elements, picks not counted; the others are padding
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

inline std::int32_t add_wrapped(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

inline Pattern add(Accumulation accumulation, Pattern a, Pattern b) {
    if (accumulation == Accumulation::int32)
        return add_wrapped(a, b);
    return pattern_of(std::bit_cast<float>(a) + std::bit_cast<float>(b));
}

// What a PE adds to its sum: the products of its lanes, added from the first to the last. Lanes without an operand are
// 0 and change nothing.
inline Pattern multiply(Accumulation accumulation, const Lanes& a, const Lanes& b) {
    if (accumulation == Accumulation::int32) {
        std::int32_t sum = 0; // of int8 values: cannot overflow
        for (int i = 0; i < max_lanes; ++i)
            sum += a[i] * b[i];
        return sum;
    }
    float sum = std::bit_cast<float>(a[0]) * std::bit_cast<float>(b[0]);
    for (int i = 1; i < max_lanes; ++i)
        sum += std::bit_cast<float>(a[i]) * std::bit_cast<float>(b[i]);
    return pattern_of(sum);
}

// The operand whose lanes pick from those of the other: x is the streamed one (OS: from the left), y the other.
enum class Picking { none, x, y };

// How the PEs of an array multiply.
struct PeMath {
    Accumulation accumulation = Accumulation::int32;
    Picking picking = Picking::none;
    int q = 1; // MACs per cycle

    // Of the first `count` lanes, or positions, of x and y.
    Pattern product(const Lanes& x, const Lanes& y, int count) const {
        if (picking == Picking::none)
            return multiply(accumulation, x, y);
        const Lanes& sparse = picking == Picking::x ? x : y;
        const Lanes& other = picking == Picking::x ? y : x;
        Lanes values{}, picked{};
        for (int i = 0; i < count; ++i) {
            values[i] = sparse[i];
            picked[i] = other[sparse[q + i]];
        }
        return multiply(accumulation, values, picked);
    }

    // MACs that words with so many real lanes stand for.
    int macs(int x_real, int y_real) const {
        if (picking == Picking::none)
            return x_real < y_real ? x_real : y_real;
        const int positions = picking == Picking::x ? x_real : y_real;
        const int others = picking == Picking::x ? y_real : x_real;
        return others > 0 ? positions : 0;
    }
};

} // namespace systole
