#include "sim/report/figures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/roofline/chip_roofs.h"
#include "sim/roofline/critical_batch.h"

namespace systole {

namespace {

using analytic::Rates;

double dense_flops(const OperatorResult& one) { return 2 * static_cast<double>(one.dense_macs); }

// The level that takes longest; without any that takes time, the outermost one.
const std::pair<const std::string, RooflineLevel>* slowest_level(const Roofline& roofline) {
    const std::pair<const std::string, RooflineLevel>* slowest = nullptr;
    for (const char* const name : {"vmem", "hbm", "pcie"}) {
        const auto level = roofline.levels.find(name);
        if (level != roofline.levels.end() &&
            (slowest == nullptr || level->second.seconds >= slowest->second.seconds)) {
            slowest = &*level;
        }
    }
    return slowest;
}

OperatorPoint point_of(const OperatorResult& one) {
    OperatorPoint point;
    point.name = one.name;
    const double flops = dense_flops(one);
    if (const auto* const level = slowest_level(one.roofline)) {
        point.level = level->first;
        const double limiting = level->second.seconds * level->second.bytes_per_second;
        point.intensity = flops / (limiting > 0 ? limiting : static_cast<double>(level->second.compulsory_bytes));
    }
    point.analytic = flops / one.roofline.lower_bound_s;
    point.simulated = flops / one.seconds;
    return point;
}

} // namespace

std::string level_title(const std::string& name) {
    static const std::map<std::string, std::string> titles{{"vmem", "VMEM"}, {"hbm", "HBM"}, {"pcie", "PCIe"},
                                                           {"l1", "L1"},     {"l2", "L2"},   {"l3", "L3"}};
    const auto found = titles.find(name);
    return found == titles.end() ? name : found->second;
}

double RooflineFigure::dense_peak() const { return peaks.empty() ? 0 : peaks.front().flops; }

namespace {

// Levels with a bandwidth, fastest first. Links belong to several chips.
std::vector<BandwidthRoof> bandwidth_roofs(const std::vector<analytic::Level>& levels) {
    std::vector<BandwidthRoof> roofs;
    for (const analytic::Level& level : levels) {
        if (level.bandwidth != analytic::infinite && level.name != "link") {
            roofs.push_back({level.name, level_title(level.name), level.bandwidth});
        }
    }
    std::stable_sort(roofs.begin(), roofs.end(),
                     [](const BandwidthRoof& a, const BandwidthRoof& b) { return a.bandwidth > b.bandwidth; });
    return roofs;
}

OperatorPoint point_of(const analytic::Result& result) {
    OperatorPoint point;
    point.name = result.work.name;
    point.analytic = result.attainable;
    double slowest = -1;
    for (const analytic::LevelResult& level : result.levels) {
        if (level.name != "pe" && level.seconds >= slowest) {
            slowest = level.seconds;
            point.level = level.name;
            point.intensity = level.intensity;
        }
    }
    return point;
}

// One for each dense peak, and one for each sparsity that an operator of it has; equal ones are one.
std::vector<PeakRoof> peak_roofs(const RunResult& run) {
    std::map<double, PeakRoof> all;
    const auto add = [&all](double flops, const std::string& label, bool sparse) {
        PeakRoof& roof = all[flops];
        roof.sparse = roof.label.empty() ? sparse : roof.sparse && sparse;
        roof.label += (roof.label.empty() ? "" : ", ") + label;
        roof.flops = flops;
    };
    std::map<double, std::string> dense;
    std::map<std::pair<double, std::string>, double> sparse; // by the dense peak and the label
    for (const OperatorResult& one : run.operators) {
        if (one.macs == 0)
            continue; // the vector unit's work is no point under the arrays' roof
        const double peak = one.roofline.peak_flops;
        const std::string format(name(one.formats.a));
        dense.try_emplace(peak, format);
        if (!one.sparsity.dense()) {
            sparse[{peak, format + " " + name(one.sparsity)}] = analytic::sparse_peak(
                peak, 1, static_cast<double>(one.sparsity.group) / static_cast<double>(one.sparsity.keep));
        }
    }
    for (const auto& [flops, format] : dense) {
        add(flops, format, false);
    }
    for (const auto& [key, flops] : sparse) {
        add(flops, key.second, true);
    }
    std::vector<PeakRoof> roofs;
    for (const auto& [flops, roof] : all) {
        roofs.push_back(roof);
    }
    return roofs;
}

} // namespace

RooflineFigure roofline_figure(const Machine& machine, const RunResult& run) {
    RooflineFigure figure;
    for (const OperatorResult& one : run.operators) {
        if (one.macs == 0)
            continue; // the vector unit's work is no point under the arrays' roof
        figure.points.push_back(point_of(one));
    }
    figure.peaks = peak_roofs(run);
    if (run.operators.empty())
        return figure;
    const auto product = std::find_if(run.operators.begin(), run.operators.end(),
                                      [](const OperatorResult& one) { return one.macs > 0; });
    const Format usual = machine.default_format; // of a run without a product: the roof alone
    const auto formats = product != run.operators.end() ? product->formats : OperandFormats{usual, usual, usual};
    if (figure.peaks.empty()) {
        figure.peaks.push_back(
            {std::string(name(usual)), analytic::peak_of(machine, usual, usual, Rates::machine), false});
    }
    figure.roofs = bandwidth_roofs(analytic::chip_roofs(machine, formats, Rates::machine).levels);
    return figure;
}

RooflineFigure roofline_figure(const analytic::Roofs& roofs, const std::optional<PeakRoof>& sparse,
                               const std::string& format, const std::vector<analytic::Result>& results) {
    RooflineFigure figure;
    figure.roofs = bandwidth_roofs(roofs.levels);
    figure.peaks = {{format, roofs.peak, false}};
    if (sparse) {
        figure.peaks.push_back(*sparse);
    }
    for (const analytic::Result& result : results) {
        figure.points.push_back(point_of(result));
    }
    return figure;
}

namespace {

bool differ_in_m_alone(const std::vector<OperatorResult>& sorted) {
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        const OperatorResult& one = sorted[i];
        const OperatorResult& first = sorted.front();
        if (one.n != first.n || one.k != first.k || !(one.formats == first.formats) || one.dataflow != first.dataflow ||
            one.m == sorted[i - 1].m) {
            return false;
        }
    }
    return true;
}

struct Line {
    double at_zero = 0;
    double slope = 0;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Theil and Sen; empty for fewer than two points.
std::optional<Line> line_through(const std::vector<std::pair<double, double>>& points) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            slopes.push_back((points[i].second - points[j].second) / (points[i].first - points[j].first));
        }
    }
    if (slopes.empty()) {
        return std::nullopt;
    }
    Line line{0, median(slopes)};
    std::vector<double> rests;
    for (const auto& [m, seconds] : points) {
        rests.push_back(seconds - line.slope * m);
    }
    line.at_zero = median(rests);
    return line;
}

