// The tables of the text report: bytes per level, the roofline, where the cycles went.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/report/numbers.h"
#include "sim/report/text.h"
#include "sim/stats/waterfall.h"

namespace systole {

namespace {

struct NamedLevel {
    const char* label;    // at most 4 characters
    const char* roofline; // its key in the roofline, or "" for a level inside the array
    LevelTraffic Traffic::*traffic;
};

constexpr std::array<NamedLevel, 5> levels{{{"PE", "", &Traffic::pe},
                                            {"acc", "", &Traffic::accumulator},
                                            {"VMEM", "vmem", &Traffic::vmem},
                                            {"HBM", "hbm", &Traffic::hbm},
                                            {"PCIe", "pcie", &Traffic::pcie}}};

std::string label_of(const std::string& roofline_name) {
    for (const NamedLevel& level : levels) {
        if (roofline_name == level.roofline) {
            return level.label;
        }
    }
    return roofline_name;
}

std::string bytes_row(const std::string& label, const char* direction, const OperandBytes& bytes) {
    return fmt::format("{:<5}{:<7}{:>11}{:>11}{:>11}{:>11}", label, direction, count_text(bytes.a, 10),
                       count_text(bytes.b, 10), count_text(bytes.c, 10), count_text(bytes.psum, 10));
}

// What one direction of the link did with its time; the rest it was idle. 80 columns at the most.
std::string link_row(const char* direction, const DirectionUse& use) {
    const auto percent = [whole = static_cast<double>(std::max<std::int64_t>(1, use.time.total()))](std::int64_t part) {
        return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / whole);
    };
    return fmt::format("link {:<7}{:>11} on wire; {} payload, {} protocol, {} latency\n", direction,
                       count_text(use.wire_bytes, 10), percent(use.time.payload), percent(use.time.protocol),
                       percent(use.time.latency));
}

// "bus" of the stacks: 80 columns at the most.
std::string bus_row(const HbmUse& use) {
    const auto percent = [whole = static_cast<double>(std::max<Cycles>(1, use.data + use.row + use.turnaround +
                                                                              use.refresh + use.idle))](Cycles part) {
        return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / whole);
    };
    return fmt::format("     bus {} data, {} row, {} turnaround, {} refresh, {} idle\n", percent(use.data),
                       percent(use.row), percent(use.turnaround), percent(use.refresh), percent(use.idle));
}

std::string times_text(double ratio) {
    return ratio < 1000 ? fmt::format("{:.1f}x", ratio) : count_text(static_cast<std::int64_t>(ratio), 5) + "x";
}

std::string compulsory_columns(const std::string& label, const RooflineLevel& level, Bytes moved) {
    if (level.compulsory_bytes == 0) {
        return "";
    }
    const double ratio = static_cast<double>(moved) / static_cast<double>(level.compulsory_bytes);
    return fmt::format("{:>12}{:>12}", count_text(level.compulsory_bytes, 11), label + " " + times_text(ratio));
}

// What takes its time without bytes.
std::string time_row(const char* name, double seconds, const Roofline& roofline) {
    return fmt::format("  {:<9}{:>14}{:>14}{:>14}{:>14}{}\n", name, "", "", "", scaled(seconds, "s"),
                       roofline.bound == name ? "  <- bound" : "");
}

std::string level_row(const std::string& label, const RooflineLevel& level, bool binds) {
    return fmt::format("  {:<9}{:>14}{:>14.4g}{:>14}{:>14}{}\n", label, bandwidth_text(level.bytes_per_second),
                       level.intensity, level.ridge > 0 ? fmt::format("{:.4g}", level.ridge) : "-",
                       scaled(level.seconds, "s"), binds ? "  <- bound" : "");
}

} // namespace

