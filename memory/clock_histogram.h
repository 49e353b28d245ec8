// How often each number of clocks occurred: exact mean and percentiles without keeping every value.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "memory/dram_config.h"

namespace systole {

class ClockHistogram {
  public:
    void add(Clocks value); // >= 0

    std::int64_t count() const { return count_; }
    double mean() const; // 0 if there are no values
    // The smallest value that `percent` per cent of the values do not exceed; 0 if there are none.
    Clocks percentile(int percent) const;

  private:
    std::vector<std::int64_t> small_;      // by value
    std::map<Clocks, std::int64_t> large_; // what would make the vector long
    std::int64_t count_ = 0;
    double sum_ = 0;
};

} // namespace systole
