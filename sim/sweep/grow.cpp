#include "sim/sweep/grow.h"

#include <algorithm>
#include <map>

namespace systole {

namespace {

// Finds points by the values of some of their keys.
class PointFinder {
  public:
    explicit PointFinder(const Space& space, const std::vector<std::string>& keys) : space_(space) {
        for (const Axis& axis : space.axes()) {
            add(axis, keys);
        }
    }

    // Ascending. `settings`: of the keys that were given, in their order.
    std::vector<std::int64_t> find(const Settings& settings) const {
        std::vector<std::int64_t> combinations{0};
        for (const Index& index : axes_) {
            std::vector<std::string> texts;
            for (const std::size_t key : index.keys) {
                texts.push_back(settings[key].second);
            }
            const auto found = index.values.find(texts);
            if (found == index.values.end()) {
                return {};
            }
            std::vector<std::int64_t> longer;
            for (const std::int64_t combination : combinations) {
                for (const std::int64_t value : found->second) {
                    longer.push_back(combination * index.size + value);
                }
            }
            combinations = std::move(longer);
        }
        std::vector<std::int64_t> points;
        for (const std::int64_t combination : combinations) {
            if (const std::optional<std::int64_t> point = space_.point_of(combination)) {
                points.push_back(*point);
            }
        }
        return points;
    }

  private:
    // The values of an axis by the texts of those of its keys that are given: of no key, all are alike.
    struct Index {
        std::int64_t size = 0;
        std::vector<std::size_t> keys; // where the settings have them
        std::map<std::vector<std::string>, std::vector<std::int64_t>> values;
    };

    void add(const Axis& axis, const std::vector<std::string>& keys) {
        Index index{static_cast<std::int64_t>(axis.values.size()), {}, {}};
        std::vector<std::size_t> parts; // of the axis
        for (std::size_t part = 0; part < axis.keys.size(); ++part) {
            const auto found = std::find(keys.begin(), keys.end(), axis.keys[part]);
            if (found != keys.end()) {
                parts.push_back(part);
                index.keys.push_back(static_cast<std::size_t>(found - keys.begin()));
            }
        }
        for (std::int64_t value = 0; value < index.size; ++value) {
            std::vector<std::string> texts;
            for (const std::size_t part : parts) {
                texts.push_back(axis.values[static_cast<std::size_t>(value)].texts[part]);
            }
            index.values[texts].push_back(value);
        }
        axes_.push_back(std::move(index));
    }

    const Space& space_;
    std::vector<Index> axes_;
};

// What a stored point is in the new definition.
struct Match {
    std::vector<std::int64_t> points; // that it stands for; empty if it is run again
    bool is_known = false;            // it is one of them
};

Match match(const StoredPoint& stored, const Settings& settings, const std::vector<std::int64_t>& candidates,
            const Space& now, const SamePoint& same) {
    Match match;
    for (const std::int64_t candidate : candidates) {
        const Settings wanted = now.settings(candidate);
        const bool alike = same.runs_alike(settings, wanted);
        const bool may_stay = alike ? stored.status != "lost" : stored.status == "ok";
        if (may_stay && (alike || same.hash(wanted) == stored.hash)) {
            match.points.push_back(candidate);
        }
    }
    match.is_known = !match.points.empty() || (stored.status != "ok" && !candidates.empty());
    return match;
}

} // namespace

Regrowth match_points(Store& store, const Space& before, const Space& now, const SamePoint& same) {
    const PointFinder finder(now, before.keys());
    Regrowth regrowth;
    store.for_each_point([&](const StoredPoint& stored) {
        if (regrowth.missing || stored.point < 0 || stored.point >= before.size()) {
            return;
        }
        const Settings settings = before.settings(stored.point);
        const std::vector<std::int64_t> candidates = finder.find(settings);
        const Match found = match(stored, settings, candidates, now, same);
        if (!found.is_known) {
            regrowth.missing = stored.point;
            regrowth.differs_in_hash = !candidates.empty();
        }
        for (const std::int64_t point : found.points) {
            regrowth.kept.push_back({stored.point, point});
        }
    });
    std::sort(regrowth.kept.begin(), regrowth.kept.end(),
              [](const Renumbered& a, const Renumbered& b) { return a.now < b.now; });
    return regrowth;
}

} // namespace systole
