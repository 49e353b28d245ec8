// What the sentences about a run are made from: its numbers, once.
#pragma once

#include <string>

#include "sim/config/machine.h"
#include "sim/report/explain.h"

namespace systole {

struct RunFacts {
    RunFacts(const Machine& machine, const OperatorResult& result);

    const Machine& machine;
    const OperatorResult& result;
    bool one_shape = false; // of one operator, or of several alike: the numbers below mean something
    bool output_stationary = false;
    Cycles streamed = 0;             // S of a full tile: issue cycles of a pass
    Cycles interval = 0;             // shortest distance of two passes with a tile each
    double steps = 0;                // passes of one array
    double core_bytes_per_cycle = 0; // HBM's, in bytes per core cycle; 0: unlimited

    Cycles bar(Cause cause) const; // of the waterfall
};

struct Sentence {
    std::string what, cure;
};

Sentence padding_sentence(const RunFacts& facts);
Sentence load_sentence(const RunFacts& facts);
Sentence fill_drain_sentence(const RunFacts& facts);
Sentence control_sentence(const RunFacts& facts);
Sentence vector_sentence(const RunFacts& facts);
Sentence vmem_sentence(const RunFacts& facts);
Sentence capacity_sentence(const RunFacts& facts);
Sentence hbm_bandwidth_sentence(const RunFacts& facts);
Sentence hbm_latency_sentence(const RunFacts& facts);
Sentence pcie_sentence(const RunFacts& facts);

} // namespace systole
