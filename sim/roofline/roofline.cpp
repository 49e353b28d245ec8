#include "sim/roofline/roofline.h"

#include <algorithm>
#include <array>
#include <set>

#include "dataflow/operand_bytes.h"

namespace systole {

namespace {

// The bound and its time: of equals, compute comes first, then the vector unit, then the level nearest to the array.
constexpr std::array level_order{"vmem", "hbm", "pcie", "host"};

double bandwidth_of(std::int64_t bytes_per_second) {
    return bytes_per_second == unlimited ? 0.0 : static_cast<double>(bytes_per_second);
}

double vmem_bandwidth(const Machine& machine) {
    if (machine.vmem.bandwidth == unlimited) {
        return 0.0;
    }
    return static_cast<double>(machine.vmem.bandwidth) * static_cast<double>(machine.clock) * machine.cores;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

double vector_seconds(const Machine& machine, std::int64_t operations) {
    return ratio(static_cast<double>(operations), static_cast<double>(machine.vector.operations_per_cycle()) *
                                                      static_cast<double>(machine.clock) * machine.cores);
}

struct Compulsory {
    Bytes in = 0;  // A and B, with the indices of a sparse B
    Bytes out = 0; // C
};

// Of all products; `crosses`: which homes are beyond the level.
template <typename Crosses>
Compulsory compulsory_bytes(const GemmProblem& problem, Crosses&& crosses) {
    const auto of = [&](Home home, Bytes bytes) { return crosses(home) ? problem.count * bytes : 0; };
    const auto a = problem.window ? stored_bytes(problem.count * touched_elements(*problem.window), problem.formats.a)
                                  : problem.count * stored_bytes(problem.m * problem.k, problem.formats.a);
    return {(crosses(problem.homes.a) ? a : 0) + of(problem.homes.b, b_bytes(problem).total()),
            of(problem.homes.c, stored_bytes(problem.m * problem.n, problem.formats.c))};
}

void set_ratios(RooflineLevel& level, double flops, double peak) {
    level.intensity = ratio(flops, static_cast<double>(level.limiting_bytes));
    level.tiled_intensity = ratio(flops, static_cast<double>(level.tiled_bytes));
    level.ridge = ratio(peak, level.bytes_per_second);
}

RooflineLevel make_level(Bytes compulsory, Bytes limiting, Bytes tiled, double bytes_per_second) {
    RooflineLevel level;
    level.compulsory_bytes = compulsory;
    level.limiting_bytes = limiting;
    level.tiled_bytes = tiled;
    level.bytes_per_second = bytes_per_second;
    level.seconds = ratio(static_cast<double>(limiting), bytes_per_second);
    return level;
}

void set_bounds(Roofline& roofline) {
    const bool vector = roofline.t_vector_s > roofline.t_math_s;
    roofline.bound = vector ? "vector" : "compute";
    roofline.lower_bound_s = std::max(roofline.t_math_s, roofline.t_vector_s);
    roofline.upper_bound_s = roofline.t_math_s + roofline.t_vector_s;
    for (const char* const name : level_order) {
        const auto level = roofline.levels.find(name);
        if (level == roofline.levels.end()) {
            continue;
        }
        roofline.upper_bound_s += level->second.seconds;
        if (level->second.seconds > roofline.lower_bound_s) {
            roofline.lower_bound_s = level->second.seconds;
            roofline.bound = name;
        }
    }
    if (roofline.lower_bound_s == 0) {
        roofline.bound = "none";
    }
}

// The parts' peak: of those with FLOPs, or, where there are none, of all. 0: they differ.
double common_peak(const std::vector<Roofline>& parts, const std::vector<std::int64_t>& flops) {
    std::set<double> with_flops;
    std::set<double> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        all.insert(parts[i].peak_flops);
        if (flops.at(i) > 0) {
            with_flops.insert(parts[i].peak_flops);
        }
    }
    const auto& peaks = with_flops.empty() ? all : with_flops;
    return peaks.size() == 1 ? *peaks.begin() : 0;
}

void add_level(RooflineLevel& sum, const RooflineLevel& part) {
    sum.compulsory_bytes += part.compulsory_bytes;
    sum.limiting_bytes += part.limiting_bytes;
    sum.tiled_bytes += part.tiled_bytes;
    sum.seconds += part.seconds;
    sum.bytes_per_second = part.bytes_per_second;
}

} // namespace

Roofline analyze(const Machine& machine, const GemmProblem& problem, DataOrigin from, const TiledBytes& tiled,
                 Bytes prefetched) {
    const double flops = 2.0 * static_cast<double>(problem.macs());
    Roofline roofline;
    roofline.peak_flops = peak_flops(machine, macs_per_pe_cycle(machine, problem.formats));
    roofline.t_math_s = ratio(flops, roofline.peak_flops);
    roofline.t_vector_s = vector_seconds(machine, problem.vector_operations());
    const auto add = [&](const char* name, const Compulsory& bytes, bool duplex, Bytes moved, double rate) {
        const Bytes limiting = duplex ? std::max(bytes.in, bytes.out) : bytes.in + bytes.out;
        roofline.levels[name] = make_level(bytes.in + bytes.out, limiting, moved, rate);
    };
    auto in_vmem = compulsory_bytes(problem, [](Home) { return true; });
    in_vmem.in += problem.epilogue_bytes();
    add("vmem", in_vmem, false, tiled.vmem + problem.epilogue_bytes(), vmem_bandwidth(machine));
    if (from != DataOrigin::vmem) {
        auto bytes = compulsory_bytes(problem, [](Home home) { return home != Home::vmem; });
        bytes.in -= prefetched;
        add("hbm", bytes, false, tiled.hbm, bandwidth_of(machine.hbm.bandwidth));
    }
    if (from == DataOrigin::host) {
        add("pcie", compulsory_bytes(problem, [](Home home) { return home == Home::origin; }), true, tiled.pcie,
            bandwidth_of(machine.pcie.bandwidth));
    }
    for (auto& [name, level] : roofline.levels) {
        set_ratios(level, flops, roofline.peak_flops);
    }
    set_bounds(roofline);
    return roofline;
}

Roofline analyze(const Machine& machine, const VectorProblem& problem, DataOrigin from) {
    Roofline roofline;
    roofline.peak_flops = peak_flops(machine, 1);
    roofline.t_vector_s = vector_seconds(machine, problem.operations());
    const auto bytes = [&](auto&& crosses) {
        const auto sum = [&](const std::vector<VectorOperand>& operands) {
            Bytes all = 0;
            for (const auto& operand : operands)
                all += crosses(operand.home) ? operand.bytes : 0;
            return all;
        };
        return Compulsory{sum(problem.reads), sum(problem.writes)};
    };
    const auto add = [&](const char* name, const Compulsory& moved, bool duplex, double rate) {
        const Bytes all = moved.in + moved.out;
        roofline.levels[name] = make_level(all, duplex ? std::max(moved.in, moved.out) : all, all, rate);
    };
    auto in_vmem = bytes([](Home) { return true; });
    in_vmem.in += problem.resident_bytes;
    add("vmem", in_vmem, false, vmem_bandwidth(machine));
    const auto in_hbm = bytes([&](Home home) { return !lies_in_vmem(home, from); });
    if (from != DataOrigin::vmem)
        add("hbm", in_hbm, false, bandwidth_of(machine.hbm.bandwidth));
    const auto in_host = bytes([&](Home home) { return lies_in_host(home, from); });
    if (from == DataOrigin::host) {
        roofline.levels["hbm"].tiled_bytes += in_host.in + in_host.out; // written there and read again
        add("pcie", in_host, true, bandwidth_of(machine.pcie.bandwidth));
    }
    for (auto& [name, level] : roofline.levels)
        set_ratios(level, 0, roofline.peak_flops);
    set_bounds(roofline);
    return roofline;
}

void add_compulsory(Roofline& roofline, const std::string& level, Bytes bytes, std::int64_t flops) {
    const auto found = roofline.levels.find(level);
    if (found == roofline.levels.end()) {
        return;
    }
    auto& sum = found->second;
    sum.compulsory_bytes += bytes;
    sum.limiting_bytes += bytes;
    sum.tiled_bytes += bytes;
    sum.seconds = ratio(static_cast<double>(sum.limiting_bytes), sum.bytes_per_second);
    set_ratios(sum, static_cast<double>(flops), roofline.peak_flops);
    set_bounds(roofline);
}

void remove_compulsory(Roofline& roofline, const std::string& level, Bytes bytes, std::int64_t flops) {
    const auto found = roofline.levels.find(level);
    if (found == roofline.levels.end() || bytes == 0) {
        return;
    }
    auto& sum = found->second;
    sum.compulsory_bytes -= bytes;
    // Of a link the larger direction, which has half of the bytes at least.
    sum.limiting_bytes = std::max(sum.limiting_bytes - bytes, ceil_div(sum.compulsory_bytes, 2));
    sum.seconds = ratio(static_cast<double>(sum.limiting_bytes), sum.bytes_per_second);
    set_ratios(sum, static_cast<double>(flops), roofline.peak_flops);
    set_bounds(roofline);
}

Roofline sum(const std::vector<Roofline>& parts, const std::vector<std::int64_t>& flops) {
    Roofline total;
    double all_flops = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        all_flops += static_cast<double>(flops.at(i));
        total.t_math_s += parts[i].t_math_s;
        total.t_vector_s += parts[i].t_vector_s;
        for (const auto& [name, level] : parts[i].levels) {
            add_level(total.levels[name], level);
        }
    }
    // Operators in formats of different rate: the peak that does them all in the summed time.
    const double common = common_peak(parts, flops);
    total.peak_flops = common > 0 ? common : ratio(all_flops, total.t_math_s);
    for (auto& [name, level] : total.levels) {
        set_ratios(level, all_flops, total.peak_flops);
    }
    set_bounds(total);
    return total;
}

} // namespace systole
