#include "sim/cli/sweep_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/table.h"
#include "sim/cli/sweep_point.h"
#include "sim/report/wrap.h"
#include "sim/sweep/ranking.h"
#include "sim/sweep/table.h"

namespace systole {

namespace {

std::string joined(const std::vector<std::string>& texts, const char* between) {
    return printable(fmt::format("{}", fmt::join(texts, between)));
}

// Whether its values are different tasks, rather than different ways to do one.
bool changes_work(const std::string& key) {
    const AxisKind kind = axis_kind(key, {});
    return kind == AxisKind::dimension || kind == AxisKind::parameter || key == "workload" || key == "topology" ||
           key == "onnx" || key == "conv" || key == "gemm";
}

SweepAxis shown_axis(const Axis& stored) {
    SweepAxis axis{joined(stored.keys, ","), {}, std::any_of(stored.keys.begin(), stored.keys.end(), changes_work)};
    for (const AxisValue& value : stored.values) {
        axis.values.push_back(joined(value.texts, "x"));
    }
    return axis;
}

std::vector<SweepMetric> numeric_metrics() {
    std::vector<SweepMetric> metrics;
    for (const Metric& metric : point_metrics()) {
        if (metric.unit != "text" && metric.name != "verified") {
            const SweepOrder order = metric.better == Better::lower    ? SweepOrder::lower_is_better
                                     : metric.better == Better::higher ? SweepOrder::higher_is_better
                                                                       : SweepOrder::none;
            metrics.push_back({metric.name, metric.unit, metric.help, order});
        }
    }
    return metrics;
}

// Which value of the axis the row has.
std::size_t value_of(const Axis& axis, const Table& table, const Row& row, const std::string& path) {
    AxisValue value;
    for (const std::string& key : axis.keys) {
        value.texts.push_back(text_of(row[table.column(key)]));
    }
    const auto found = std::find(axis.values.begin(), axis.values.end(), value);
    if (found == axis.values.end()) {
        throw InputError({path}, fmt::format("point {} has a value that its axis {} has not (the database was changed "
                                             "by something else)",
                                             text_of(row.front()), joined(axis.keys, ",")));
    }
    return static_cast<std::size_t>(found - axis.values.begin());
}

SweepPoint point_of(const Table& table, const Row& row, const std::vector<Axis>& axes,
                    const std::vector<SweepMetric>& metrics, Store& store) {
    SweepPoint point;
    point.number = static_cast<std::int64_t>(number_of(row.front()));
    for (const Axis& axis : axes) {
        point.at.push_back(value_of(axis, table, row, store.database().path()));
    }
    for (const SweepMetric& metric : metrics) {
        const Cell& cell = row[table.column(metric.name)];
        point.values.push_back(is_number(cell) ? number_of(cell) : std::numeric_limits<double>::quiet_NaN());
    }
    Settings settings;
    for (const std::string& key : store.header().keys) {
        settings.emplace_back(key, text_of(row[table.column(key)]));
    }
    point.bound = printable(text_of(row[table.column("bound")]));
    point.command = "systole simulate " + shell_line(point_arguments(store.header().arguments, settings));
    return point;
}

void mark_front(SweepData& data, const Table& table) {
    const std::vector<Better> better{Better::lower, Better::lower};
    for (const std::size_t one : pareto_front({table.values("seconds"), table.values("area")}, better)) {
        data.points[one].on_front = true;
    }
}

bool is_varied(const SweepAxis& axis) { return axis.values.size() > 1; }

bool has_numbers(const SweepAxis& axis) {
    return std::all_of(axis.values.begin(), axis.values.end(),
                       [](const std::string& text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; });
}

std::vector<std::string> keys_of(const SweepAxis& axis) {
    std::vector<std::string> keys{axis.name};
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = axis.name.find(',', begin);
        keys.push_back(axis.name.substr(begin, end == std::string::npos ? end : end - begin));
    }
    return keys;
}

// By its name, or by one of its keys.
std::size_t axis_named(const SweepData& data, const std::string& option, const std::string& word,
                       const std::string& path) {
    std::vector<std::string> known;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < data.axes.size(); ++i) {
        const std::vector<std::string> keys = keys_of(data.axes[i]);
        if (std::find(keys.begin(), keys.end(), word) != keys.end()) {
            return i;
        }
        known.insert(known.end(), keys.begin(), keys.end());
        names.push_back(data.axes[i].name);
    }
    const std::string near = nearest(word, known);
    throw InputError({path},
                     fmt::format("{} '{}' is no axis of this sweep ({}its axes are {})", option, word.substr(0, 60),
                                 near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(names, "; ")));
}

