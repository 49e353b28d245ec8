#include "sim/report/layers.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sim/roofline/roofline.h"
#include "sim/stats/total.h"

namespace systole {

namespace {

// A name and the numbers in its brackets, which are taken out: "block[2].sum" -> "block[].sum", {2}.
struct IndexedName {
    std::string pattern;
    std::vector<std::int64_t> indices;
};

IndexedName split(const std::string& name) {
    IndexedName found;
    for (std::size_t i = 0; i < name.size(); ++i) {
        found.pattern += name[i];
        if (name[i] != '[')
            continue;
        std::int64_t index = 0;
        const char* const begin = name.data() + i + 1;
        const auto [end, error] = std::from_chars(begin, name.data() + name.size(), index);
        if (error != std::errc{} || *end != ']') // a string's own end is no bracket
            continue;
        found.indices.push_back(index);
        i += static_cast<std::size_t>(end - begin);
    }
    return found;
}

struct Fold {
    std::vector<OperatorResult> parts;
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges; // of each index
};

void add(Fold& fold, const OperatorResult& one, const std::vector<std::int64_t>& indices) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (fold.parts.empty())
            fold.ranges.emplace_back(indices[i], indices[i]);
        fold.ranges[i].first = std::min(fold.ranges[i].first, indices[i]);
        fold.ranges[i].second = std::max(fold.ranges[i].second, indices[i]);
    }
    fold.parts.push_back(one);
}

std::string name_of(const std::string& pattern, const Fold& fold) {
    std::string name;
    std::size_t next = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        name += pattern[i];
        const bool filled = pattern[i] == '[' && i + 1 < pattern.size() && pattern[i + 1] == ']';
        if (!filled || next == fold.ranges.size())
            continue;
        const auto& [first, last] = fold.ranges[next++];
        name += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    }
    return name;
}

OperatorResult sum_of(const std::string& name, const std::vector<OperatorResult>& parts) {
    if (parts.size() == 1)
        return parts.front();
    auto whole = total_of(parts);
    std::vector<Roofline> rooflines;
    std::vector<std::int64_t> flops;
    for (const auto& part : parts) {
        rooflines.push_back(part.roofline);
        flops.push_back(part.flops());
    }
    whole.name = name;
    whole.roofline = sum(rooflines, flops);
    return whole;
}

} // namespace

std::optional<LayerRows> parse_layer_rows(std::string_view text) {
    for (const auto& [word, rows] : {std::pair{"folded", LayerRows::folded}, std::pair{"all", LayerRows::all},
                                     std::pair{"detail", LayerRows::detail}}) {
        if (text == word)
            return rows;
    }
    return std::nullopt;
}

std::vector<OperatorResult> folded_layers(const std::vector<OperatorResult>& operators) {
    std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> known; // by pattern, kind and indices
    std::vector<std::pair<std::string, Fold>> folds;
    for (const auto& one : operators) {
        const auto name = split(one.name);
        const auto [place, is_new] = known.try_emplace({name.pattern, one.kind, name.indices.size()}, folds.size());
        if (is_new)
            folds.push_back({name.pattern, {}});
        add(folds[place->second].second, one, name.indices);
    }
    std::vector<OperatorResult> rows;
    for (const auto& [pattern, fold] : folds)
        rows.push_back(sum_of(name_of(pattern, fold), fold.parts));
    return rows;
}

std::vector<OperatorResult> drawn_layers(const std::vector<OperatorResult>& operators, std::size_t most) {
    if (operators.size() <= most)
        return operators;
    auto rows = folded_layers(operators);
    if (rows.size() <= most)
        return rows;
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows[a].cycles > rows[b].cycles; });
    const auto rest = order.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::sort(order.begin(), rest); // back to the order of the network
    std::sort(rest, order.end());
    std::vector<OperatorResult> drawn;
    std::vector<OperatorResult> others;
    for (auto row = order.begin(); row != order.end(); ++row)
        (row < rest ? drawn : others).push_back(std::move(rows[*row]));
    drawn.push_back(sum_of(fmt::format("{} others", others.size()), others));
    return drawn;
}

} // namespace systole
