// The closed form that ranks mappings. docs/model.md, "Mappings".
#include "dataflow/mapping_estimate.h"

#include <algorithm>
#include <array>

#include "dataflow/map_bytes.h"
#include "dataflow/operand_bytes.h"
#include "dataflow/operand_transfer.h"

namespace systole {

namespace {

bool output_stationary(const OrientedGemm& gemm) { return gemm.dataflow == Dataflow::output_stationary; }

std::int64_t tiles(std::int64_t extent, std::int64_t tile) { return ceil_div(extent, tile); }

// Cycles in which VMEM serves anybody. With one bank of one port clients do not share a cycle: every vector (OS: of x
// and of y), stationary row, result vector and DMA request takes one at least. Other conflicts are left to the run.
double vmem_cycles(const Mapping& mapping, const MappedBytes& bytes, double moved, double requests,
                   const CoreLimits& limits) {
    double cycles = 0;
    if (limits.vmem_bandwidth != unlimited) {
        cycles = (double(bytes.x_streamed) + double(bytes.y_streamed) + double(bytes.out_written) + moved) /
                 double(limits.vmem_bandwidth);
    }
    if (limits.vmem_banks > 1 || limits.vmem_ports > 1)
        return cycles;
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    const bool os = output_stationary(p);
    const double passes = double(bytes.passes);
    const auto positions = used_depth(p.sparsity, t.depth);
    const double vectors = os ? 2 * double(positions) / limits.q : double(t.rows);
    const double rows = double(std::min<std::int64_t>(limits.array.rows, os ? t.rows : ceil_div(positions, limits.q)));
    const double results = passes / std::max(1.0, double(ceil_div(p.depth, group_shape(mapping, limits).depth)));
    const double served = passes * (vectors + (os ? 0 : rows)) + results * (os ? rows : vectors);
    return std::max(cycles, served + requests);
}

using Unit = MappingEstimator::Unit;
using Units = MappingEstimator::Units;

double requests_for(Bytes bytes, const Unit& unit) {
    return double(ceil_div(bytes, std::max<Bytes>(1, unit.bytes))) * unit.requests;
}

// Cycles to move `bytes` in units: bound by the rate, by the answers of the few requests in flight, or by their issue.
double transfer_cycles(Bytes bytes, double requests, const MemoryRate& memory) {
    return std::max({double(bytes) / memory.bytes_per_cycle, requests * memory.latency / memory.outstanding,
                     requests * memory.issue_interval});
}

// Of two mappings that take the same time the one that moves less is better: a hundredth of the memory's time decides.
constexpr double traffic_weight = 0.01;

// One kind of step of the outer loops: how many there are and what each has to fetch.
struct StepKind {
    double count = 0;
    double fetch = 0; // cycles of the memory
    double bytes = 0;
};

// Steps that fetch a tile of both operands, and steps that fetch one because the other stays from the step before.
struct StepKinds {
    StepKind both;
    StepKind one;
    double total = 1;
    double out_tiles = 1;
};

// A rows x cols part of an operand of `all_rows` x `all_cols`; IS: memory holds its transpose.
Unit unit_of(const OrientedGemm& p, std::int64_t rows, std::int64_t cols, std::int64_t all_rows, std::int64_t all_cols,
             Format format, const MemoryRate& memory) {
    const bool transposed = p.dataflow == Dataflow::input_stationary;
    const DmaDescriptor transfer({.base = 0,
                                  .first = 0,
                                  .rows = transposed ? cols : rows,
                                  .cols = transposed ? rows : cols,
                                  .pitch = transposed ? all_rows : all_cols,
                                  .element_bits = bits(format)},
                                 static_cast<Bytes>(memory.request_bytes));
    return {transfer.left(), double(transfer.requests())};
}

} // namespace

// The first one of a convolution's A. Few differ among the mappings of a problem, and a window takes its time.
Unit MappingEstimator::map_unit(const OrientedGemm& p, std::int64_t rows, std::int64_t depth, Format format) {
    const auto [known, is_new] = map_units_.try_emplace({rows, depth});
    if (!is_new)
        return known->second;
    const FeatureMap map(*p.window);
    const Interval all{p.window_begin, p.window_begin + rows};
    const OperandTransfer transfer(map, {all, all.begin, map.channels({0, depth}, false)},
                                   {.base = 0,
                                    .first = 0,
                                    .image_elements = p.count * p.window->channels * map.channel_elements(),
                                    .element_bits = bits(format)},
                                   static_cast<Bytes>(memory_.request_bytes));
    known->second = {transfer.left(), double(std::max<std::int64_t>(1, transfer.requests()))};
    return known->second;
}

Units MappingEstimator::units_of(const Mapping& mapping) {
    const auto& p = mapping.problem;
    const auto group = group_shape(mapping, limits_);
    const auto rows = std::min(mapping.tile.rows, group.rows);
    const auto cols = std::min(mapping.tile.cols, group.cols);
    const auto depth = std::min(mapping.tile.depth, group.depth);
    const auto x_depth = [&](std::int64_t d) { return x_stored_depth(p, d); };
    const auto y_depth = [&](std::int64_t d) { return y_stored_depth(p, d); };
    const bool stationary_map = p.window && p.dataflow == Dataflow::input_stationary;
    return {p.window && !stationary_map ? map_unit(p, rows, depth, p.x)
                                        : unit_of(p, rows, x_depth(depth), p.rows, x_depth(p.depth), p.x, memory_),
            stationary_map ? map_unit(p, cols, depth, p.y)
                           : unit_of(p, y_depth(depth), cols, y_depth(p.depth), p.cols, p.y, memory_),
            unit_of(p, rows, cols, p.rows, p.cols, p.out, memory_)};
}

namespace {

StepKinds step_kinds(const Mapping& mapping, const MappedBytes& bytes, const Units& units, const MemoryRate& memory) {
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    StepKinds kinds;
    // Products that share a tile are one step.
    const double shared = double(mapping.products);
    kinds.out_tiles =
        double(ceil_div(p.count, mapping.products)) * double(tiles(p.rows, t.rows)) * double(tiles(p.cols, t.cols));
    kinds.total = kinds.out_tiles * double(tiles(p.depth, t.depth));
    const double x_tiles =
        double(bytes.x_times) / shared * double(tiles(p.rows, t.rows)) * double(tiles(p.depth, t.depth));
    const double y_tiles =
        double(bytes.y_times) / shared * double(tiles(p.cols, t.cols)) * double(tiles(p.depth, t.depth));
    const double x = transfer_cycles(bytes.x_fetched, requests_for(bytes.x_fetched, units.x), memory);
    const double y = transfer_cycles(bytes.y_fetched, requests_for(bytes.y_fetched, units.y), memory);
    const double moved = double(bytes.x_fetched) + double(bytes.y_fetched);
    if (x_tiles == 0 || y_tiles == 0) { // a resident operand: the other is fetched evenly
        kinds.one = {kinds.total, (x + y) / kinds.total, moved / kinds.total};
        return kinds;
    }
    const StepKind x_step{0, x / x_tiles, double(bytes.x_fetched) / x_tiles};
    const StepKind y_step{0, y / y_tiles, double(bytes.y_fetched) / y_tiles};
    kinds.both = {std::min(x_tiles, y_tiles), x_step.fetch + y_step.fetch, x_step.bytes + y_step.bytes};
    kinds.one = x_tiles > y_tiles ? x_step : y_step;
    kinds.one.count = std::max(0.0, kinds.total - kinds.both.count);
    return kinds;
}

// While the memory stalls, the array lives on the tiles that are ahead of it, but for the time that it takes to fetch
// the one behind them.
double unbridged_stalls(const StepKinds& kinds, double cycles, double ahead, const MemoryRate& memory) {
    const double fetch = (kinds.both.count * kinds.both.fetch + kinds.one.count * kinds.one.fetch) / kinds.total;
    const double bridged = std::max(0.0, ahead * cycles / kinds.total - fetch - memory.latency);
    return cycles / memory.stall_interval * std::max(0.0, memory.stall - bridged);
}

// The link brings an operand the first time it is used, and runs ahead of the cores without a bound: in the first round
// of the outer loop a tile of the outer operand and all of the inner one, in every other round a tile of the outer one.
// A round's first step can be done as its tile comes in, its other steps once it is there.
double with_host_link(const Mapping& mapping, const CoreLimits& limits, const MemoryRate& memory, double cycles) {
    if (memory.host_bytes_per_cycle == 0)
        return cycles;
    const auto& p = mapping.problem;
    const auto& t = mapping.tile;
    std::array whole{x_bytes(p, p.rows, p.depth).total(), y_bytes(p, p.depth, p.cols).total()};
    if (p.window)
        whole[p.dataflow == Dataflow::input_stationary ? 1 : 0] = map_bytes(mapping, limits).visited;
    const auto from_host = [&](Home home, Bytes bytes) {
        return mapping.from_host(home) ? double(bytes) / memory.host_bytes_per_cycle : 0;
    };
    const double x = from_host(p.x_home, whole[0]);
    const double y = from_host(p.y_home, whole[1]);
    const double row_tiles = double(tiles(p.rows, t.rows));
    const double col_tiles = double(tiles(p.cols, t.cols));
    const double products = double(p.count);
    const double rounds = mapping.cols_outer ? col_tiles : row_tiles; // of one product
    const double steps = mapping.cols_outer ? row_tiles : col_tiles;  // of a round
    const double inner = mapping.cols_outer ? x : y;
    const double outer = (mapping.cols_outer ? y : x) / rounds;
    const double round = cycles / rounds / products;
    const double behind = round * (steps - 1) / steps; // a round's work behind its first step
    const double first = std::max(inner + outer, (inner / steps + outer) + behind);
    const double link = inner + rounds * outer; // of one product
    const double last = rounds > 1 ? link + behind : first;
    const double one = std::max(last, first + (rounds - 1) * round);
    return one + (products - 1) * std::max(link, rounds * round);
}

} // namespace

// What a run takes when each step of the outer loops overlaps with the transfers of its neighbours: the slowest of
// array, VMEM and memory; a buffer that is refilled in time (latency included); the first units in and the last out.
EstimatedCycles MappingEstimator::operator()(const Mapping& mapping) {
    const auto& memory = memory_;
    const auto& limits = limits_;
    const auto bytes = mapped_bytes(mapping, limits);
    const double array = double(array_cycles(mapping, limits));
    if (mapping.all_resident())
        return {std::max(array, vmem_cycles(mapping, bytes, 0, 0, limits)), 0, array, bytes.passes};

    const auto units = units_of(mapping);
    const auto kinds = step_kinds(mapping, bytes, units, memory);
    const double out_requests = requests_for(bytes.out_stored, units.out);
    const double moved = double(bytes.x_fetched) + double(bytes.y_fetched) + double(bytes.out_stored);
    const double requests =
        requests_for(bytes.x_fetched, units.x) + requests_for(bytes.y_fetched, units.y) + out_requests;
    const double busy = std::max(array, vmem_cycles(mapping, bytes, moved, requests, limits)) / kinds.total;
    const double store = transfer_cycles(bytes.out_stored, out_requests, memory) / kinds.total;
    const double read =
        double(bytes.x_streamed) + double(bytes.y_streamed) + double(bytes.out_written) + double(bytes.out_stored);
    const double out_tile = store * kinds.total / kinds.out_tiles;
    const double depth_tiles = kinds.total / kinds.out_tiles;
    const double ahead = std::max(1, limits.buffers - 1);
    const auto step = [&](const StepKind& kind) {
        double cycles = std::max(busy, kind.fetch + store);
        if (limits.vmem_bandwidth != unlimited)
            cycles = std::max(cycles, (read / kinds.total + kind.bytes) / double(limits.vmem_bandwidth));
        if (kinds.total > 1)
            cycles = std::max(cycles, (kind.fetch + memory.latency) / ahead);
        if (kinds.out_tiles > 1)
            cycles = std::max(cycles, (out_tile + memory.latency) / ahead / depth_tiles);
        if (limits.buffers == 1 && kinds.total > 1)
            cycles += kind.fetch + memory.latency;
        return cycles;
    };

    const double edges =
        double(units.x.bytes + units.y.bytes + units.out.bytes) / memory.bytes_per_cycle + 2 * memory.latency;
    // Until the first tile of x is there, every pass of an array that would be fast enough waits for its part of it.
    const auto& t = mapping.tile;
    const double sweep = busy / double(ceil_div(t.cols, group_shape(mapping, limits).cols));
    const double x_tile = mapping.x_resident() ? 0 : double(tile_bytes(mapping, limits)[0]) / memory.bytes_per_cycle;
    const double ramp = busy > kinds.both.fetch ? std::max(0.0, x_tile - sweep) : 0;
    const double steps = kinds.both.count * step(kinds.both) + kinds.one.count * step(kinds.one);
    const double stalls = unbridged_stalls(kinds, steps, ahead, memory);
    const double most = memory.most_bytes_per_cycle > 0 ? memory.most_bytes_per_cycle : memory.bytes_per_cycle;
    return {with_host_link(mapping, limits, memory, steps) + edges + ramp + stalls +
                traffic_weight * moved / memory.bytes_per_cycle,
            stalls, std::max(array, moved / most), bytes.passes};
}

} // namespace systole
