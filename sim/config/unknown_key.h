// What to say about a key that no table holds.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/setting.h"

namespace systole {

// Names the key that was probably meant: one that is spelled nearly so, or the same word in its table. An empty [table]
// that could have held keys is no error. `listing`: the command that shows the keys, "systole info keys".
void report_unknown_key(const Setting& setting, const std::vector<std::string>& known, const std::string& listing,
                        Diagnostics& found);

} // namespace systole
