// How a GEMM is laid on one core: the VMEM tile, the order of the outer loops, how the arrays of a core share the work.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "dataflow/array_config.h"
#include "dataflow/problem.h"

namespace systole {

// A GEMM as the array sees it: out[rows, cols] = x[rows, depth] * y[depth, cols].
//   WS: rows M (streamed), cols N, depth K: x = A, y = B (stationary).
//   IS: rows N (streamed), cols M, depth K: x = B transposed, y = A transposed (stationary).
//   OS: rows M (from the left), cols N (from the top), depth K (streamed): x = A, y = B.
struct OrientedGemm {
    Dataflow dataflow = Dataflow::weight_stationary;
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::int64_t depth = 1;
    Format x = Format::int8;
    Format y = Format::int8;
    Format out = Format::int8;
    SparsePattern sparsity = dense_pattern; // of B: y, with IS x
    std::int64_t count = 1;                 // of such products, one behind the other
    Home x_home = Home::origin;
    Home y_home = Home::origin;
    Home out_home = Home::origin;
    // Of a convolution: how A, which is x, with IS y, is read from a feature map; which of its rows is the first here;
    // whether cores share its rows, so that theirs begin somewhere in the map.
    std::optional<ConvolutionWindow> window{};
    std::int64_t window_begin = 0;
    bool window_cut = false;

    SparsePattern x_pattern() const { return dataflow == Dataflow::input_stationary ? sparsity : dense_pattern; }
    SparsePattern y_pattern() const { return dataflow == Dataflow::input_stationary ? dense_pattern : sparsity; }
};

OrientedGemm orient(const GemmProblem& problem, Dataflow dataflow);
OrientedGemm orient(const Tile& tile, Dataflow dataflow); // the extents alone
Tile to_tile(const OrientedGemm& extents);

// What a mapping has to respect; of one core.
struct CoreLimits {
    ArrayConfig array;
    int q = 1; // MACs per PE and cycle
    Bytes accumulator_capacity = unlimited;
    Bytes vmem_capacity = unlimited;
    BytesPerCycle vmem_bandwidth = unlimited;
    std::int64_t vmem_banks = unlimited;
    int vmem_ports = 1; // of a bank
    int buffers = 2;
};

struct Mapping {
    OrientedGemm problem;
    OrientedGemm tile;       // extents of the VMEM tile, never larger than the problem's
    bool cols_outer = false; // outermost loop over column tiles, else over row tiles; depth is innermost
    bool split_rows = false; // arrays of the core share the rows, else the columns
    DataOrigin from = DataOrigin::hbm;
    std::int64_t products = 1; // whose operands a VMEM tile holds; above 1 only if it holds all of each

    bool tile_is_whole() const {
        return tile.rows >= problem.rows && tile.cols >= problem.cols && tile.depth >= problem.depth;
    }
    // Operands that lie in VMEM as a whole and cross no DMA.
    bool x_resident() const { return resident(problem.x_home); }
    bool y_resident() const { return resident(problem.y_home); }
    bool out_resident() const { return resident(problem.out_home); }
    bool all_resident() const { return x_resident() && y_resident() && out_resident(); }
    bool resident(Home home) const { return home == Home::vmem || (from == DataOrigin::vmem && home == Home::origin); }
    bool from_host(Home home) const { return from == DataOrigin::host && home == Home::origin; }
};

// Extents that one group of arrays in lock step covers in one pass.
struct GroupShape {
    std::int64_t rows = 1; // OS: output rows; WS, IS: vectors are not bounded by the array: the tile's rows
    std::int64_t cols = 1;
    std::int64_t depth = 1; // WS, IS: R * q, sparse: the groups whose positions R * q PEs hold; OS: the tile's depth
};

GroupShape group_shape(const Mapping& mapping, const CoreLimits& limits);

// Bytes of one accumulator word (int32 or fp32).
inline constexpr Bytes accumulator_word = 4;

// What the tile needs of the accumulators and, with `buffers` copies of each operand's tile, of VMEM. Resident operands
// need what they are, and their tiles nothing more.
Bytes accumulator_need(const Mapping& mapping, const CoreLimits& limits);
Bytes vmem_need(const Mapping& mapping, const CoreLimits& limits);

// Of the largest tiles of x, y and out, when each of their units ends at a whole byte.
std::array<Bytes, 3> tile_bytes(const Mapping& mapping, const CoreLimits& limits);

// Tiles of an operand that VMEM holds at a time, and the bytes of the largest.
struct HeldTiles {
    std::int64_t count = 1;
    Bytes bytes = 0;
};

// Of x, y and out, in this order; vmem_need() is their sum. A ring of `buffers` tiles, or as many as the run fetches if
// those are fewer; of a resident operand one, the whole of it.
std::array<HeldTiles, 3> held_tiles(const Mapping& mapping, const CoreLimits& limits);

// Bytes that cross VMEM's outer port (DMA) and its array ports, by this mapping; B's with its indices.
struct MappedBytes {
    Bytes x_fetched = 0;
    Bytes y_fetched = 0;
    Bytes out_stored = 0;
    Bytes out_written = 0; // into VMEM, by the arrays; leaves it unless the result is resident
    Bytes x_streamed = 0;  // read by the arrays
    Bytes y_streamed = 0;
    std::int64_t x_times = 0; // how often all of x is fetched, summed over the products; of a resident one 0
    std::int64_t y_times = 0;
    std::int64_t passes = 0; // of the group; each array of the group makes one
};

MappedBytes mapped_bytes(const Mapping& mapping, const CoreLimits& limits);

// Cycles that the array needs for the passes of the mapping when nothing is ever late: a lower estimate of a run.
Cycles array_cycles(const Mapping& mapping, const CoreLimits& limits);

// The mapping for a tile that the user gave (its extents are clipped to the problem). Throws InputError, naming the
// capacity that is too small and what it would take, or a tile that cuts a group of a sparse B.
Mapping explicit_mapping(const OrientedGemm& problem, const Tile& tile, DataOrigin from, const CoreLimits& limits);

// The same with loop order and sharing given, too. Throws InputError as above.
struct ExactLayout {
    Tile tile;
    bool cols_outer = false;
    bool split_rows = false;
    std::int64_t products = 1;
};
Mapping exact_mapping(const OrientedGemm& problem, const ExactLayout& layout, DataOrigin from,
                      const CoreLimits& limits);

} // namespace systole
