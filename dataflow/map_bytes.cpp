#include "dataflow/map_bytes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "dataflow/feature_map.h"

namespace systole {

namespace {

// What the units of an extent bring along it: elements of a channel, or channels.
struct Brought {
    std::int64_t sum = 0;
    std::int64_t odd = 0;          // units that bring an odd number
    std::int64_t largest_tile = 0; // that a tile brings, at most
};

std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? unlimited : product;
}

// Units of half-byte elements are rounded up to whole bytes one by one; of others the sum is enough.
Bytes bytes_of(const Brought& lines, const Brought& channels, Format format) {
    constexpr std::int64_t byte = 8;
    const auto elements = saturating_mul(lines.sum, channels.sum);
    if (bits(format) % byte == 0)
        return saturating_mul(elements, bits(format) / byte);
    return elements / 2 + (elements % 2 + lines.odd * channels.odd) / 2;
}

// Tiles that lie in one row of outputs bring the same: they are taken together.
Brought tiles_between(const FeatureMap& map, const Interval& rows, std::int64_t tile) {
    Brought brought;
    for (auto begin = rows.begin; begin < rows.end;) {
        const auto end = std::min(begin + tile, rows.end);
        const auto elements = map.elements({begin, end}, begin);
        const auto outputs_left = map.output_width() - begin % map.output_width();
        const auto alike =
            end == rows.end ? 1 : std::max<std::int64_t>(1, std::min(outputs_left, rows.end - begin) / tile);
        brought.sum += alike * elements;
        brought.largest_tile = std::max(brought.largest_tile, elements);
        begin = std::min(begin + alike * tile, rows.end);
    }
    return brought;
}

std::int64_t odd_between(const FeatureMap& map, const Interval& rows, std::int64_t tile, std::int64_t slice) {
    std::int64_t odd = 0;
    for (auto begin = rows.begin; begin < rows.end; begin += tile) {
        const auto end = std::min(begin + tile, rows.end);
        for (auto at = begin; at < end; at += slice)
            odd += map.elements({at, std::min(at + slice, end)}, begin) % 2;
    }
    return odd;
}

// `slice` 0: whether units bring an odd number does not matter. Tiles begin at the same places of an image again after
// as many rows as both have in common.
Brought brought_by_rows(const FeatureMap& map, const Interval& rows, std::int64_t tile, std::int64_t slice) {
    const auto between = [&](std::int64_t begin, std::int64_t end) {
        auto brought = tiles_between(map, {begin, end}, tile);
        brought.odd = slice > 0 ? odd_between(map, {begin, end}, tile, slice) : 0;
        return brought;
    };
    const auto period = saturating_mul(tile / std::gcd(tile, map.image_rows()), map.image_rows());
    const auto periods = rows.size() / period;
    if (periods < 2)
        return between(rows.begin, rows.end);
    const auto one = between(rows.begin, rows.begin + period);
    const auto rest = between(rows.begin + periods * period, rows.end);
    return {saturating_mul(periods, one.sum) + rest.sum, periods * one.odd + rest.odd,
            std::max(one.largest_tile, rest.largest_tile)};
}

// What a tile brings at most, wherever it begins: of those that begin in one row of outputs the one that begins with
// its last output reaches farthest.
std::int64_t largest_anywhere(const FeatureMap& map, std::int64_t tile) {
    std::int64_t largest = 0;
    for (auto last = map.output_width() - 1; last < map.image_rows(); last += map.output_width())
        largest = std::max(largest, map.elements({last, last + tile}, last));
    return largest;
}

std::int64_t odd_channels(const FeatureMap& map, std::int64_t depth, std::int64_t tile, std::int64_t slice) {
    std::int64_t odd = 0;
    for (std::int64_t begin = 0; begin < depth; begin += tile) {
        const auto end = std::min(begin + tile, depth);
        for (auto at = begin; at < end; at += slice)
            odd += map.channels({at, std::min(at + slice, end)}, at > begin).size() % 2;
    }
    return odd;
}

Brought brought_by_depth(const FeatureMap& map, std::int64_t depth, std::int64_t tile) {
    Brought brought;
    for (std::int64_t begin = 0; begin < depth; begin += tile) {
        const auto end = std::min(begin + tile, depth);
        const auto channels = map.channels({begin, end}, false).size();
        brought.sum += channels;
        brought.largest_tile = std::max(brought.largest_tile, channels);
    }
    return brought;
}

// All that the bytes depend on. Slices and tiles of the rows and of the depth of A.
struct MapCut {
    ConvolutionWindow window;
    Interval rows;
    std::int64_t tile = 1, slice = 1;
    std::int64_t depth = 1, depth_tile = 1, depth_slice = 1;
    std::int64_t count = 1;
    Format format = Format::int8;
    bool anywhere = false; // tiles of other shares may begin at any row

    bool operator==(const MapCut&) const = default;
};

MapCut cut_of(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto group = group_shape(mapping, limits);
    const bool stationary = p.dataflow == Dataflow::input_stationary;
    const auto tile = stationary ? t.cols : t.rows;
    return {.window = *p.window,
            .rows = {p.window_begin, p.window_begin + (stationary ? p.cols : p.rows)},
            .tile = tile,
            .slice = std::min(tile, stationary ? group.cols : group.rows),
            .depth = p.depth,
            .depth_tile = t.depth,
            .depth_slice = std::min(t.depth, group.depth),
            .count = p.count,
            .format = stationary ? p.y : p.x,
            .anywhere = p.window_cut};
}

MapBytes bytes_of(const MapCut& cut) {
    const FeatureMap map(cut.window);
    auto lines = brought_by_rows(map, cut.rows, cut.tile, bits(cut.format) < 8 ? cut.slice : 0);
    auto channels = brought_by_depth(map, cut.depth, cut.depth_tile);
    if (cut.anywhere)
        lines.largest_tile = largest_anywhere(map, cut.tile);
    MapBytes bytes;
    if (bits(cut.format) < 8) {
        channels.odd = odd_channels(map, cut.depth, cut.depth_tile, cut.depth_slice);
        bytes.tile = ceil_div(cut.tile, cut.slice) * ceil_div(cut.depth_tile, cut.depth_slice);
    }
    bytes.whole = stored_bytes(cut.count * cut.window.pixels(), cut.format);
    bytes.fetched = bytes_of(lines, channels, cut.format);
    bytes.tile += stored_bytes(lines.largest_tile * channels.largest_tile, cut.format);
    bytes.visited = stored_bytes(map.elements(cut.rows, cut.rows.begin) * cut.window.channels, cut.format);
    return bytes;
}

} // namespace

// What is needed, held and fetched of a mapping is asked one behind the other, so the last answer is kept.
MapBytes map_bytes(const Mapping& mapping, const CoreLimits& limits) {
    thread_local std::optional<MapCut> asked;
    thread_local MapBytes answer;
    const auto cut = cut_of(mapping, limits);
    if (asked != cut) {
        answer = bytes_of(cut);
        asked = cut;
    }
    return answer;
}

} // namespace systole
