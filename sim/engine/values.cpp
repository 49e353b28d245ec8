#include "sim/engine/values.h"

#include <algorithm>

namespace systole {

namespace {

// splitmix64: small, the same everywhere (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
class SplitMix {
  public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }

  private:
    std::uint64_t state_;
};

void fill(std::vector<std::int8_t>& values, SplitMix& random) {
    std::size_t i = 0;
    while (i < values.size()) {
        auto word = random.next();
        for (int byte = 0; byte < 8 && i < values.size(); ++byte, word >>= 8U) {
            values[i++] = static_cast<std::int8_t>(word & 0xFFU);
        }
    }
}

} // namespace

bool carries_values(const OperandFormats& formats) { return formats.a == Format::int8 && formats.b == Format::int8; }

GemmValues random_values(const GemmProblem& problem, std::uint64_t seed) {
    GemmValues values;
    values.a.resize(problem.m * problem.k);
    values.b.resize(problem.k * problem.n);
    values.c.resize(problem.m * problem.n);
    SplitMix random(seed);
    fill(values.a, random);
    fill(values.b, random);
    return values;
}

std::int64_t first_difference(const GemmProblem& problem, const GemmValues& values) {
    std::vector<std::uint32_t> row(problem.n);
    for (std::int64_t m = 0; m < problem.m; ++m) {
        std::fill(row.begin(), row.end(), 0U);
        for (std::int64_t k = 0; k < problem.k; ++k) {
            const std::int32_t a = values.a[m * problem.k + k];
            const auto* b = values.b.data() + k * problem.n;
            for (std::int64_t n = 0; n < problem.n; ++n) row[n] += static_cast<std::uint32_t>(a * std::int32_t{b[n]});
        }
        for (std::int64_t n = 0; n < problem.n; ++n) {
            if (static_cast<std::uint32_t>(values.c[m * problem.n + n]) != row[n]) return m * problem.n + n;
        }
    }
    return -1;
}

} // namespace systole
