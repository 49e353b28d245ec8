#include "sim/report/sweep_data.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/report/numbers.h"
#include "sim/report/plot_canvas.h"

namespace systole {

namespace {

bool is_better(const SweepMetric& metric, double a, double b) {
    return metric.order == SweepOrder::higher_is_better ? a > b : a < b;
}

// The greater one over the smaller one, less 1; nothing where the smaller one is 0.
std::optional<double> lead(double a, double b) {
    const double small = std::min(a, b);
    return small > 0 ? std::optional(std::max(a, b) / small - 1) : std::nullopt;
}

void require_few_values(const SweepAxis& axis) {
    if (axis.values.size() > most_pictured_values) {
        throw InputError(fmt::format("{} has {} values, too many for the side of a picture (at most {}; choose other "
                                     "axes with --x and --y, or sweep fewer values)",
                                     axis.name, axis.values.size(), most_pictured_values));
    }
}

} // namespace

std::size_t SweepData::metric(const std::string& name) const {
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const auto& one) { return one.name == name; });
    if (found == metrics.end()) {
        throw InternalError("the pictures of a sweep need the metric " + name);
    }
    return static_cast<std::size_t>(found - metrics.begin());
}

void require_drawable(const SweepData& data, const SweepView& view) {
    if (data.points.size() > most_pictured_points) {
        throw InputError(
            fmt::format("{} points are too many for pictures (at most {}; `sweep show --format csv` writes "
                        "all, or sweep fewer)",
                        data.points.size(), most_pictured_points));
    }
    require_few_values(data.axes[view.x]);
    if (view.y) {
        require_few_values(data.axes[*view.y]);
    }
}

std::size_t columns_of(const SweepData& data, const SweepView& view) { return data.axes[view.x].values.size(); }

std::size_t rows_of(const SweepData& data, const SweepView& view) {
    return view.y ? data.axes[*view.y].values.size() : 1;
}

std::vector<std::optional<std::size_t>> best_of_cells(const SweepData& data, const SweepView& view, std::size_t metric,
                                                      std::optional<std::size_t> winner_value) {
    std::vector<std::optional<std::size_t>> best(columns_of(data, view) * rows_of(data, view));
    for (std::size_t i = 0; i < data.points.size(); ++i) {
        const SweepPoint& point = data.points[i];
        if (std::isnan(point.values[metric]) || (winner_value && point.at[*view.winner] != *winner_value)) {
            continue;
        }
        const std::size_t row = view.y ? point.at[*view.y] : 0;
        std::optional<std::size_t>& cell = best[row * columns_of(data, view) + point.at[view.x]];
        if (!cell || is_better(data.metrics[metric], point.values[metric], data.points[*cell].values[metric])) {
            cell = i;
        }
    }
    return best;
}

std::vector<std::optional<CellWinner>> winners_of_cells(const SweepData& data, const SweepView& view) {
    const SweepMetric& metric = data.metrics[view.value];
    const auto number = [&](std::size_t point) { return data.points[point].values[view.value]; };
    std::vector<std::vector<std::optional<std::size_t>>> bests; // for each value of the winner's axis
    for (std::size_t value = 0; value < data.axes[*view.winner].values.size(); ++value) {
        bests.push_back(best_of_cells(data, view, view.value, value));
    }
    std::vector<std::optional<CellWinner>> winners(columns_of(data, view) * rows_of(data, view));
    for (std::size_t cell = 0; cell < winners.size(); ++cell) {
        std::optional<CellWinner>& winner = winners[cell];
        for (std::size_t value = 0; value < bests.size(); ++value) {
            const auto& best = bests[value][cell];
            if (best && (!winner || is_better(metric, number(*best), number(winner->point)))) {
                winner = CellWinner{value, {}, std::nullopt, *best};
            }
        }
        std::optional<double> second;
        for (std::size_t value = 0; winner && value < bests.size(); ++value) {
            const auto& best = bests[value][cell];
            if (!best || value == winner->value) {
                continue;
            }
            if (number(*best) == number(winner->point)) {
                winner->equals.push_back(value);
            } else if (!second || is_better(metric, number(*best), *second)) {
                second = number(*best);
            }
        }
        if (second) {
            winner->ahead = lead(number(winner->point), *second);
        }
    }
    return winners;
}

std::string winner_text(const SweepData& data, const SweepView& view, const CellWinner& winner) {
    const std::vector<std::string>& names = data.axes[*view.winner].values;
    std::string text = names[winner.value];
    for (const std::size_t equal : winner.equals) {
        text += " = " + names[equal];
    }
    if (!winner.ahead) {
        return text;
    }
    const double percent = 100 * *winner.ahead;
    return text + fmt::format(" +{:.{}f} %", percent, percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0);
}

std::string metric_text(const SweepMetric& metric, double value) {
    if (metric.unit.empty()) {
        return percent_text(value);
    }
    if (metric.unit == "bytes") {
        return bytes_text(static_cast<Bytes>(value));
    }
    return metric.unit == "s" || metric.unit == "Hz" ? scaled(value, metric.unit) : scaled_number(value);
}

} // namespace systole
