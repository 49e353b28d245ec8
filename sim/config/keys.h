// The table of all keys of a chip file: how each is read into a machine, printed from one, and explained.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/table.h"
#include "sim/config/draft.h"

namespace systole {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

inline constexpr const char* required = "required"; // KeyInfo::default_value of a key that must be given

struct Key {
    KeyInfo info; // info.key may end in ".FORMAT": one entry for each number format
    // Takes over a setting's value or adds why it cannot.
    std::function<void(Draft&, const Setting&, Diagnostics&)> read;
    // Appends the value as `read` takes it; nothing where the machine does not state one.
    std::function<void(const Machine&, KeyValues&)> print;
};

const std::vector<Key>& keys();

// Gives one setting to the key it names, or reports that there is no such key.
void apply(Draft& draft, const Setting& setting, Diagnostics& found);

} // namespace systole