std::optional<double> knee_of(const std::vector<OperatorResult>& sorted) {
    std::vector<std::pair<double, double>> by_memory;
    std::vector<std::pair<double, double>> by_math;
    for (const OperatorResult& one : sorted) {
        (one.roofline.bound == "compute" ? by_math : by_memory).emplace_back(static_cast<double>(one.m), one.seconds);
    }
    const std::optional<Line> memory = line_through(by_memory);
    const std::optional<Line> math = line_through(by_math);
    if (!memory || !math) {
        return std::nullopt;
    }
    const double at = (memory->at_zero - math->at_zero) / (math->slope - memory->slope);
    const bool between = at > static_cast<double>(sorted.front().m) && at < static_cast<double>(sorted.back().m);
    return between ? std::optional(at) : std::nullopt;
}

} // namespace

std::optional<KneeFigure> knee_figure(const Machine& machine, const RunResult& run) {
    constexpr std::size_t fewest = 4; // two for each of the two lines
    std::vector<OperatorResult> sorted = run.operators;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const OperatorResult& a, const OperatorResult& b) { return a.m < b.m; });
    if (sorted.size() < fewest || !differ_in_m_alone(sorted)) {
        return std::nullopt;
    }
    const OperatorResult& first = sorted.front();
    KneeFigure figure;
    figure.n = first.n;
    figure.k = first.k;
    figure.format = name(first.formats.a);
    figure.level = first.from == DataOrigin::host ? "pcie" : first.from == DataOrigin::hbm ? "hbm" : "vmem";
    for (const OperatorResult& one : sorted) {
        figure.points.push_back(
            {one.m, one.roofline.t_math_s / one.roofline.lower_bound_s, one.roofline.t_math_s / one.seconds});
    }
    const analytic::Roofs roofs = analytic::chip_roofs(machine, first.formats, Rates::machine);
    const double bandwidth = analytic::level_of(roofs, figure.level).bandwidth;
    const auto batch = [&](analytic::Activations activations) {
        return analytic::critical_batch(analytic::matmul_per_batch(static_cast<double>(first.k),
                                                                   static_cast<double>(first.n), first.formats,
                                                                   activations),
                                        roofs.peak, bandwidth);
    };
    figure.critical_batch = batch(analytic::Activations::counted);
    figure.rule = batch(analytic::Activations::neglected);
    figure.simulated_knee = knee_of(sorted);
    return figure;
}

} // namespace systole
