// A sweep's database as the pictures take it.
#pragma once

#include <optional>
#include <string>

#include "sim/report/sweep_data.h"
#include "sim/sweep/store.h"

namespace systole {

// The points that are good. Throws InputError if there is none.
SweepData read_sweep_data(Store& store);

// What the options say; empty ones are chosen: across the first axis of numbers, down the first one of words.
struct ViewWords {
    std::optional<std::string> x;
    std::optional<std::string> y;
    std::optional<std::string> value; // as ranking_key() takes it
    std::optional<std::string> winner;
};

// Throws InputError for an axis or a metric that is not there, with the one that was probably meant, and for an axis
// that is asked for twice.
SweepView choose_view(const SweepData& data, const ViewWords& words, const std::string& path);

} // namespace systole
