// `systole compare` on paper: simulated and analytic side by side, the waterfall from one to the other, and, if asked
// for, what each cause means and what a faster part would save.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/config/machine.h"
#include "sim/report/explain.h"
#include "sim/report/json.h"
#include "sim/report/layers.h"
#include "sim/stats/result.h"

namespace systole {

// The whole run again with one value of the chip changed.
struct SensitivityRow {
    std::string key;          // of the chip file
    std::string from, to;     // its values, as the chip file takes them
    Cycles cycles = 0;        // of the changed machine
    double seconds = 0;       // likewise
    Cycles saved = 0;         // in cycles of the clock as it is, rounded down; below 0: it became slower
    std::string not_possible; // why there is no such machine; "" if there is
};

struct Comparison {
    Machine machine;
    RunResult run;
    bool explain = false;
    std::optional<std::vector<SensitivityRow>> sensitivity; // in the order in which it is printed
    LayerRows rows = LayerRows::folded;                     // of a network
};

std::string compare_text(const Comparison& comparison); // 80 columns

// simulate's object. Per operator and total: "roofline_gap", "levels", "waterfall" and, if asked for, "explanations";
// for the run "sensitivity", if asked for.
std::string compare_json(const Comparison& comparison);

// simulate's columns, then roofline_gap, VMEM_simulated_bytes and so on, waterfall_*. A row per operator and, of
// several, one named "total". Neither explanations nor sensitivity.
std::string compare_csv(const Comparison& comparison);

// What it adds to simulate's keys, for `systole info counters`; their `value` is empty.
const std::vector<Counter>& compare_counters();

} // namespace systole
