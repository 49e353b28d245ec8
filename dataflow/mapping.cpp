#include "dataflow/mapping.h"

#include <algorithm>
#include <array>

#include "dataflow/array_timing.h"
#include "dataflow/map_bytes.h"
#include "dataflow/operand_bytes.h"

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
    gemm.sparsity = problem.sparsity;
    gemm.count = problem.count;
    gemm.x_home = problem.homes.a;
    gemm.y_home = problem.homes.b;
    gemm.out_home = problem.homes.c;
    gemm.window = problem.window;
    if (dataflow == Dataflow::input_stationary) {
        std::swap(gemm.x, gemm.y);
        std::swap(gemm.x_home, gemm.y_home);
    }
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
    const auto& sparsity = mapping.problem.sparsity;
    const auto positions = std::int64_t{array.rows} * limits.q;
    return {.rows = mapping.tile.rows,
            .cols = array.cols * col_arrays,
            .depth = sparsity.dense() ? positions : positions / sparsity.keep * sparsity.group};
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

// The tiles of an extent: the whole ones and the ragged last one (count 0 if there is none).
struct TileKind {
    std::int64_t count = 0;
    std::int64_t extent = 0;
};

std::array<TileKind, 2> tile_kinds(std::int64_t extent, std::int64_t tile) {
    return {TileKind{extent / tile, tile}, TileKind{extent % tile > 0 ? 1 : 0, extent % tile}};
}

// WS, IS: column tiles of one width. `reuse`: a tile of one slice stays in the array while the rows of all tiles pass.
struct ColumnTiles {
    std::int64_t count = 0;
    std::int64_t cols = 0;
    bool reuse = false;
};

std::array<ColumnTiles, 2> column_tiles(const Mapping& mapping, const GroupShape& group) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const bool one_depth_slice = t.depth >= p.depth && p.depth <= group.depth;
    const bool rows_follow = one_depth_slice && (mapping.cols_outer || t.cols >= p.cols);
    const auto whole_and_ragged = tile_kinds(p.cols, t.cols);
    std::array<ColumnTiles, 2> kinds;
    std::transform(whole_and_ragged.begin(), whole_and_ragged.end(), kinds.begin(), [&](const TileKind& kind) {
        return ColumnTiles{kind.count, kind.extent, rows_follow && kind.extent <= group.cols};
    });
    return kinds;
}

} // namespace

namespace {

// Bytes of a tile whose units begin at whole bytes each: `unit_bytes` of their extents.
template <typename UnitBytes>
Bytes tile_of_units(std::array<std::int64_t, 2> tile, std::array<std::int64_t, 2> unit, UnitBytes&& unit_bytes) {
    Bytes sum = 0;
    for (const auto& rows : tile_kinds(tile[0], std::min(tile[0], unit[0]))) {
        for (const auto& cols : tile_kinds(tile[1], std::min(tile[1], unit[1]))) {
            if (rows.count > 0 && cols.count > 0)
                sum += rows.count * cols.count * unit_bytes(rows.extent, cols.extent);
        }
    }
    return sum;
}

} // namespace

namespace {

// The whole of each operand, all products.
std::array<Bytes, 3> whole_operands(const OrientedGemm& p) {
    return {p.count * x_bytes(p, p.rows, p.depth).total(), p.count * y_bytes(p, p.depth, p.cols).total(),
            p.count * stored_bytes(p.rows * p.cols, p.out)};
}

// Of x, y and out: which is A.
std::size_t index_of_a(const OrientedGemm& p) { return p.dataflow == Dataflow::input_stationary ? 1 : 0; }

} // namespace

std::array<Bytes, 3> tile_bytes(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto group = group_shape(mapping, limits);
    std::array<Bytes, 3> tiles{
        tile_of_units({t.rows, t.depth}, {group.rows, group.depth},
                      [&](std::int64_t r, std::int64_t d) { return x_bytes(p, r, d).total(); }),
        tile_of_units({t.depth, t.cols}, {group.depth, group.cols},
                      [&](std::int64_t d, std::int64_t c) { return y_bytes(p, d, c).total(); }),
        tile_of_units({t.rows, t.cols}, {group.rows, group.cols},
                      [&](std::int64_t r, std::int64_t c) { return stored_bytes(r * c, p.out); })};
    if (p.window)
        tiles[index_of_a(p)] = map_bytes(mapping, limits).tile;
    return tiles;
}

