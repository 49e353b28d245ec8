// What `systole roofline` says, and how it is written as text, JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "sim/report/counters.h"
#include "sim/roofline/roof.h"

namespace systole {

// A number beside the operators: a critical batch, a ridge.
struct RooflineNumber {
    std::string key;   // in JSON and CSV
    std::string label; // in the text
    std::string unit;  // "FLOP/s", "B/s", "B", "s", "FLOP/B", "" for a count or a ratio
    double value = 0;  // may be infinite: "none" in the text, null in JSON
};

struct RooflineOperator {
    analytic::Result result;
    std::string dtype;
    std::string sparsity = "dense"; // or "2:4"; of a total "mixed"
};

struct RooflineAnswer {
    std::string chip;      // "" where no chip was asked for
    std::string chip_text; // its description
    std::string topic;     // "gemm", "attention", ...
    std::vector<RooflineOperator> operators;
    std::vector<RooflineNumber> quantities;
    std::vector<std::string> skipped; // operators of a network that were left out on request
};

// Name of a level as people write it: "VMEM", "L2".
std::string level_label(const std::string& name);

std::string roofline_text(const RooflineAnswer& answer);
std::string roofline_json(const RooflineAnswer& answer);
std::string roofline_csv(const RooflineAnswer& answer); // a row for each operator, or one of the quantities alone

Json roofline_json_of(const analytic::Result& result); // the "roofline" object of docs/cli

} // namespace systole
