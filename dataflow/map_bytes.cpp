#include "dataflow/map_bytes.h"

#include <algorithm>

#include "dataflow/feature_map.h"

namespace systole {

namespace {

// What the units of an extent bring along it: elements of a channel, or channels.
struct Brought {
    std::int64_t sum = 0;
    std::int64_t odd = 0;          // units that bring an odd number
    std::int64_t largest_tile = 0; // that a tile brings, at most
};

// Units of half-byte elements are rounded up to whole bytes one by one; of others the sum is enough.
Bytes bytes_of(const Brought& lines, const Brought& channels, Format format) {
    constexpr std::int64_t byte = 8;
    const auto half_bytes = bits(format) % byte == 0 ? 0 : lines.odd * channels.odd;
    return ceil_div((lines.sum * channels.sum + half_bytes) * bits(format), byte);
}

// Tiles that lie in one row of outputs bring the same: they are taken together.
Brought brought_by_rows(const FeatureMap& map, const Interval& rows, std::int64_t tile) {
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

std::int64_t odd_rows(const FeatureMap& map, const Interval& rows, std::int64_t tile, std::int64_t slice) {
    std::int64_t odd = 0;
    for (auto begin = rows.begin; begin < rows.end; begin += tile) {
        const auto end = std::min(begin + tile, rows.end);
        for (auto at = begin; at < end; at += slice)
            odd += map.elements({at, std::min(at + slice, end)}, begin) % 2;
    }
    return odd;
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

} // namespace

MapBytes map_bytes(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto group = group_shape(mapping, limits);
    const bool stationary = p.dataflow == Dataflow::input_stationary;
    const auto format = stationary ? p.y : p.x;
    const auto extent = stationary ? p.cols : p.rows;
    const auto tile = stationary ? t.cols : t.rows;
    const auto slice = std::min(tile, stationary ? group.cols : group.rows);
    const Interval rows{p.window_begin, p.window_begin + extent};
    const FeatureMap map(*p.window);
    auto lines = brought_by_rows(map, rows, tile);
    auto channels = brought_by_depth(map, p.depth, t.depth);
    MapBytes bytes;
    if (bits(format) < 8) {
        const auto depth_slice = std::min(t.depth, group.depth);
        lines.odd = odd_rows(map, rows, tile, slice);
        channels.odd = odd_channels(map, p.depth, t.depth, depth_slice);
        bytes.tile = ceil_div(tile, slice) * ceil_div(t.depth, depth_slice);
    }
    bytes.whole = stored_bytes(p.count * p.window->pixels(), format);
    bytes.fetched = bytes_of(lines, channels, format);
    bytes.tile += stored_bytes(lines.largest_tile * channels.largest_tile, format);
    bytes.visited = stored_bytes(map.elements(rows, rows.begin) * p.window->channels, format);
    return bytes;
}

} // namespace systole
