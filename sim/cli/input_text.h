// What a run is asked to do, resolved, as one text: two inputs with the same text give the same results.
#pragma once

#include <string>

#include "sim/cli/simulate_input.h"

namespace systole {

std::string input_text(const SimulateInput& input);

} // namespace systole
