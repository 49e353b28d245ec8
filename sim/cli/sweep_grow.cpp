#include "sim/cli/sweep_grow.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/sweep_point.h"
#include "sim/sweep/grow.h"

namespace systole {

namespace {

using Words = std::vector<std::string>;

constexpr const char* how_to_grow = "values and axes may be added, what is there has to stay";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw InputError({path}, fmt::format("holds another sweep: {} (give another --out)", why));
}

// Every option with its value, in their order.
Words options_of(const Words& arguments) {
    Words options;
    for (const std::string& word : arguments) {
        if (word.starts_with("--") || options.empty()) {
            options.push_back(shell_line({word}));
        } else {
            options.back() += " " + shell_line({word});
        }
    }
    return options;
}

// Those of `some` that are not among `others`; "nothing" if there are none.
std::string only_in(const Words& some, const Words& others) {
    std::string list;
    for (const std::string& one : some) {
        if (std::find(others.begin(), others.end(), one) == others.end()) {
            list += (list.empty() ? "" : " ") + one;
        }
    }
    return list.empty() ? "nothing" : "`" + list + "`";
}

std::string option_difference(const Words& stored, const Words& wanted) {
    const Words before = options_of(stored);
    const Words now = options_of(wanted);
    return fmt::format("the chip, the workload or another option differs: {} there, {} here", only_in(before, now),
                       only_in(now, before));
}

void require_keys(const std::string& path, const SweepHeader& stored, const SweepHeader& wanted) {
    for (const std::string& key : stored.keys) {
        if (std::find(wanted.keys.begin(), wanted.keys.end(), key) == wanted.keys.end()) {
            refuse(path, fmt::format("it has an axis {}, this one has not; {}", key.substr(0, 60), how_to_grow));
        }
    }
}

// What the stored sweep resolves to has to be what it was.
void require_unchanged_files(const std::string& path, const SweepHeader& stored, const SweepPlan& before) {
    std::string fingerprint;
    try {
        fingerprint = sweep_header(before).fingerprint;
    } catch (const InputError&) { // a file that is not there any more, or is wrong now
    }
    if (fingerprint != stored.fingerprint) {
        refuse(path, "a file of the chip or of the workload has changed since");
    }
}

std::string settings_text(const Settings& settings) {
    std::string text;
    for (const auto& [key, value] : settings) {
        text += (text.empty() ? "" : " ") + key + "=" + value;
    }
    return text.substr(0, 200);
}

SamePoint same_point(const SweepPlan& before, const SweepPlan& now) {
    return {[&](const Settings& stored, const Settings& wanted) {
                return point_arguments(before.arguments, stored) == point_arguments(now.arguments, wanted);
            },
            [&](const Settings& wanted) -> std::string {
                try {
                    return point_hash(resolve_point(point_arguments(now.arguments, wanted)));
                } catch (const InputError&) {
                    return "";
                }
            }};
}

std::vector<Renumbered> kept_points(Store& store, const SweepPlan& before, const SweepPlan& now) {
    const std::string& path = store.database().path();
    Regrowth regrowth = match_points(store, before.space, now.space, same_point(before, now));
    if (regrowth.missing && regrowth.differs_in_hash) {
        refuse(path, option_difference(before.arguments, now.arguments));
    }
    if (regrowth.missing) {
        refuse(path, fmt::format("its axes or filters differ, and {} of it is no point of this one; {}",
                                 settings_text(before.space.settings(*regrowth.missing)), how_to_grow));
    }
    return std::move(regrowth.kept);
}

// The points of a shard are those of other shards when the sweep has grown: each would run what others hold.
void require_whole(const std::string& path, Store& store, const Shard& shard) {
    const std::int64_t stored = store.count();
    if (shard.count > 1 && stored < store.header().points) {
        throw InputError({path}, fmt::format("holds {} of {} points of a smaller sweep, and a sweep that grows is "
                                             "divided anew (merge its shards with `systole sweep merge`, and give each "
                                             "new shard a copy of the merged database)",
                                             stored, store.header().points));
    }
}

} // namespace

void grow_sweep(const std::string& path, const SweepPlan& plan, const SweepHeader& header, const Shard& shard,
                const ParsedOptions& options, const Session& session) {
    Store store(path, Database::Mode::write);
    const SweepHeader stored = store.header();
    const std::string differs = difference(stored, header);
    if (differs.empty()) {
        return;
    }
    if (stored.version != header.version || (stored.space == header.space && stored.arguments == header.arguments)) {
        refuse(path, differs);
    }
    require_keys(path, stored, header);
    SpaceText space = parse_space(stored.space);
    const SweepPlan before{Space(std::move(space.axes), space.filters), stored.arguments, stored.description};
    require_unchanged_files(path, stored, before);
    const std::vector<Renumbered> kept = kept_points(store, before, plan);
    require_whole(path, store, shard);
    store.renumber(header, plan.space, kept);
    if (!options.has("--quiet")) {
        session.err << fmt::format("systole: {} grows from {} to {} points; {} are kept\n", path, stored.points,
                                   header.points, kept.size());
    }
}

} // namespace systole
