// Every number of a result: its path in the JSON, its unit, what it means and where it comes from. This one table makes
// the JSON, the CSV columns and `systole info counters`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/stats/result.h"

namespace systole {

using Json = nlohmann::ordered_json;

struct Counter {
    std::string path; // within an operator, dotted: "bytes.hbm.read.A"
    std::string unit; // "cycles", "bytes", "FLOP/byte", ..., "" for a count or a ratio, "text", "true | false | null",
                      // "list", "object" (not in the CSV)
    std::string help; // one line
    // Empty: the level is not on the data's way, so the key is left out of the JSON and the CSV field is empty.
    std::function<std::optional<Json>(const OperatorResult&)> value;
};

// In the order in which they are written.
const std::vector<Counter>& operator_counters();

// The keys around the operators: chip, engine, clock_hz, ... (their `value` is empty).
const std::vector<Counter>& run_counters();

} // namespace systole
