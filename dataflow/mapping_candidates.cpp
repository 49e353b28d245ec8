#include "dataflow/mapping_candidates.h"

#include <algorithm>

namespace systole {

namespace {

bool output_stationary(const OrientedGemm& gemm) { return gemm.dataflow == Dataflow::output_stationary; }

// Arrays that have work if they share the columns, and the rows.
std::int64_t busy_by_cols(const OrientedGemm& problem, const ArrayConfig& array) {
    return std::min<std::int64_t>(array.count, ceil_div(problem.cols, array.cols));
}

std::int64_t busy_by_rows(const OrientedGemm& problem, const ArrayConfig& array) {
    const auto parts = output_stationary(problem) ? ceil_div(problem.rows, array.rows) : problem.rows;
    return std::min<std::int64_t>(array.count, parts);
}

// base, 2 base, 4 base, ... below the extent, and the extent itself.
std::vector<std::int64_t> doubled_extents(std::int64_t base, std::int64_t extent) {
    std::vector<std::int64_t> list;
    for (auto e = base; e < extent; e *= 2)
        list.push_back(e);
    list.push_back(extent);
    return list;
}

// Besides those the even parts. Ascending.
std::vector<std::int64_t> even_extents(std::int64_t base, std::int64_t extent) {
    auto list = doubled_extents(base, extent);
    const auto add = [&](std::int64_t parts) {
        list.push_back(std::min(extent, ceil_div(ceil_div(extent, parts), base) * base));
    };
    constexpr std::int64_t all_parts = 8; // up to here every number of parts is looked at
    const auto most = ceil_div(extent, base);
    for (std::int64_t parts = 2; parts <= std::min(most, all_parts); ++parts)
        add(parts);
    for (auto parts = all_parts; parts <= most; parts *= 2) {
        add(parts);
        add(parts + parts / 2);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

// Rows of a convolution's A: whole rows of outputs, `width` each, as a tile that ends within one brings its pixel rows
// as well; smaller ones for small memories; and what fills the arrays where that is more than a row.
template <typename Extents>
std::vector<std::int64_t> output_row_extents(Extents&& extents, std::int64_t base, std::int64_t width,
                                             std::int64_t extent) {
    auto list = extents(base, base < width ? std::min(width, extent) : extent);
    for (const auto e : extents(width, extent)) {
        if (e >= base)
            list.push_back(e);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

// Tiles that hold the operands of several products.
void add_shared_tiles(Mapping mapping, std::vector<Mapping>& list) {
    const auto count = mapping.problem.count;
    for (std::int64_t products = 2; products < 2 * count; products *= 2) {
        mapping.products = std::min(products, count);
        list.push_back(mapping);
    }
}

void add_tiles(const Mapping& base, const CoreLimits& limits, CandidateList kind, std::vector<Mapping>& list) {
    const auto& problem = base.problem;
    const auto group = group_shape(base, limits);
    const bool os = output_stationary(problem);
    const bool resident = base.all_resident();
    const auto extents = kind == CandidateList::plain ? doubled_extents : even_extents;
    const auto depth_base = os ? std::int64_t{limits.q} * problem.sparsity.group : group.depth;
    const auto of_rows = [&](std::int64_t first, std::int64_t extent, bool of_a) {
        return of_a && problem.window ? output_row_extents(extents, first, problem.window->outputs[1], extent)
                                      : extents(first, extent);
    };
    const bool is = problem.dataflow == Dataflow::input_stationary;
    const auto cols_list = resident ? std::vector{problem.cols} : of_rows(group.cols, problem.cols, is);
    const auto depth_list = resident ? std::vector{problem.depth} : extents(depth_base, problem.depth);
    for (const auto rows : of_rows(os ? group.rows : 1, problem.rows, !is)) {
        for (const auto cols : cols_list) {
            for (const auto depth : depth_list) {
                Mapping mapping = base;
                mapping.tile.rows = rows;
                mapping.tile.cols = cols;
                mapping.tile.depth = depth;
                list.push_back(mapping);
                if (mapping.tile_is_whole() && !resident)
                    add_shared_tiles(mapping, list);
                if (rows == problem.rows || cols == problem.cols)
                    continue; // the order of one tile is no choice
                mapping.cols_outer = true;
                list.push_back(mapping);
            }
        }
    }
}

} // namespace

Mapping whole_mapping(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits) {
    Mapping mapping{.problem = problem, .tile = problem, .from = from};
    mapping.split_rows = busy_by_rows(problem, limits.array) > busy_by_cols(problem, limits.array);
    return mapping;
}

std::vector<Mapping> mapping_candidates(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits,
                                        CandidateList list) {
    auto base = whole_mapping(problem, from, limits);
    std::vector<Mapping> mappings;
    add_tiles(base, limits, list, mappings);
    // Also where that leaves arrays idle: twice the rows may share them, and should not be better off. Its units are
    // smaller, too, so that more engines bring them.
    if (list == CandidateList::plain || limits.array.count == 1)
        return mappings;
    base.split_rows = !base.split_rows;
    add_tiles(base, limits, list, mappings);
    return mappings;
}

} // namespace systole
