#include "sim/report/palette.h"

#include <array>

namespace systole {

namespace {

struct Look {
    const char* color;
    const char* title;
};

// In the order of Cause.
constexpr std::array<Look, all_causes.size()> looks{{{"#009e73", "useful"},
                                                     {"#a8ddc4", "padding"},
                                                     {"#e69f00", "stationary load"},
                                                     {"#f0e442", "fill and drain"},
                                                     {"#56b4e9", "VMEM bandwidth"},
                                                     {"#b7d9f2", "VMEM capacity"},
                                                     {"#0072b2", "HBM bandwidth"},
                                                     {"#332288", "HBM latency"},
                                                     {"#cc79a7", "PCIe"},
                                                     {"#882255", "vector unit"},
                                                     {"#999999", "control"}}};

} // namespace

std::string color_of(Cause cause) { return looks.at(static_cast<std::size_t>(cause)).color; }

std::string title_of(Cause cause) { return looks.at(static_cast<std::size_t>(cause)).title; }

} // namespace systole
