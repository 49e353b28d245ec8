#include "dataflow/mapping.h"

#include <algorithm>

#include "dataflow/array_timing.h"

namespace systole {

namespace {

bool output_stationary(const OrientedGemm& gemm) { return gemm.dataflow == Dataflow::output_stationary; }

std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? unlimited : product;
}

std::int64_t tiles(std::int64_t extent, std::int64_t tile) { return ceil_div(extent, tile); }

// Slices of `slice` when `extent` is cut into tiles of `tile` first: a ragged tile has a ragged last slice.
std::int64_t slices(std::int64_t extent, std::int64_t tile, std::int64_t slice) {
    const auto whole = extent / tile;
    return whole * ceil_div(tile, slice) + ceil_div(extent % tile, slice);
}

} // namespace

OrientedGemm orient(const Tile& tile, Dataflow dataflow) {
    OrientedGemm gemm{.dataflow = dataflow, .rows = tile.m, .cols = tile.n, .depth = tile.k};
    if (dataflow == Dataflow::input_stationary)
        std::swap(gemm.rows, gemm.cols);
    return gemm;
}

OrientedGemm orient(const GemmProblem& problem, Dataflow dataflow) {
    auto gemm = orient(Tile{problem.m, problem.n, problem.k}, dataflow);
    gemm.x = problem.formats.a;
    gemm.y = problem.formats.b;
    gemm.out = problem.formats.c;
    if (dataflow == Dataflow::input_stationary)
        std::swap(gemm.x, gemm.y);
    return gemm;
}

Tile to_tile(const OrientedGemm& extents) {
    if (extents.dataflow == Dataflow::input_stationary)
        return {extents.cols, extents.rows, extents.depth};
    return {extents.rows, extents.cols, extents.depth};
}

GroupShape group_shape(const Mapping& mapping, const CoreLimits& limits) {
    const auto& array = limits.array;
    const std::int64_t col_arrays = mapping.split_rows ? 1 : array.count;
    const std::int64_t row_arrays = mapping.split_rows ? array.count : 1;
    if (output_stationary(mapping.problem)) {
        return {.rows = array.rows * row_arrays, .cols = array.cols * col_arrays, .depth = mapping.tile.depth};
    }
    return {.rows = mapping.tile.rows, .cols = array.cols * col_arrays, .depth = std::int64_t{array.rows} * limits.q};
}

Bytes accumulator_need(const Mapping& mapping, const CoreLimits& limits) {
    const auto group = group_shape(mapping, limits);
    const auto& tile = mapping.tile;
    const bool one_depth_tile = tile.depth >= mapping.problem.depth;
    const auto rows = one_depth_tile ? std::min(tile.rows, group.rows) : tile.rows;
    const auto cols = one_depth_tile ? std::min(tile.cols, group.cols) : tile.cols;
    return saturating_mul(saturating_mul(rows, cols), accumulator_word);
}

namespace {

// How often the whole operand crosses into VMEM. A tile stays while consecutive steps use it: x over the column loop if
// nothing else moves inside, y over the row loop likewise.
struct Fetches {
    std::int64_t x = 1;
    std::int64_t y = 1;
};

Fetches fetches(const Mapping& mapping) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto row_tiles = tiles(p.rows, t.rows);
    const auto col_tiles = tiles(p.cols, t.cols);
    const bool one_depth_tile = t.depth >= p.depth;
    const bool x_stays = one_depth_tile && (!mapping.cols_outer || row_tiles == 1);
    const bool y_stays = one_depth_tile && (mapping.cols_outer || col_tiles == 1);
    return {.x = x_stays ? 1 : col_tiles, .y = y_stays ? 1 : row_tiles};
}

// WS, IS: the rows of all tiles pass before the stationary tile is exchanged: y stays in VMEM, and its tile is one
// slice.
bool stationary_stays(const Mapping& mapping, const GroupShape& group) {
    const auto& t = mapping.tile;
    return !output_stationary(mapping.problem) && fetches(mapping).y == 1 && t.cols <= group.cols &&
           t.depth <= group.depth;
}

} // namespace

