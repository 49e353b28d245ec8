// The order of a mapping's passes, generated one at a time, and what each pass needs and leaves behind.
#pragma once

#include "dataflow/feature_map.h"
#include "dataflow/mapping.h"

namespace systole {

// A unit is what one pass reads of an operand's VMEM tile: the grain of DMA transfers and of "has it arrived?".
struct UnitRef {
    std::int64_t instance = 0; // of the products
    std::int64_t sequence = 0; // of the operand's tiles in VMEM, counted from 0 in the order they are fetched
    std::int64_t unit = 0;     // within the tile
    std::int64_t row = 0;      // first element: x: (row, depth), y: (depth, col); depth as stored (operand_bytes.h)
    std::int64_t col = 0;
    std::int64_t rows = 0; // its extents: x: rows by depth, y: depth by cols
    std::int64_t cols = 0;
    Bytes bytes = 0;          // values that the pass reads
    Bytes index_bytes = 0;    // of a sparse B, besides
    Bytes index_offset = 0;   // where these begin among all indices
    Bytes brought = 0;        // values that are fetched: `bytes`, or those of `part`
    MapPart part{};           // of a feature map: what no unit of the tile before it brings; may have 0 bytes
    MapPart first_part{};     // of it: what no unit of the run before it brings
    bool fetch = false;       // the tile is new, this pass is the first to use the unit, and it brings something
    bool first_visit = false; // no earlier pass of the run has used these elements
    bool release = false;     // no later pass uses this tile while it stays in VMEM

    Bytes all_bytes() const { return bytes + index_bytes; }
    Bytes all_brought() const { return brought + index_bytes; }
};

struct Pass {
    std::int64_t index = 0;
    std::int64_t instance = 0; // of the products
    std::int64_t row_begin = 0, row_count = 0;
    std::int64_t col_begin = 0, col_count = 0;
    std::int64_t depth_begin = 0, depth_count = 0; // of the dense problem
    std::int64_t positions = 0;                    // of the depth at which MACs are done: depth_count if dense
    Cycles vectors = 0;                            // S: streamed vectors of the group's longest array
    Bytes vector_bytes = 0;                        // VMEM bytes of one streamed vector, all arrays of the group
    Bytes last_vector_bytes = 0;                   // of the last one, which may be shorter
    Bytes y_vector_bytes = 0;                      // OS: y's part of vector_bytes; x has the rest
    Bytes last_y_vector_bytes = 0;                 // OS: of last_vector_bytes
    Bytes stationary_bytes = 0;                    // WS, IS: VMEM bytes of the stationary tile
    std::int64_t stationary_rows = 0;              // WS, IS: PE rows that hold a part of it
    bool new_stationary = false;                   // WS, IS: the tile differs from that of the pass before
    bool starts_sums = false;                      // OS: the PEs' accumulators start from zero
    bool drains = false;                           // OS: the results shift out after this pass
    bool last_depth = false;                       // the outputs are final after this pass
    bool opens_sums = false;   // the pass takes accumulators for its outputs; the one with last_depth frees them
    bool adds_to_sums = false; // its results are added to partial sums in the accumulators
    UnitRef x, y;
    std::int64_t out_sequence = 0; // of the output's VMEM tiles
    std::int64_t out_unit = 0;     // what the pass leaves of that tile
    bool opens_out_tile = false;   // first pass of its output tile
    bool closes_out_tile = false;  // last pass of its output tile
    Bytes out_bytes = 0;           // stored bytes of the outputs that are final after this pass

    Bytes stream_bytes() const { return (vectors - 1) * vector_bytes + last_vector_bytes; }
    std::int64_t macs() const { return row_count * col_count * positions; }
    std::int64_t outputs() const { return row_count * col_count; }
};

class PassCursor {
  public:
    PassCursor(const Mapping& mapping, const CoreLimits& limits);

    bool done() const { return done_; }
    const Pass& pass() const { return pass_; } // valid while not done
    void next();

    // Units of one VMEM tile at most.
    std::int64_t max_x_units() const;
    std::int64_t max_y_units() const;

  private:
    struct Step { // one VMEM tile of each operand
        std::int64_t row = 0, col = 0, depth = 0;
        bool operator==(const Step&) const = default;
    };

    bool advance(Step& step) const; // false behind the last one
    bool advance_inside();
    void enter_step(const Step& before, bool first);
    void enter_instance();
    void fill();
    void fill_streamed();
    void fill_output_stationary();
    void fill_output_vectors();
    void fill_units();
    void fill_map_part(UnitRef& unit, const Interval& rows, std::int64_t tile_row, Format format);
    bool last_of_step() const;
    bool last_of_tile() const;
    std::int64_t x_units() const; // of one instance in a tile
    std::int64_t y_units() const;

    Mapping mapping_;
    ArrayConfig array_;
    int q_;
    GroupShape group_;
    std::int64_t instance_ = 0;
    std::int64_t in_tile_ = 0; // of the instances whose operands the present tiles hold
    Step step_;
    Step next_step_; // of the same instance
    bool has_next_ = false;
    bool x_new_ = true, y_new_ = true;
    std::int64_t x_sequence_ = -1, y_sequence_ = -1, out_sequence_ = -1;
    std::int64_t outer_ = 0, inner_ = 0; // slices within the step: WS, IS: cols, depth; OS: rows, cols
    std::int64_t outer_count_ = 1, inner_count_ = 1;
    std::int64_t tile_rows_ = 0, tile_cols_ = 0, tile_depth_ = 0; // of the step, clipped
    std::int64_t last_stationary_col_ = -1, last_stationary_depth_ = -1;
    bool out_new_ = true;
    bool done_ = false;
    Pass pass_;
    FeatureMap map_;                 // of a convolution
    MapPart last_part_;              // whose rows bring
    std::int64_t last_elements_ = 0; // these elements of each channel
};

} // namespace systole
