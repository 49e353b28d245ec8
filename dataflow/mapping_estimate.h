// The closed form that ranks mappings. docs/model.md, "Mappings".
#pragma once

#include <array>
#include <map>
#include <utility>

#include "dataflow/mapping.h"

namespace systole {

// The memory behind the DMA, as one core sees it.
struct MemoryRate {
    double bytes_per_cycle = 0;
    double most_bytes_per_cycle = 0; // while other cores ask for nothing; 0: the same
    double host_bytes_per_cycle = 0; // of the link that brings each operand once; 0: it is there already
    double latency = 0;              // cycles from a request to its data
    double request_bytes = 4096;     // of one request at most
    double outstanding = 1;          // requests in flight, of each direction
    double issue_interval = 0;       // cycles from one request to the next
    double stall = 0;                // cycles in which it moves nothing (a refresh), every `stall_interval`
    double stall_interval = 1;
};

struct EstimatedCycles {
    double cycles = 0;
    double stalls = 0;       // part of them: stalls of the memory that the tiles in VMEM do not bridge
    double least = 0;        // what no run takes less than
    std::int64_t passes = 0; // of the group
};

// Of the mappings of one problem.
class MappingEstimator {
  public:
    MappingEstimator(const CoreLimits& limits, const MemoryRate& memory) : limits_(limits), memory_(memory) {}

    EstimatedCycles operator()(const Mapping& mapping);

    // What one pass reads or leaves of an operand.
    struct Unit {
        Bytes bytes = 0;
        double requests = 1;
    };
    struct Units {
        Unit x, y, out;
    };

  private:
    Units units_of(const Mapping& mapping);
    Unit map_unit(const OrientedGemm& problem, std::int64_t rows, std::int64_t depth, Format format);

    CoreLimits limits_;
    MemoryRate memory_;
    std::map<std::pair<std::int64_t, std::int64_t>, Unit> map_units_; // by rows and depth of A
};

} // namespace systole
