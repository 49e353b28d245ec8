#include "sim/report/compare.h"

#include <fmt/format.h>

#include "sim/report/csv.h"
#include "sim/report/numbers.h"
#include "sim/stats/level_comparison.h"
#include "sim/stats/waterfall.h"

namespace systole {

namespace {

Json waterfall_json(const OperatorResult& result) {
    Json bars = Json::array();
    for (const WaterfallBar& bar : waterfall(result)) {
        bars.push_back({{"cause", bar.cause}, {"cycles", bar.cycles}});
    }
    return bars;
}

Json levels_json(const OperatorResult& result) {
    Json levels = Json::object();
    for (const LevelComparison& level : compare_levels(result)) {
        levels[level.level] = {{"compulsory_bytes", level.compulsory_bytes},
                               {"tiled_bytes", level.tiled_bytes},
                               {"simulated_bytes", level.simulated_bytes},
                               {"roofline_seconds", level.roofline_seconds},
                               {"busy_fraction", level.busy_fraction}};
    }
    return levels;
}

Json explanations_json(const Machine& machine, const OperatorResult& result) {
    Json list = Json::array();
    for (const Explanation& one : explain(machine, result)) {
        list.push_back({{"cause", name(one.cause)}, {"cycles", one.cycles}, {"what", one.what}, {"cure", one.cure}});
    }
    return list;
}

void add_to(Json& object, const Comparison& comparison, const OperatorResult& result) {
    object["roofline_gap"] = result.roofline_gap();
    object["levels"] = levels_json(result);
    object["waterfall"] = waterfall_json(result);
    if (comparison.explain) {
        object["explanations"] = explanations_json(comparison.machine, result);
    }
}

Json sensitivity_json(const std::vector<SensitivityRow>& rows) {
    Json list = Json::array();
    for (const SensitivityRow& row : rows) {
        Json one{{"key", row.key}, {"from", row.from}, {"to", row.to}};
        if (row.not_possible.empty()) {
            one.update({{"cycles", row.cycles}, {"seconds", row.seconds}, {"saved_cycles", row.saved}});
        } else {
            one["not_possible"] = row.not_possible;
        }
        list.push_back(std::move(one));
    }
    return list;
}

constexpr const char* level_names[] = {"vmem", "hbm", "pcie"};

std::vector<std::string> added_fields(const OperatorResult& result) {
    std::vector<std::string> fields{shortest(result.roofline_gap())};
    const std::vector<LevelComparison> levels = compare_levels(result);
    for (const char* const name : level_names) {
        std::string bytes;
        std::string busy;
        for (const LevelComparison& level : levels) {
            if (level.level == name) {
                bytes = fmt::format("{}", level.simulated_bytes);
                busy = shortest(level.busy_fraction);
            }
        }
        fields.push_back(bytes);
        fields.push_back(busy);
    }
    for (const WaterfallBar& bar : waterfall(result)) {
        fields.push_back(fmt::format("{}", bar.cycles));
    }
    return fields;
}

std::vector<std::string> added_header() {
    std::vector<std::string> fields{"roofline_gap"};
    for (const char* const name : level_names) {
        fields.push_back(fmt::format("levels_{}_simulated_bytes", name));
        fields.push_back(fmt::format("levels_{}_busy_fraction", name));
    }
    for (const WaterfallBar& bar : waterfall({})) {
        fields.push_back("waterfall_" + bar.cause);
    }
    return fields;
}

std::string joined(std::vector<std::string> fields, const std::vector<std::string>& added) {
    fields.insert(fields.end(), added.begin(), added.end());
    return csv_line(fields);
}

} // namespace

std::string compare_json(const Comparison& comparison) {
    Json root = run_json(comparison.run);
    for (std::size_t i = 0; i < comparison.run.operators.size(); ++i) {
        add_to(root["operators"][i], comparison, comparison.run.operators[i]);
    }
    add_to(root["total"], comparison, comparison.run.total);
    if (comparison.sensitivity) {
        root["sensitivity"] = sensitivity_json(*comparison.sensitivity);
    }
    return json_text(root);
}

std::string compare_csv(const Comparison& comparison) {
    const RunResult& run = comparison.run;
    std::string text = joined(csv_header(), added_header());
    for (const OperatorResult& one : run.operators) {
        text += joined(csv_fields(run, one), added_fields(one));
    }
    if (run.operators.size() > 1) {
        text += joined(csv_fields(run, run.total), added_fields(run.total));
    }
    return text;
}

const std::vector<Counter>& compare_counters() {
    static const std::vector<Counter> counters{
        {"roofline_gap", "", "1 - roofline_efficiency: the part of the time that the roof leaves open (--max-gap)", {}},
        {"levels.LEVEL",
         "object",
         "vmem, hbm, pcie: compulsory_bytes, tiled_bytes, simulated_bytes (read and written), roofline_seconds, "
         "busy_fraction = roofline_seconds / seconds",
         {}},
        {"waterfall",
         "list",
         "t_math, then every cause but `useful`: {cause, cycles}; differences of floor(cumulated slots / slots of a "
         "cycle), which sum to cycles",
         {}},
        {"explanations", "list", "with --explain, the largest first: {cause, cycles, what, cure}", {}},
        {"sensitivity",
         "list",
         "of the run, with --sensitivity, the largest saving first: {key, from, to, cycles, seconds, saved_cycles}; "
         "saved_cycles are cycles of the clock as it is",
         {}},
    };
    return counters;
}

} // namespace systole
