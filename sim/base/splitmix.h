// Random numbers from a seed, the same everywhere: splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", 2014).
#pragma once

#include <cstdint>

namespace systole {

class SplitMix {
  public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }

    // Uniform in 0 ... bound - 1 but for a bias below 2^-32 of bounds below 2^32.
    std::uint64_t below(std::uint64_t bound) { return (next() >> 32U) * bound >> 32U; }

  private:
    std::uint64_t state_;
};

} // namespace systole
