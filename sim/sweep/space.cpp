#include "sim/sweep/space.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/sweep/cell.h"
#include "sim/sweep/filter.h"

namespace systole {

namespace {

using Json = nlohmann::ordered_json;

void require_different_keys(const std::vector<Axis>& axes) {
    std::map<std::string, Place> known;
    for (const Axis& axis : axes) {
        for (const std::string& key : axis.keys) {
            if (!known.emplace(key, axis.place).second) {
                throw InputError(axis.place, fmt::format("{} is in two axes, or twice in one (give its values once)",
                                                         key.substr(0, 60)));
            }
        }
    }
}

} // namespace

Space::Space(std::vector<Axis> axes, const std::vector<FilterText>& filters) : axes_(std::move(axes)) {
    if (axes_.empty()) {
        throw InputError("a sweep needs an axis (for example --axis array.rows=8,16,32..256)");
    }
    require_different_keys(axes_);
    count_combinations();
    accept_all(filters);
}

void Space::count_combinations() {
    for (const Axis& axis : axes_) {
        check_axis(axis);
        combinations_ *= static_cast<std::int64_t>(axis.values.size());
        if (combinations_ > most_combinations) {
            throw InputError(axis.place, fmt::format("the axes have more than {} combinations (leave out values, link "
                                                     "axes with --axis KEY,KEY=..., or make several sweeps)",
                                                     most_combinations));
        }
    }
}

std::size_t Space::value_index(std::int64_t point, std::size_t axis) const {
    std::int64_t combination = accepted_[static_cast<std::size_t>(point)];
    for (std::size_t i = axes_.size(); --i > axis;) {
        combination /= static_cast<std::int64_t>(axes_[i].values.size());
    }
    return static_cast<std::size_t>(combination % static_cast<std::int64_t>(axes_[axis].values.size()));
}

void Space::accept_all(const std::vector<FilterText>& texts) {
    std::vector<Filter> filters;
    for (const FilterText& one : texts) {
        filters.emplace_back(one.text, one.place, axes_);
        filters_.push_back(filters.back().text());
    }
    std::map<std::string, std::string> values;
    std::map<std::string, std::int64_t> numbers;
    for (std::int64_t combination = 0; combination < combinations_; ++combination) {
        accepted_.push_back(static_cast<std::int32_t>(combination));
        if (!filters.empty()) {
            numbers.clear();
            for (const auto& [key, value] : settings(size() - 1)) {
                values[key] = value;
                const Cell cell = cell_of(value);
                if (const auto* number = std::get_if<std::int64_t>(&cell)) {
                    numbers[key] = *number;
                }
            }
        }
        for (const Filter& filter : filters) {
            if (!filter.accepts(values, numbers)) {
                accepted_.pop_back();
                break;
            }
        }
        if (size() > most_points) {
            throw InputError(fmt::format("the sweep has more than {} points (leave out values, add a filter, or make "
                                         "several sweeps)",
                                         most_points));
        }
    }
    if (accepted_.empty()) {
        throw InputError(texts.empty() ? Place{} : texts.back().place,
                         fmt::format("the filters leave none of the {} combinations (loosen them)", combinations_));
    }
}

std::optional<std::int64_t> Space::point_of(std::int64_t combination) const {
    const auto found = std::lower_bound(accepted_.begin(), accepted_.end(), combination);
    if (found == accepted_.end() || *found != combination) {
        return std::nullopt;
    }
    return found - accepted_.begin();
}

std::vector<std::string> Space::keys() const {
    std::vector<std::string> all;
    for (const Axis& axis : axes_) {
        all.insert(all.end(), axis.keys.begin(), axis.keys.end());
    }
    return all;
}

Settings Space::settings(std::int64_t point) const {
    Settings all;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const AxisValue& value = axes_[i].values[value_index(point, i)];
        for (std::size_t key = 0; key < axes_[i].keys.size(); ++key) {
            all.emplace_back(axes_[i].keys[key], value.texts[key]);
        }
    }
    return all;
}

std::string Space::text() const {
    Json text{{"axes", Json::array()}, {"filters", filters_}};
    for (const Axis& axis : axes_) {
        Json values = Json::array();
        for (const AxisValue& value : axis.values) {
            values.push_back(value.texts);
        }
        text["axes"].push_back({{"keys", axis.keys}, {"values", std::move(values)}});
    }
    return text.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SpaceText parse_space(const std::string& text) {
    SpaceText parsed;
    try {
        const Json space = Json::parse(text);
        for (const Json& stored : space.at("axes")) {
            Axis axis{stored.at("keys").get<std::vector<std::string>>(), {}, {}};
            for (const Json& value : stored.at("values")) {
                axis.values.push_back({value.get<std::vector<std::string>>(), {}});
                if (axis.values.back().texts.size() != axis.keys.size()) {
                    throw InputError("a value of an axis has not one text for each key");
                }
            }
            parsed.axes.push_back(std::move(axis));
        }
        for (const Json& filter : space.at("filters")) {
            parsed.filters.push_back({filter.get<std::string>(), {}});
        }
    } catch (const Json::exception& error) {
        throw InputError(error.what());
    }
    return parsed;
}

} // namespace systole