std::array<HeldTiles, 3> held_tiles(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto row_tiles = tiles(p.rows, t.rows);
    const auto col_tiles = tiles(p.cols, t.cols);
    const auto depth_tiles = tiles(p.depth, t.depth);
    const auto times = fetches(mapping); // a tile that is fetched again takes a buffer of its own
    const std::array counts{times.x * row_tiles * depth_tiles, times.y * col_tiles * depth_tiles,
                            row_tiles * col_tiles};
    const std::array residents{mapping.x_resident(), mapping.y_resident(), mapping.out_resident()};
    auto whole = whole_operands(p);
    if (p.window)
        whole[index_of_a(p)] = map_bytes(mapping, limits).whole;
    const auto tile = tile_bytes(mapping, limits);
    std::array<HeldTiles, 3> held;
    for (std::size_t i = 0; i < held.size(); ++i) {
        held[i] =
            residents[i]
                ? HeldTiles{1, whole[i]}
                : HeldTiles{std::min<std::int64_t>(ceil_div(p.count, mapping.products) * counts[i], limits.buffers),
                            mapping.products * tile[i]};
    }
    return held;
}

Bytes vmem_need(const Mapping& mapping, const CoreLimits& limits) {
    Bytes need = 0;
    for (const auto& tile : held_tiles(mapping, limits))
        need += tile.count * tile.bytes;
    return need;
}

namespace {

// The pieces of an extent that is cut into tiles and these into slices.
std::array<TileKind, 4> slice_kinds(std::int64_t extent, std::int64_t tile, std::int64_t slice) {
    std::array<TileKind, 4> kinds;
    std::size_t at = 0;
    for (const auto& outer : tile_kinds(extent, tile)) {
        for (const auto& inner : tile_kinds(outer.extent, slice))
            kinds[at++] = {outer.count * inner.count, inner.extent};
    }
    return kinds;
}

// Of units with these extents: each is rounded up to whole bytes.
template <typename UnitBytes>
Bytes sum_of_units(const std::array<TileKind, 4>& rows, const std::array<TileKind, 4>& cols, UnitBytes&& unit_bytes) {
    Bytes sum = 0;
    for (const auto& row : rows) {
        for (const auto& col : cols) {
            if (row.count > 0 && col.count > 0) // few are, and searches ask for many mappings
                sum += row.count * col.count * unit_bytes(row.extent, col.extent);
        }
    }
    return sum;
}

} // namespace

namespace {

// From one product to `count` of them, without what is resident.
MappedBytes of_all_products(const Mapping& mapping, const MappedBytes& one) {
    const auto count = mapping.problem.count;
    MappedBytes all;
    all.x_times = mapping.x_resident() ? 0 : one.x_times * count;
    all.y_times = mapping.y_resident() ? 0 : one.y_times * count;
    all.x_fetched = mapping.x_resident() ? 0 : saturating_mul(one.x_fetched, count);
    all.y_fetched = mapping.y_resident() ? 0 : saturating_mul(one.y_fetched, count);
    all.out_written = saturating_mul(one.out_written, count);
    all.out_stored = mapping.out_resident() ? 0 : all.out_written;
    all.x_streamed = saturating_mul(one.x_streamed, count);
    all.y_streamed = saturating_mul(one.y_streamed, count);
    all.passes = saturating_mul(one.passes, count);
    return all;
}

} // namespace

MappedBytes mapped_bytes(const Mapping& mapping, const CoreLimits& limits) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto group = group_shape(mapping, limits);
    const auto row_tiles = tiles(p.rows, t.rows);
    const auto depth_tiles = tiles(p.depth, t.depth);
    const auto rows = slice_kinds(p.rows, t.rows, group.rows);
    const auto cols = slice_kinds(p.cols, t.cols, group.cols);
    const auto depth = slice_kinds(p.depth, t.depth, group.depth);
    const auto x_unit = [&](std::int64_t r, std::int64_t d) { return x_bytes(p, r, d).values; };
    const auto y_unit = [&](std::int64_t d, std::int64_t c) { return y_bytes(p, d, c).values; };
    const auto out_unit = [&](std::int64_t r, std::int64_t c) { return stored_bytes(r * c, p.out); };
    const auto x = sum_of_units(rows, depth, x_unit) + x_bytes(p, p.rows, p.depth).indices;
    const auto y = sum_of_units(depth, cols, y_unit) + y_bytes(p, p.depth, p.cols).indices;
    MappedBytes bytes;
    const auto times = fetches(mapping);
    std::array fetched_once{x, y};
    if (p.window)
        fetched_once[index_of_a(p)] = map_bytes(mapping, limits).fetched;
    bytes.x_fetched = saturating_mul(fetched_once[0], times.x);
    bytes.y_fetched = saturating_mul(fetched_once[1], times.y);
    bytes.x_times = times.x;
    bytes.y_times = times.y;
    bytes.out_written = sum_of_units(rows, cols, out_unit);
    const auto col_slices = slices(p.cols, t.cols, group.cols);
    if (output_stationary(p)) {
        const auto row_slices = slices(p.rows, t.rows, group.rows);
        bytes.passes = row_slices * col_slices * depth_tiles;
        bytes.x_streamed = saturating_mul(x, col_slices);
        bytes.y_streamed = saturating_mul(y, row_slices);
    } else {
        bytes.passes = row_tiles * col_slices * slices(p.depth, t.depth, group.depth);
        bytes.x_streamed = saturating_mul(x, col_slices);
        for (const auto& kind : column_tiles(mapping, group)) {
            if (kind.count == 0)
                continue;
            const auto kind_cols = slice_kinds(kind.cols, kind.cols, group.cols);
            const auto once =
                kind.count * (sum_of_units(depth, kind_cols, y_unit) + y_bytes(p, p.depth, kind.cols).indices);
            bytes.y_streamed += kind.reuse ? once : saturating_mul(once, row_tiles);
        }
    }
    return of_all_products(mapping, bytes);
}

