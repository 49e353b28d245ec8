// A machine while its settings are being read, and the checks that need all of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/machine.h"
#include "sim/config/setting.h"

namespace systole {

struct GivenRate {
    int macs = 1;
    Place place;
};

struct Draft {
    Machine machine;
    std::map<std::string, Place> given; // key -> where its value was last given

    std::vector<Format> formats{Format::int8};
    bool formats_are_wrong = false; // reported already; what depends on them is not
    int macs_of_all = 1;
    std::map<Format, GivenRate> macs_of; // takes precedence over macs_of_all

    std::optional<Setting> swap_period; // an expression may use rows and cols, which --set may still change
    bool pcie_bandwidth_given = false;  // not to be derived from the link

    // Where the key was given; not at all: the chip's file.
    Place place_of(const std::string& key) const {
        const auto found = given.find(key);
        return found == given.end() ? Place{machine.file} : found->second;
    }
};

// Derives what depends on several settings, checks the whole, and adds what is wrong to `found`.
Machine finish(Draft draft, Diagnostics& found);

} // namespace systole