std::string levels_text(const OperatorResult& result) {
    std::string text = fmt::format("{:<12}{:>11}{:>11}{:>11}{:>11}{:>12}{:>12}\n", "Bytes", "A", "B", "C", "psum",
                                   "compulsory", "moved");
    for (const NamedLevel& level : levels) {
        const LevelTraffic& traffic = result.traffic.*level.traffic;
        const auto roof = result.roofline.levels.find(level.roofline);
        if (traffic.total() == 0 && roof == result.roofline.levels.end()) {
            continue;
        }
        const bool is_link = level.traffic == &Traffic::pcie; // bytes written to the device go down, those read go up
        text += bytes_row(level.label, is_link ? "up" : "read", traffic.read);
        if (roof != result.roofline.levels.end()) {
            text += compulsory_columns(level.label, roof->second, traffic.total());
        }
        text += "\n" + bytes_row("", is_link ? "down" : "write", traffic.write) + "\n";
        if (traffic.read.meta + traffic.write.meta > 0) {
            text += fmt::format("     meta (indices of B) {} {}, {} {}\n", is_link ? "up" : "read",
                                count_text(traffic.read.meta, 10), is_link ? "down" : "write",
                                count_text(traffic.write.meta, 10));
        }
        if (traffic.read.vector + traffic.write.vector > 0) {
            text += fmt::format("     vector data {} {}, {} {}\n", is_link ? "up" : "read",
                                count_text(traffic.read.vector, 10), is_link ? "down" : "write",
                                count_text(traffic.write.vector, 10));
        }
        if (level.traffic == &Traffic::hbm && result.hbm.accesses > 0) {
            text += bus_row(result.hbm);
        }
        if (is_link) {
            text += link_row("up", result.pcie.to_host) + link_row("down", result.pcie.to_device);
        }
    }
    return text;
}

std::string roofline_text(const OperatorResult& result) {
    const Roofline& roofline = result.roofline;
    std::string text =
        fmt::format("{:<11}{:>14}{:>14}{:>14}{:>14}\n", "Roofline", "bandwidth", "FLOP/byte", "ridge", "time");
    text += time_row("compute", roofline.t_math_s, roofline);
    if (roofline.t_vector_s > 0) {
        text += time_row("vector", roofline.t_vector_s, roofline);
    }
    for (const NamedLevel& level : levels) {
        const auto roof = roofline.levels.find(level.roofline);
        if (roof != roofline.levels.end()) {
            text += level_row(level.label, roof->second, roofline.bound == level.roofline);
        }
    }
    if (const auto host = roofline.levels.find("host"); host != roofline.levels.end()) {
        text += time_row("host", host->second.seconds, roofline);
    }
    text += fmt::format("  lower bound {}, upper bound {}, simulated {}\n", scaled(roofline.lower_bound_s, "s"),
                        scaled(roofline.upper_bound_s, "s"), scaled(result.seconds, "s"));
    if (roofline.bound == "none") {
        return text + "  nothing that the roofline counts takes time\n";
    }
    text += fmt::format("  {} of the roofline's speed; the roofline says {} bound\n",
                        percent_text(result.roofline_efficiency()), label_of(roofline.bound));
    return text;
}

std::string stack_text(const OperatorResult& result) {
    constexpr double bar_width = 36;
    std::string text = "Where the cycles went\n";
    const std::vector<WaterfallBar> bars = waterfall(result); // `useful` is t_math there
    for (const Cause cause : all_causes) {
        if (result.stack[cause] == 0) {
            continue;
        }
        const double share = static_cast<double>(result.stack[cause]) / static_cast<double>(result.pe_slots);
        const auto bar = static_cast<std::size_t>(std::max(1.0, bar_width * share + 0.5));
        text += fmt::format("  {:<16}{:>13}{:>9.2f} %  {}\n", name(cause), bars[static_cast<std::size_t>(cause)].cycles,
                            100 * share, std::string(bar, '#'));
    }
    text += fmt::format("  {:<16}{:>13}\n", "total", result.cycles);
    return text;
}

} // namespace systole
