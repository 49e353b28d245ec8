#include "sim/engine/values.h"

#include <algorithm>

#include "sim/base/wide.h"

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

namespace {

// Columns whose sums stay in registers while k runs.
constexpr std::int64_t block = 64;

SYSTOLE_WIDE
void multiply_block(std::int64_t k, const std::int8_t* __restrict a, const std::int8_t* __restrict b,
                    std::int64_t stride, std::uint32_t* __restrict sums) {
    std::uint32_t local[block] = {};
    for (std::int64_t i = 0; i < k; ++i, b += stride) {
        const std::int16_t factor = a[i];
        for (std::int64_t n = 0; n < block; ++n) {
            const auto product = static_cast<std::int16_t>(factor * b[n]); // of two int8 values: always fits
            local[n] += static_cast<std::uint32_t>(std::int32_t{product});
        }
    }
    std::copy(local, local + block, sums);
}

void multiply_rest(std::int64_t k, const std::int8_t* a, const std::int8_t* b, std::int64_t stride, std::int64_t cols,
                   std::uint32_t* sums) {
    std::fill_n(sums, cols, 0U);
    for (std::int64_t i = 0; i < k; ++i) {
        for (std::int64_t n = 0; n < cols; ++n) {
            sums[n] += static_cast<std::uint32_t>(std::int32_t{a[i]} * std::int32_t{b[i * stride + n]});
        }
    }
}

} // namespace

std::int64_t first_difference(const GemmProblem& problem, const GemmValues& values) {
    std::vector<std::uint32_t> row(problem.n);
    const auto whole = problem.n / block * block;
    for (std::int64_t m = 0; m < problem.m; ++m) {
        const auto* a = values.a.data() + m * problem.k;
        for (std::int64_t n = 0; n < whole; n += block) {
            multiply_block(problem.k, a, values.b.data() + n, problem.n, row.data() + n);
        }
        multiply_rest(problem.k, a, values.b.data() + whole, problem.n, problem.n - whole, row.data() + whole);
        for (std::int64_t n = 0; n < problem.n; ++n) {
            if (static_cast<std::uint32_t>(values.c[m * problem.n + n]) != row[n])
                return m * problem.n + n;
        }
    }
    return -1;
}

} // namespace systole
