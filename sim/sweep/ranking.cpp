#include "sim/sweep/ranking.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/table.h"

namespace systole {

namespace {

constexpr std::array<std::pair<const char*, const char*>, 4> spoken{{{"time", "seconds"},
                                                                     {"utilization", "array_utilization"},
                                                                     {"efficiency", "roofline_efficiency"},
                                                                     {"pes", "pe_count"}}};

// Smaller is better.
double cost(const Cell& cell, Better better) { return better == Better::higher ? -number_of(cell) : number_of(cell); }

using Costs = std::vector<double>;

bool beats(const Costs& a, const Costs& b) {
    bool better_in_one = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] > b[i]) {
            return false;
        }
        better_in_one = better_in_one || a[i] < b[i];
    }
    return better_in_one;
}

} // namespace

const Metric& ranking_key(const std::string& name) {
    std::string wanted = name;
    std::vector<std::string> names;
    for (const auto& [word, metric] : spoken) {
        names.emplace_back(word);
        wanted = name == word ? metric : wanted;
    }
    for (const Metric& metric : point_metrics()) {
        if (metric.better == Better::neither) {
            continue;
        }
        if (metric.name == wanted) {
            return metric;
        }
        names.push_back(metric.name);
    }
    const std::string near = nearest(name, names);
    throw InputError(fmt::format("points cannot be ranked by '{}' ({}there are {})", name.substr(0, 60),
                                 near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(names, ", ")));
}

std::vector<std::size_t> best_first(const std::vector<Cell>& values, Better better) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (is_number(values[i])) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return cost(values[a], better) < cost(values[b], better); });
    return order;
}

std::vector<std::size_t> pareto_front(const std::vector<std::vector<Cell>>& columns,
                                      const std::vector<Better>& better) {
    std::vector<std::pair<Costs, std::size_t>> rows;
    for (std::size_t row = 0; row < columns.front().size(); ++row) {
        Costs costs;
        for (std::size_t key = 0; key < columns.size(); ++key) {
            if (is_number(columns[key][row])) {
                costs.push_back(cost(columns[key][row], better[key]));
            }
        }
        if (costs.size() == columns.size()) {
            rows.emplace_back(std::move(costs), row);
        }
    }
    // In this order a row can be beaten by earlier ones alone, and it is enough to look at those of the front.
    std::sort(rows.begin(), rows.end());
    std::vector<std::pair<Costs, std::size_t>> front;
    for (const auto& row : rows) {
        const bool beaten =
            std::any_of(front.begin(), front.end(), [&](const auto& one) { return beats(one.first, row.first); });
        if (!beaten) {
            front.push_back(row);
        }
    }
    std::vector<std::size_t> numbers;
    for (const auto& [costs, row] : front) {
        numbers.push_back(row);
    }
    return numbers;
}

} // namespace systole
