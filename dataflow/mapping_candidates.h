// The mappings that a search looks at. The lists depend on the problem and on the array alone, never on a capacity, so
// that a larger memory only ever adds to what fits.
#pragma once

#include <vector>

#include "dataflow/mapping_estimate.h"

namespace systole {

// plain: extents are base, 2 base, 4 base, ... and the whole; base is one streamed vector (WS, IS rows) or what the
//        arrays cover. Arrays share the columns unless that leaves arrays idle to which rows would give work.
// rich:  those, and the extent in 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, ... even parts, rounded up to the base;
//        arrays that share columns or rows, even where that leaves some idle.
enum class CandidateList { plain, rich };

// Of several products those that are one tile each also share one, 2, 4, 8, ... and all of them.
// Both loop orders wherever there is a choice. Never empty; without repetitions; the smallest tile first.
std::vector<Mapping> mapping_candidates(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits,
                                        CandidateList list);

// One tile of the whole problem, arrays sharing as in the plain list.
Mapping whole_mapping(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits);

struct RankedMapping {
    Mapping mapping;
    EstimatedCycles estimate;
    Bytes need = 0; // vmem_need()
};

// The candidates that fit, the fastest by the closed form first; of two that take as long the one with fewer passes,
// then with less VMEM. Never empty. Throws InputError if not even the smallest tile fits, or if the array cannot hold a
// group of a sparse B.
std::vector<RankedMapping> ranked_mappings(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits,
                                           const MemoryRate& memory, CandidateList list);

} // namespace systole
