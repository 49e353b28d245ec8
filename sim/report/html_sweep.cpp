#include "sim/report/html_sweep.h"

#include <cmath>

#include "sim/report/html_page.h"
#include "sim/report/palette.h"

namespace systole {

namespace {

constexpr std::size_t curve_colors = 8;

const char* word(SweepOrder order) {
    return order == SweepOrder::lower_is_better ? "lower" : order == SweepOrder::higher_is_better ? "higher" : "none";
}

Json index_or_null(const std::optional<std::size_t>& index) { return index ? Json(*index) : Json(nullptr); }

Json points_json(const SweepData& data) {
    Json points = Json::array();
    for (const SweepPoint& point : data.points) {
        Json values = Json::array();
        for (const double value : point.values) {
            values.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
        }
        points.push_back({{"number", point.number},
                          {"at", point.at},
                          {"values", std::move(values)},
                          {"bound", point.bound},
                          {"command", point.command}});
    }
    return points;
}

} // namespace

Json sweep_page_data(const SweepData& data, const SweepView& view) {
    Json json{
        {"title", data.title},
        {"version", data.version},
        {"total", data.total},
        {"failed", data.failed},
        {"axes", Json::array()},
        {"metrics", Json::array()},
        {"causes", Json::array()},
        {"scale", Json::array()},
        {"curves", Json::array()},
        {"colors", {{"analytic", analytic_color}, {"simulated", simulated_color}}},
        {"view",
         {{"x", view.x}, {"y", index_or_null(view.y)}, {"value", view.value}, {"winner", index_or_null(view.winner)}}},
        {"points", points_json(data)}};
    for (const SweepAxis& axis : data.axes) {
        json["axes"].push_back({{"name", axis.name}, {"values", axis.values}, {"changes_work", axis.changes_work}});
    }
    for (const SweepMetric& metric : data.metrics) {
        json["metrics"].push_back(
            {{"name", metric.name}, {"unit", metric.unit}, {"help", metric.help}, {"order", word(metric.order)}});
    }
    for (const Cause cause : all_causes) {
        json["causes"].push_back({{"key", name(cause)}, {"title", title_of(cause)}, {"color", color_of(cause)}});
    }
    for (std::size_t i = 0; i < scale_stops; ++i) {
        json["scale"].push_back(scale_stop(i));
    }
    for (std::size_t i = 0; i < curve_colors; ++i) {
        json["curves"].push_back(series_color(i));
    }
    return json;
}

std::string sweep_page(const SweepData& data, const SweepView& view) {
    require_drawable(data, view);
    return filled_page("sweep.html", sweep_page_data(data, view));
}

} // namespace systole
