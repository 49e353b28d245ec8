#include <catch2/catch.hpp>

#include "memory/clock_histogram.h"

using namespace systole;

TEST_CASE("percentiles are values that occurred", "[memory][dram]") {
    ClockHistogram histogram;
    CHECK(histogram.percentile(50) == 0);
    CHECK(histogram.mean() == 0);
    for (Clocks value = 1; value <= 100; ++value) {
        histogram.add(value);
    }
    CHECK(histogram.count() == 100);
    CHECK(histogram.mean() == 50.5);
    CHECK(histogram.percentile(50) == 50); // 50 of 100 values are at most 50
    CHECK(histogram.percentile(99) == 99);
    CHECK(histogram.percentile(100) == 100);
}

TEST_CASE("a value of any size has its place in the histogram", "[memory][dram]") {
    ClockHistogram histogram;
    histogram.add(0);
    histogram.add(1'000'000'000'000);
    histogram.add(2'000'000'000'000);
    CHECK(histogram.percentile(1) == 0);
    CHECK(histogram.percentile(50) == 1'000'000'000'000);
    CHECK(histogram.percentile(99) == 2'000'000'000'000);
    CHECK(histogram.mean() == 1e12);
}