Bytes vmem_need(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    if (mapping.from == DataOrigin::vmem) {
        return stored_bytes(p.rows * p.depth, p.x) + stored_bytes(p.depth * p.cols, p.y) +
               stored_bytes(p.rows * p.cols, p.out);
    }
    const auto held = [&](std::int64_t count) { return std::min<std::int64_t>(count, limits.buffers); };
    const auto row_tiles = tiles(p.rows, t.rows);
    const auto col_tiles = tiles(p.cols, t.cols);
    const auto depth_tiles = tiles(p.depth, t.depth);
    const auto times = fetches(mapping); // a tile that is fetched again takes a buffer of its own
    return held(times.x * row_tiles * depth_tiles) * stored_bytes(t.rows * t.depth, p.x) +
           held(times.y * col_tiles * depth_tiles) * stored_bytes(t.depth * t.cols, p.y) +
           held(row_tiles * col_tiles) * stored_bytes(t.rows * t.cols, p.out);
}

MappedBytes mapped_bytes(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto group = group_shape(mapping, limits);
    const auto row_tiles = tiles(p.rows, t.rows);
    const auto depth_tiles = tiles(p.depth, t.depth);
    const auto x = stored_bytes(p.rows * p.depth, p.x);
    const auto y = stored_bytes(p.depth * p.cols, p.y);
    MappedBytes bytes;
    const auto times = fetches(mapping);
    bytes.x_fetched = saturating_mul(x, times.x);
    bytes.y_fetched = saturating_mul(y, times.y);
    bytes.out_stored = stored_bytes(p.rows * p.cols, p.out);
    const auto col_slices = slices(p.cols, t.cols, group.cols);
    if (output_stationary(p)) {
        const auto row_slices = slices(p.rows, t.rows, group.rows);
        bytes.passes = row_slices * col_slices * depth_tiles;
        bytes.x_streamed = saturating_mul(x, col_slices);
        bytes.y_streamed = saturating_mul(y, row_slices);
    } else {
        bytes.passes = row_tiles * col_slices * slices(p.depth, t.depth, group.depth);
        bytes.x_streamed = saturating_mul(x, col_slices);
        bytes.y_streamed = stationary_stays(mapping, group) ? y : saturating_mul(y, row_tiles);
    }
    return bytes;
}

Cycles array_cycles(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto& array = limits.array;
    const auto bytes = mapped_bytes(mapping, limits);
    const bool os = output_stationary(p);
    const auto streams = mapping.split_rows && !os ? array.count : 1;
    const auto vectors = [&](std::int64_t extent) {
        return os ? ceil_div(extent, limits.q) : ceil_div(extent, streams);
    };
    const auto extent = os ? p.depth : p.rows;
    const auto tile = os ? t.depth : t.rows;
    const auto groups = bytes.passes / tiles(extent, tile); // passes for each tile of the streamed extent
    const bool reuse = stationary_stays(mapping, group_shape(mapping, limits));
    const auto interval = [&](std::int64_t part) {
        if (part == 0)
            return Cycles{0};
        const auto s = vectors(part);
        return reuse ? std::max<Cycles>(s, array.min_rows) : pass_interval(array, p.dataflow, s);
    };
    const Cycles per_group = extent / tile * interval(tile) + interval(extent % tile);
    Cycles passes = saturating_mul(groups, per_group);
    const Cycles drain = crossing_latency(array) + drain_cycles(array, p.dataflow);
    const bool serial = os ? array.accumulator_buffers == 1 : array.weight_buffers == 1;
    // Where passes do not overlap, each brings its own load and drain; with reuse, each exchange of the tile does.
    if (serial && !reuse)
        return passes;
    if (serial)
        return passes + groups * (load_cycles(array) + drain);
    if (reuse) { // the next tile shifts in behind the last pass with the one before
        const auto last = vectors(extent % tile == 0 ? tile : extent % tile);
        passes += (groups - 1) * (pass_interval(array, p.dataflow, last) - std::max<Cycles>(last, array.min_rows));
    }
    return passes + drain + (os ? 0 : load_cycles(array));
}

} // namespace systole