namespace {

// What passes of one kind take: their intervals summed, and what the last of them alone is charged beyond its own
// vectors, which nothing follows.
struct Chain {
    Cycles total = 0;
    Cycles after_last = 0;
};

Chain streamed_chain(const Mapping& mapping, const CoreLimits& limits, const GroupShape& group) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto& array = limits.array;
    const auto streams = mapping.split_rows ? array.count : 1;
    const auto vectors = [&](std::int64_t rows) { return ceil_div(rows, streams); };
    const auto short_interval = [&](Cycles s) { return std::max<Cycles>(s, array.min_rows); };
    const auto interval = [&](Cycles s) { return pass_interval(array, p.dataflow, s); };
    const auto rest = p.rows % t.rows;
    const Cycles last = vectors(rest > 0 ? rest : t.rows);
    const auto over_rows = [&](auto&& cost) {
        return p.rows / t.rows * cost(vectors(t.rows)) + (rest > 0 ? cost(vectors(rest)) : 0);
    };
    const auto depth_slices = slices(p.depth, t.depth, group.depth);
    Chain chain;
    for (const auto& kind : column_tiles(mapping, group)) {
        if (kind.count == 0)
            continue;
        const auto passes = kind.count * ceil_div(kind.cols, group.cols) * depth_slices;
        if (kind.reuse) {
            const Cycles stream = over_rows(short_interval);
            // A drained array exchanges the tile behind the last pass; else the next one loads behind all of them.
            const Cycles tile = array.weight_buffers == 1 ? stream - short_interval(last) + interval(last)
                                                          : std::max(stream, interval(0));
            chain.total += kind.count * tile;
            chain.after_last = tile - stream + short_interval(last) - last;
        } else {
            chain.total += saturating_mul(passes, over_rows(interval));
            chain.after_last = interval(last) - last;
        }
    }
    return chain;
}

Chain output_chain(const Mapping& mapping, const CoreLimits& limits, const GroupShape& group) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const auto& array = limits.array;
    const auto vectors = [&](std::int64_t depth) { return ceil_div(used_depth(p.sparsity, depth), limits.q); };
    const auto interval = [&](Cycles s) { return pass_interval(array, p.dataflow, s); };
    const auto rest = p.depth % t.depth;
    const Cycles last = vectors(rest > 0 ? rest : t.depth);
    // A tile of one slice keeps its sums in the PEs until the last depth tile has passed; others shift out every time.
    const auto per_slice = [&](bool sums_stay) {
        const auto between = [&](Cycles s) { return sums_stay ? std::max<Cycles>(s, array.min_rows) : interval(s); };
        return p.depth / t.depth * between(vectors(t.depth)) + (rest > 0 ? between(last) : 0) - between(last) +
               interval(last);
    };
    Chain chain{.total = 0, .after_last = interval(last) - last};
    for (const auto& rows : tile_kinds(p.rows, t.rows)) {
        for (const auto& cols : tile_kinds(p.cols, t.cols)) {
            const auto count =
                rows.count * cols.count * ceil_div(rows.extent, group.rows) * ceil_div(cols.extent, group.cols);
            const bool sums_stay = t.depth < p.depth && rows.extent <= group.rows && cols.extent <= group.cols;
            chain.total += saturating_mul(count, per_slice(sums_stay));
        }
    }
    return chain;
}

} // namespace

Cycles array_cycles(const Mapping& mapping, const CoreLimits& limits) {
    const auto& array = limits.array;
    const auto dataflow = mapping.problem.dataflow;
    const auto group = group_shape(mapping, limits);
    const bool os = output_stationary(mapping.problem);
    const auto chain = os ? output_chain(mapping, limits, group) : streamed_chain(mapping, limits, group);
    return saturating_mul(chain.total, mapping.problem.count) - chain.after_last + crossing_latency(array) +
           drain_cycles(array, dataflow) + (os ? 0 : load_cycles(array));
}

} // namespace systole
