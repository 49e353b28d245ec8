// What the HTML report shows, as JSON. Keys are read by sim/report/html/*.js alone.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/explain.h"
#include "sim/report/figures.h"
#include "sim/report/html.h"
#include "sim/report/layers.h"
#include "sim/report/palette.h"
#include "sim/roofline/chip_roofs.h"
#include "sim/stats/waterfall.h"

namespace systole {

namespace {

using analytic::Rates;

constexpr std::size_t most_rows = 200; // of a network: of more, repetitions of a block are one

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json causes_json() {
    Json causes = Json::array();
    for (const Cause cause : all_causes) {
        causes.push_back({{"key", name(cause)}, {"title", title_of(cause)}, {"color", color_of(cause)}});
    }
    return causes;
}

Json figure_json(const RooflineFigure& figure) {
    Json json{{"roofs", Json::array()}, {"peaks", Json::array()}, {"points", Json::array()}};
    for (const BandwidthRoof& roof : figure.roofs) {
        json["roofs"].push_back({{"label", roof.label}, {"bandwidth", roof.bandwidth}});
    }
    for (const PeakRoof& peak : figure.peaks) {
        json["peaks"].push_back({{"label", peak.label}, {"flops", peak.flops}, {"sparse", peak.sparse}});
    }
    for (const OperatorPoint& point : figure.points) {
        json["points"].push_back({{"name", point.name},
                                  {"intensity", finite(point.intensity)},
                                  {"analytic", finite(point.analytic)},
                                  {"simulated", finite(point.lower())}});
    }
    return json;
}

Json knee_json(const std::optional<KneeFigure>& knee) {
    if (!knee) {
        return nullptr;
    }
    Json json{{"n", knee->n},
              {"k", knee->k},
              {"format", knee->format},
              {"level", knee->level},
              {"critical_batch", finite(knee->critical_batch)},
              {"rule", finite(knee->rule)},
              {"simulated_knee", knee->simulated_knee ? Json(*knee->simulated_knee) : Json(nullptr)},
              {"points", Json::array()}};
    for (const KneePoint& point : knee->points) {
        json["points"].push_back({{"m", point.m}, {"analytic", point.analytic}, {"simulated", point.simulated}});
    }
    return json;
}

std::string dtype_of(const OperandFormats& formats) {
    if (formats.a == formats.b && formats.a == formats.c) {
        return std::string(name(formats.a));
    }
    return fmt::format("{},{},{}", name(formats.a), name(formats.b), name(formats.c));
}

Json levels_json(const OperatorResult& one) {
    const std::array<std::pair<const char*, const LevelTraffic*>, 3> levels{
        {{"vmem", &one.traffic.vmem}, {"hbm", &one.traffic.hbm}, {"pcie", &one.traffic.pcie}}};
    Json json = Json::array();
    for (const auto& [name, traffic] : levels) {
        const auto level = one.roofline.levels.find(name);
        if (level != one.roofline.levels.end()) {
            json.push_back({{"name", name},
                            {"compulsory_bytes", level->second.compulsory_bytes},
                            {"tiled_bytes", level->second.tiled_bytes},
                            {"simulated_bytes", traffic->total()},
                            {"intensity", level->second.intensity},
                            {"ridge", level->second.ridge},
                            {"seconds", level->second.seconds}});
        }
    }
    return json;
}

Json operator_data(const Machine& machine, const OperatorResult& one) {
    Json json{{"name", one.name},
              {"kind", one.kind},
              {"m", one.m},
              {"n", one.n},
              {"k", one.k},
              {"dtype", dtype_of(one.formats)},
              {"sparsity", name(one.sparsity)},
              {"dataflow", short_name(one.dataflow)},
              {"cycles", one.cycles},
              {"seconds", one.seconds},
              {"t_math_s", one.roofline.t_math_s},
              {"lower_bound_s", one.roofline.lower_bound_s},
              {"bound", one.roofline.bound},
              {"roofline_efficiency", one.roofline_efficiency()},
              {"array_utilization", one.array_utilization()},
              {"pe_slots", one.pe_slots},
              {"stack", Json::object()},
              {"waterfall", Json::array()},
              {"explanations", Json::array()},
              {"levels", levels_json(one)}};
    for (const Cause cause : all_causes) {
        json["stack"][std::string(name(cause))] = one.stack[cause];
    }
    for (const WaterfallBar& bar : waterfall(one)) {
        json["waterfall"].push_back({{"cause", bar.cause}, {"cycles", bar.cycles}});
    }
    for (const Explanation& said : explain(machine, one)) {
        json["explanations"].push_back(
            {{"cause", name(said.cause)}, {"cycles", said.cycles}, {"what", said.what}, {"cure", said.cure}});
    }
    return json;
}

// The whole of several operators: what they do not have in common is "mixed".
Json total_data(const Machine& machine, const RunResult& run) {
    Json json = operator_data(machine, run.total);
    json["name"] = "the whole run";
    for (const OperatorResult& one : run.operators) {
        if (dtype_of(one.formats) != json["dtype"]) {
            json["dtype"] = "mixed";
        }
        if (short_name(one.dataflow) != json["dataflow"]) {
            json["dataflow"] = "mixed";
        }
    }
    return json;
}

Json rates_json(const Machine& machine, Rates rates) {
    const std::vector<Format> formats = analytic::formats_of(machine, rates);
    if (formats.empty()) {
        return nullptr;
    }
    Json json{{"peaks", Json::object()}, {"levels", Json::array()}};
    for (const Format format : formats) {
        json["peaks"][std::string(name(format))] = analytic::peak_of(machine, format, format, rates);
    }
    const Format any = formats.front(); // bandwidths are those of all formats
    for (const analytic::Level& level : analytic::chip_roofs(machine, {any, any, any}, rates).levels) {
        json["levels"].push_back({{"name", level.name}, {"bandwidth", finite(level.bandwidth)}});
    }
    return json;
}

Json chip_json(const ReportChip& chip) {
    return {{"title", chip.machine.name + (chip.overrides.empty() ? "" : " as it was set")},
            {"argument", chip.argument},
            {"overrides", chip.overrides},
            {"rates",
             {{"nominal", rates_json(chip.machine, Rates::nominal)},
              {"machine", rates_json(chip.machine, Rates::machine)}}}};
}

Json chips_json(const HtmlReport& report) {
    Json chips = Json::array({chip_json(report.chip)});
    for (const ReportChip& other : report.others) {
        if (other.machine.file != report.chip.machine.file || !report.chip.overrides.empty()) {
            chips.push_back(chip_json(other));
        }
    }
    return chips;
}

// Sparsities of the weights that can be chosen: dense, 2:4 and those of the run.
Json sparsities_json(const RunResult& run) {
    std::vector<SparsePattern> patterns{dense_pattern, {2, 4}};
    for (const OperatorResult& one : run.operators) {
        if (std::find(patterns.begin(), patterns.end(), one.sparsity) == patterns.end()) {
            patterns.push_back(one.sparsity);
        }
    }
    Json json = Json::array();
    for (const SparsePattern pattern : patterns) {
        json.push_back({{"name", name(pattern)},
                        {"keep", pattern.keep},
                        {"group", pattern.group},
                        {"index_bits", pattern.dense() ? 0 : pattern.index_bits()}});
    }
    return json;
}

// Where the sliders begin: the first operator of the run. A network has none.
Json start_json(const RunResult& run) {
    if (run.network) {
        return nullptr;
    }
    Json json{{"batch", 1}, {"d", 1},        {"f", 1},      {"chips", 1},
              {"chip", 0},  {"from", "hbm"}, {"dtype", ""}, {"sparsity", "dense"}};
    if (!run.operators.empty()) {
        const OperatorResult& first = run.operators.front();
        json["batch"] = first.m;
        json["d"] = first.k;
        json["f"] = first.n;
        json["from"] = name(first.from);
        json["dtype"] = dtype_of(first.formats);
        json["sparsity"] = name(first.sparsity);
    }
    return json;
}

} // namespace

Json html_data(const HtmlReport& report) {
    const RunResult& run = report.run;
    const Machine& machine = report.chip.machine;
    Json json;
    json["title"] = fmt::format("{} on {}",
                                run.operators.size() == 1 ? run.operators.front().name
                                                          : fmt::format("{} operators", run.operators.size()),
                                run.chip);
    json["description"] = machine.description;
    json["engine"] = run.engine;
    json["command"] = report.command;
    json["colors"] = {{"analytic", analytic_color}, {"simulated", simulated_color}};
    json["causes"] = causes_json();
    json["figure"] = figure_json(roofline_figure(machine, run));
    json["knee"] = knee_json(knee_figure(machine, run));
    json["operators"] = Json::array();
    const auto rows = run.network ? drawn_layers(run.operators, most_rows) : run.operators;
    for (const OperatorResult& one : rows) {
        json["operators"].push_back(operator_data(machine, one));
    }
    json["total"] = total_data(machine, run);
    json["formats"] = Json::array();
    for (const Format format : all_formats) {
        json["formats"].push_back({{"name", name(format)}, {"bits", bits(format)}});
    }
    json["sparsities"] = sparsities_json(run);
    json["chips"] = chips_json(report);
    json["what_if"] = start_json(run);
    return json;
}

} // namespace systole
