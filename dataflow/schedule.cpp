#include "dataflow/schedule.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "dataflow/operand_bytes.h"

namespace systole {

PassCursor::PassCursor(const Mapping& mapping, const CoreLimits& limits)
    : mapping_(mapping), array_(limits.array), q_(limits.q), group_(group_shape(mapping, limits)) {
    if (mapping_.problem.window)
        map_ = FeatureMap(*mapping_.problem.window);
    enter_step(step_, true);
    fill();
}

std::int64_t PassCursor::max_x_units() const { return x_units() * mapping_.products; }

std::int64_t PassCursor::max_y_units() const { return y_units() * mapping_.products; }

std::int64_t PassCursor::x_units() const {
    const auto& tile = mapping_.tile;
    return tile.dataflow == Dataflow::output_stationary ? ceil_div(tile.rows, group_.rows)
                                                        : ceil_div(tile.depth, group_.depth);
}

std::int64_t PassCursor::y_units() const {
    const auto& tile = mapping_.tile;
    const auto slices = ceil_div(tile.cols, group_.cols);
    return tile.dataflow == Dataflow::output_stationary ? slices : slices * ceil_div(tile.depth, group_.depth);
}

// Odometer over the VMEM tiles: depth innermost, so that the sums of an output tile are finished before the next.
bool PassCursor::advance(Step& step) const {
    const auto& problem = mapping_.problem;
    const auto& tile = mapping_.tile;
    step.depth += tile.depth;
    if (step.depth < problem.depth)
        return true;
    step.depth = 0;
    auto& inner = mapping_.cols_outer ? step.row : step.col;
    auto& outer = mapping_.cols_outer ? step.col : step.row;
    inner += mapping_.cols_outer ? tile.rows : tile.cols;
    if (inner < (mapping_.cols_outer ? problem.rows : problem.cols))
        return true;
    inner = 0;
    outer += mapping_.cols_outer ? tile.cols : tile.rows;
    return outer < (mapping_.cols_outer ? problem.cols : problem.rows);
}

void PassCursor::enter_step(const Step& before, bool first) {
    x_new_ = first || step_.row != before.row || step_.depth != before.depth;
    y_new_ = first || step_.col != before.col || step_.depth != before.depth;
    out_new_ = first || step_.row != before.row || step_.col != before.col;
    const bool same_tile = in_tile_ > 0; // which holds this product's operands as well
    x_sequence_ += x_new_ && !same_tile ? 1 : 0;
    y_sequence_ += y_new_ && !same_tile ? 1 : 0;
    out_sequence_ += out_new_ && !same_tile ? 1 : 0;
    const auto& problem = mapping_.problem;
    const auto& tile = mapping_.tile;
    tile_rows_ = std::min(tile.rows, problem.rows - step_.row);
    tile_cols_ = std::min(tile.cols, problem.cols - step_.col);
    tile_depth_ = std::min(tile.depth, problem.depth - step_.depth);
    const bool os = problem.dataflow == Dataflow::output_stationary;
    outer_count_ = os ? ceil_div(tile_rows_, group_.rows) : ceil_div(tile_cols_, group_.cols);
    inner_count_ = os ? ceil_div(tile_cols_, group_.cols) : ceil_div(tile_depth_, group_.depth);
    outer_ = inner_ = 0;
    next_step_ = step_;
    has_next_ = advance(next_step_);
}

void PassCursor::enter_instance() {
    ++instance_;
    in_tile_ = (in_tile_ + 1) % mapping_.products;
    step_ = Step{};
    last_stationary_col_ = last_stationary_depth_ = -1;
    enter_step(step_, true);
}

// Of the products that share a tile.
bool PassCursor::last_of_tile() const {
    return in_tile_ + 1 == mapping_.products || instance_ + 1 == mapping_.problem.count;
}

bool PassCursor::last_of_step() const { return outer_ == outer_count_ - 1 && inner_ == inner_count_ - 1; }

bool PassCursor::advance_inside() {
    if (++inner_ < inner_count_)
        return true;
    inner_ = 0;
    return ++outer_ < outer_count_;
}

void PassCursor::next() {
    const auto index = pass_.index + 1;
    if (!advance_inside()) {
        if (has_next_) {
            const Step before = step_;
            step_ = next_step_;
            enter_step(before, false);
        } else if (instance_ + 1 < mapping_.problem.count) {
            enter_instance();
        } else {
            done_ = true;
            return;
        }
    }
    fill();
    pass_.index = index;
}

void PassCursor::fill() {
    const bool os = mapping_.problem.dataflow == Dataflow::output_stationary;
    pass_ = Pass{};
    pass_.instance = instance_;
    if (os) {
        fill_output_stationary();
    } else {
        fill_streamed();
    }
    pass_.positions = used_depth(mapping_.problem.sparsity, pass_.depth_count);
    fill_units();
    pass_.stationary_bytes = os ? 0 : pass_.y.all_bytes();
    pass_.out_sequence = out_sequence_;
    pass_.out_unit =
        in_tile_ * (os ? outer_count_ * inner_count_ : outer_count_) + (os ? outer_ * inner_count_ + inner_ : outer_);
    pass_.opens_out_tile = out_new_ && outer_ == 0 && inner_ == 0 && in_tile_ == 0;
    pass_.closes_out_tile = last_of_step() && last_of_tile() && step_.depth + tile_depth_ == mapping_.problem.depth;
    pass_.last_depth = pass_.depth_begin + pass_.depth_count == mapping_.problem.depth;
    pass_.out_bytes = pass_.last_depth ? stored_bytes(pass_.outputs(), mapping_.problem.out) : 0;
}

void PassCursor::fill_streamed() {
    pass_.row_begin = step_.row;
    pass_.row_count = tile_rows_;
    pass_.col_begin = step_.col + outer_ * group_.cols;
    pass_.col_count = std::min(group_.cols, step_.col + tile_cols_ - pass_.col_begin);
    pass_.depth_begin = step_.depth + inner_ * group_.depth;
    pass_.depth_count = std::min(group_.depth, step_.depth + tile_depth_ - pass_.depth_begin);
    const auto streams = mapping_.split_rows ? std::min<std::int64_t>(array_.count, tile_rows_) : 1;
    pass_.vectors = ceil_div(tile_rows_, streams);
    const auto& problem = mapping_.problem;
    const auto vector = x_bytes(problem, 1, pass_.depth_count).total();
    pass_.vector_bytes = streams * vector;
    // Rows that do not come out even leave fewer streams for the last vector.
    pass_.last_vector_bytes = (tile_rows_ - (pass_.vectors - 1) * streams) * vector;
    // Of a ragged last group the PE rows of its padding are loaded as well: it is stored.
    const auto loaded = problem.sparsity.dense() ? pass_.depth_count : problem.sparsity.stored_depth(pass_.depth_count);
    pass_.stationary_rows = ceil_div(loaded, q_);
    pass_.new_stationary = pass_.col_begin != last_stationary_col_ || pass_.depth_begin != last_stationary_depth_;
    last_stationary_col_ = pass_.col_begin;
    last_stationary_depth_ = pass_.depth_begin;
    pass_.opens_sums = pass_.depth_begin == 0;
    pass_.adds_to_sums = !pass_.opens_sums;
}

void PassCursor::fill_output_stationary() {
    pass_.row_begin = step_.row + outer_ * group_.rows;
    pass_.row_count = std::min(group_.rows, step_.row + tile_rows_ - pass_.row_begin);
    pass_.col_begin = step_.col + inner_ * group_.cols;
    pass_.col_count = std::min(group_.cols, step_.col + tile_cols_ - pass_.col_begin);
    pass_.depth_begin = step_.depth;
    pass_.depth_count = tile_depth_;
    fill_output_vectors();
    // A tile of one slice keeps its sums in the PEs until the last depth tile has passed.
    const bool stays = outer_count_ == 1 && inner_count_ == 1;
    pass_.starts_sums = !stays || step_.depth == 0;
    pass_.drains = !stays || step_.depth + tile_depth_ == mapping_.problem.depth;
    pass_.opens_sums = stays ? pass_.drains : step_.depth == 0;
    pass_.adds_to_sums = pass_.drains && !pass_.opens_sums;
}

// A vector is q positions of y and the activations that they pick from: of a group M for N positions, dealt evenly.
// The last one has what is left, with the padding of a ragged group.
void PassCursor::fill_output_vectors() {
    const auto& problem = mapping_.problem;
    const auto& sparsity = problem.sparsity;
    pass_.vectors = ceil_div(used_depth(sparsity, tile_depth_), q_);
    const auto bytes = [&](std::int64_t x_lanes, std::int64_t y_lanes) {
        const auto index_bits = sparsity.dense() ? 0 : pass_.col_count * y_lanes * sparsity.index_bits();
        const auto y = stored_bytes(pass_.col_count * y_lanes, problem.y) + ceil_div(index_bits, 8);
        return std::pair{stored_bytes(pass_.row_count * x_lanes, problem.x) + y, y};
    };
    const auto before = pass_.vectors - 1; // the last
    const auto picked_from = std::int64_t{q_} * sparsity.group / sparsity.keep;
    const auto x_lanes = sparsity.dense() ? q_ : std::min(picked_from, ceil_div(tile_depth_, pass_.vectors));
    const auto last_x = std::max<std::int64_t>(0, tile_depth_ - before * x_lanes);
    const auto last_y = y_stored_depth(problem, tile_depth_) - before * q_;
    std::tie(pass_.last_vector_bytes, pass_.last_y_vector_bytes) = bytes(last_x, last_y);
    std::tie(pass_.vector_bytes, pass_.y_vector_bytes) = before > 0 ? bytes(x_lanes, q_) : bytes(last_x, last_y);
}

void PassCursor::fill_units() {
    const auto& problem = mapping_.problem;
    const auto index_part = [&](std::int64_t line, std::int64_t lines) {
        return IndexPart{line, lines, pass_.depth_begin, pass_.depth_count};
    };
    const auto x_indices =
        index_range(problem.x_pattern(), problem.depth, index_part(pass_.row_begin, pass_.row_count));
    const auto y_indices =
        index_range(problem.y_pattern(), problem.depth, index_part(pass_.col_begin, pass_.col_count));
    const bool os = problem.dataflow == Dataflow::output_stationary;
    // Products that share a tile give it back together; each is one step then.
    const bool release = last_of_step() && (mapping_.products == 1 || last_of_tile());
    pass_.x =
        UnitRef{.instance = instance_,
                .sequence = x_sequence_,
                .unit = in_tile_ * x_units() + (os ? outer_ : inner_),
                .row = pass_.row_begin,
                .col = x_stored_depth(problem, pass_.depth_begin),
                .rows = pass_.row_count,
                .cols = x_stored_depth(problem, pass_.depth_count),
                .bytes = x_bytes(problem, pass_.row_count, pass_.depth_count).values,
                .index_bytes = x_indices.bytes,
                .index_offset = x_indices.offset,
                .fetch = !mapping_.x_resident() && x_new_ && (os ? inner_ : outer_) == 0,
                .first_visit = step_.col == 0,
                .release = release && (!has_next_ || next_step_.row != step_.row || next_step_.depth != step_.depth)};
    pass_.y =
        UnitRef{.instance = instance_,
                .sequence = y_sequence_,
                .unit = in_tile_ * y_units() + (os ? inner_ : outer_ * inner_count_ + inner_),
                .row = y_stored_depth(problem, pass_.depth_begin),
                .col = pass_.col_begin,
                .rows = y_stored_depth(problem, pass_.depth_count),
                .cols = pass_.col_count,
                .bytes = y_bytes(problem, pass_.depth_count, pass_.col_count).values,
                .index_bytes = y_indices.bytes,
                .index_offset = y_indices.offset,
                .fetch = !mapping_.y_resident() && y_new_ && (!os || outer_ == 0),
                .first_visit = step_.row == 0,
                .release = release && (!has_next_ || next_step_.col != step_.col || next_step_.depth != step_.depth)};
    pass_.x.brought = pass_.x.bytes;
    pass_.y.brought = pass_.y.bytes;
    if (!problem.window)
        return;
    if (problem.dataflow == Dataflow::input_stationary) {
        fill_map_part(pass_.y, {pass_.col_begin, pass_.col_begin + pass_.col_count}, step_.col, problem.y);
    } else {
        fill_map_part(pass_.x, {pass_.row_begin, pass_.row_begin + pass_.row_count}, step_.row, problem.x);
    }
}

// Units of a tile are used in the order of their rows and, of the same rows, of their depth; so are tiles. What a unit
// brings is then a product: the channels that are new in the depth, of the pixel rows that are new in the rows.
void PassCursor::fill_map_part(UnitRef& unit, const Interval& rows, std::int64_t tile_row, Format format) {
    const auto begin = mapping_.problem.window_begin;
    const Interval columns{pass_.depth_begin, pass_.depth_begin + pass_.depth_count};
    unit.part = {{begin + rows.begin, begin + rows.end},
                 begin + tile_row,
                 map_.channels(columns, pass_.depth_begin > step_.depth)};
    unit.first_part = {unit.part.rows, begin, map_.channels(columns, pass_.depth_begin > 0)};
    if (unit.part.rows != last_part_.rows || unit.part.rows_from != last_part_.rows_from) {
        last_part_ = unit.part;
        last_elements_ = map_.elements(unit.part.rows, unit.part.rows_from);
    }
    unit.brought = stored_bytes(last_elements_ * unit.part.channels.size(), format);
    unit.fetch = unit.fetch && unit.brought > 0;
}

} // namespace systole
