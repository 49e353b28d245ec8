#include "sim/report/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

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

constexpr std::array<std::array<int, 3>, scale_stops> stops{
    {{0x44, 0x01, 0x54}, {0x3b, 0x52, 0x8b}, {0x21, 0x91, 0x8c}, {0x5e, 0xc9, 0x62}, {0xfd, 0xe7, 0x25}}};

constexpr std::array<const char*, 8> curves{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                            "#e69f00", "#56b4e9", "#882255", "#777777"};

} // namespace

std::string scale_color(double fraction) {
    const double place = std::clamp(fraction, 0.0, 1.0) * (scale_stops - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), scale_stops - 2);
    const double part = place - static_cast<double>(below);
    std::array<int, 3> mixed{};
    for (std::size_t i = 0; i < mixed.size(); ++i) {
        mixed[i] = static_cast<int>(std::lround((1 - part) * stops[below][i] + part * stops[below + 1][i]));
    }
    return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

std::string scale_stop(std::size_t index) {
    return scale_color(static_cast<double>(index) / static_cast<double>(scale_stops - 1));
}

bool is_dark(const std::string& color) {
    // Weights of red, green and blue in what the eye calls bright (ITU-R BT.601).
    const auto channel = [&](std::size_t at) { return std::stoi(color.substr(at, 2), nullptr, 16); };
    return 0.299 * channel(1) + 0.587 * channel(3) + 0.114 * channel(5) < 140;
}

std::string series_color(std::size_t index) { return curves.at(index % curves.size()); }

std::string color_of(Cause cause) { return looks.at(static_cast<std::size_t>(cause)).color; }

std::string title_of(Cause cause) { return looks.at(static_cast<std::size_t>(cause)).title; }

} // namespace systole