// The first axis that is not taken, has several values and is as wished; else the first that is not as wished.
std::optional<std::size_t> free_axis(const SweepData& data, const std::vector<std::size_t>& taken, bool numbers) {
    std::optional<std::size_t> second;
    for (std::size_t i = 0; i < data.axes.size(); ++i) {
        const bool is_free = std::find(taken.begin(), taken.end(), i) == taken.end();
        if (!is_free || !is_varied(data.axes[i])) {
            continue;
        }
        if (has_numbers(data.axes[i]) == numbers) {
            return i;
        }
        second = second ? second : i;
    }
    return second;
}

void require_different_axes(const SweepData& data, const SweepView& view) {
    if (view.y == view.x || view.winner == view.x || (view.winner && view.winner == view.y)) {
        const std::size_t twice = view.winner == view.x || view.y == view.x ? view.x : *view.y;
        throw InputError(
            fmt::format("{} cannot be two of --x, --y and --winner (choose different axes)", data.axes[twice].name));
    }
}

} // namespace

SweepData read_sweep_data(Store& store) {
    const SweepHeader& header = store.header();
    const std::string& path = store.database().path();
    SweepData data;
    data.title =
        printable(header.description.empty() ? std::filesystem::path(path).filename().string() : header.description);
    data.version = printable(header.version);
    data.total = header.points;
    data.failed = store.count("failed") + store.count("lost");
    data.metrics = numeric_metrics();
    const std::vector<Axis> axes = parse_space(header.space).axes;
    for (const Axis& axis : axes) {
        data.axes.push_back(shown_axis(axis));
    }
    const Table table = read_points(store, "ok");
    if (table.rows.empty()) {
        throw InputError({path}, data.failed > 0
                                     ? fmt::format("no point is good, so there is nothing to draw ({} failed; `systole "
                                                   "sweep show {} --failed` says why)",
                                                   data.failed, shell_line({path}))
                                     : "holds no point yet, so there is nothing to draw (`systole sweep --resume` goes "
                                       "on with it)");
    }
    for (const Row& row : table.rows) {
        data.points.push_back(point_of(table, row, axes, data.metrics, store));
    }
    mark_front(data, table);
    return data;
}

SweepView choose_view(const SweepData& data, const ViewWords& words, const std::string& path) {
    SweepView view;
    std::vector<std::size_t> taken;
    const auto named = [&](const char* option, const std::optional<std::string>& word) {
        std::optional<std::size_t> axis;
        if (word) {
            axis = axis_named(data, option, *word, path);
            taken.push_back(*axis);
        }
        return axis;
    };
    const std::optional<std::size_t> x = named("--x", words.x);
    view.y = named("--y", words.y);
    view.winner = named("--winner", words.winner);
    view.x = x ? *x : free_axis(data, taken, true).value_or(0);
    taken.push_back(view.x);
    view.y = view.y ? view.y : free_axis(data, taken, false);
    require_different_axes(data, view);
    view.value = data.metric(ranking_key(words.value.value_or(view.winner ? "time" : "utilization")).name);
    const auto unknown = [&](const SweepPoint& point) { return std::isnan(point.values[view.value]); };
    if (std::all_of(data.points.begin(), data.points.end(), unknown)) {
        throw InputError({path},
                         fmt::format("{} is known of no point (area and sram_bytes are not known where VMEM or the "
                                     "accumulators are unlimited; choose another --value)",
                                     data.metrics[view.value].name));
    }
    return view;
}

} // namespace systole
