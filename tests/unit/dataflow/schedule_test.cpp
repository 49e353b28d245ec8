// The order of passes: whatever the mapping, every MAC is done once, every byte is fetched when it is first needed and
// given up after its last use, and sums are opened and closed in pairs.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "dataflow/pass_counter.h"
#include "dataflow/schedule.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// A mapping on a core, drawn within what a mapping may be: it need not be one that the mapper would choose.
struct Layout {
    Dataflow dataflow = ws;
    std::int64_t rows = 1, cols = 1, depth = 1;
    std::int64_t tile_rows = 1, tile_cols = 1, tile_depth = 1; // clipped to the extents
    bool cols_outer = false, split_rows = false;
    int array_rows = 1, array_cols = 1, arrays = 1, q = 1;

    Mapping mapping() const {
        Mapping result;
        result.problem = {dataflow, rows, cols, depth, Format::int8, Format::bf16, Format::int32};
        result.tile = result.problem;
        result.tile.rows = std::min(tile_rows, rows);
        result.tile.cols = std::min(tile_cols, cols);
        result.tile.depth = std::min(tile_depth, depth);
        result.cols_outer = cols_outer;
        result.split_rows = split_rows;
        return result;
    }
    CoreLimits limits() const {
        CoreLimits result;
        result.array.rows = array_rows;
        result.array.cols = array_cols;
        result.array.count = arrays;
        result.q = q;
        return result;
    }
};

std::ostream& operator<<(std::ostream& out, const Layout& l) {
    return out << short_name(l.dataflow) << " rows x cols x depth " << l.rows << "x" << l.cols << "x" << l.depth
               << ", tile " << l.tile_rows << "x" << l.tile_cols << "x" << l.tile_depth << ", "
               << (l.cols_outer ? "cols" : "rows") << " outer, split " << (l.split_rows ? "rows" : "cols") << ", "
               << l.arrays << " arrays " << l.array_rows << "x" << l.array_cols << ", q " << l.q;
}

rc::Gen<Layout> any_layout() {
    using rc::gen::inRange;
    using rc::gen::set;
    const auto extent = [] { return inRange<std::int64_t>(1, 15); };
    return rc::gen::build<Layout>(
        set(&Layout::dataflow, rc::gen::element(ws, os, is)), set(&Layout::rows, extent()),
        set(&Layout::cols, extent()), set(&Layout::depth, extent()), set(&Layout::tile_rows, extent()),
        set(&Layout::tile_cols, extent()), set(&Layout::tile_depth, extent()),
        set(&Layout::cols_outer, rc::gen::arbitrary<bool>()), set(&Layout::split_rows, rc::gen::arbitrary<bool>()),
        set(&Layout::array_rows, inRange(1, 6)), set(&Layout::array_cols, inRange(1, 6)),
        set(&Layout::arrays, inRange(1, 4)), set(&Layout::q, inRange(1, 4)));
}

std::vector<Pass> passes_of(const Mapping& mapping, const CoreLimits& limits) {
    std::vector<Pass> passes;
    for (PassCursor cursor(mapping, limits); !cursor.done(); cursor.next())
        passes.push_back(cursor.pass());
    return passes;
}

// Draws layouts and gives `check` the mapping, the limits and all passes.
template <typename Check>
void for_schedules(const std::string& description, Check&& check) {
    check_property(description, 1000, [&] {
        const Layout layout = *any_layout();
        const auto mapping = layout.mapping();
        const auto limits = layout.limits();
        check(mapping, limits, passes_of(mapping, limits));
    });
}

// A matrix of flags or counts.
class Grid {
  public:
    Grid(std::int64_t rows, std::int64_t cols) : cols_(cols), counts_(static_cast<std::size_t>(rows * cols)) {}

    int& at(std::int64_t row, std::int64_t col) { return counts_[static_cast<std::size_t>(row * cols_ + col)]; }
    void add(std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
        for (auto r = row; r < row + rows; ++r) {
            for (auto c = col; c < col + cols; ++c)
                ++at(r, c);
        }
    }
    bool all(int count) const {
        return std::all_of(counts_.begin(), counts_.end(), [&](int c) { return c == count; });
    }

  private:
    std::int64_t cols_;
    std::vector<int> counts_;
};

// One operand as its passes see it.
struct Use {
    UnitRef ref;
    std::int64_t rows, cols; // elements of the unit
};

std::vector<Use> uses_of_x(const std::vector<Pass>& passes) {
    std::vector<Use> uses;
    for (const auto& pass : passes)
        uses.push_back({pass.x, pass.row_count, pass.depth_count});
    return uses;
}

std::vector<Use> uses_of_y(const std::vector<Pass>& passes) {
    std::vector<Use> uses;
    for (const auto& pass : passes)
        uses.push_back({pass.y, pass.depth_count, pass.col_count});
    return uses;
}

// A tile resides in VMEM from its first fetch to its release; a unit of it is fetched once, by the first pass that
// uses it. Returns the bytes fetched.
Bytes check_residency(const std::vector<Use>& uses, std::int64_t most_units) {
    std::set<std::pair<std::int64_t, std::int64_t>> fetched; // sequence, unit
    std::set<std::int64_t> released;
    std::int64_t newest = -1;
    Bytes bytes = 0;
    for (const auto& [ref, rows, cols] : uses) {
        RC_ASSERT(ref.unit >= 0);
        RC_ASSERT(ref.unit < most_units);
        RC_ASSERT(ref.sequence == newest || ref.sequence == newest + 1); // one after the other, without a gap
        if (ref.sequence == newest + 1)
            RC_ASSERT(newest < 0 || released.count(newest) == 1);
        newest = ref.sequence;
        RC_ASSERT(released.count(ref.sequence) == 0U);
        RC_ASSERT(fetched.insert({ref.sequence, ref.unit}).second == ref.fetch);
        if (ref.fetch)
            bytes += ref.bytes;
        if (ref.release)
            released.insert(ref.sequence);
    }
    RC_ASSERT(static_cast<std::int64_t>(released.size()) == newest + 1);
    return bytes;
}

// A fetch is a first visit if, and only if, none of its elements has been used before; all elements are visited.
void check_first_visits(const std::vector<Use>& uses, std::int64_t rows, std::int64_t cols) {
    Grid seen(rows, cols);
    for (const auto& [ref, unit_rows, unit_cols] : uses) {
        if (!ref.fetch)
            continue;
        RC_ASSERT(ref.first_visit == (seen.at(ref.row, ref.col) == 0));
        if (ref.first_visit)
            seen.add(ref.row, unit_rows, ref.col, unit_cols);
    }
    RC_ASSERT(seen.all(1));
}

} // namespace

TEST_CASE("every MAC of the problem is in exactly one pass", "[dataflow][schedule]") {
    for_schedules("macs", [](const Mapping& mapping, const CoreLimits&, const std::vector<Pass>& passes) {
        const auto& p = mapping.problem;
        Grid macs(p.rows * p.cols, p.depth);
        std::int64_t sum = 0;
        for (const auto& pass : passes) {
            RC_ASSERT(pass.row_count > 0);
            RC_ASSERT(pass.col_count > 0);
            RC_ASSERT(pass.depth_count > 0);
            for (auto row = pass.row_begin; row < pass.row_begin + pass.row_count; ++row) {
                for (auto col = pass.col_begin; col < pass.col_begin + pass.col_count; ++col)
                    macs.add(row * p.cols + col, 1, pass.depth_begin, pass.depth_count);
            }
            sum += pass.macs();
        }
        RC_ASSERT(macs.all(1));
        RC_ASSERT(sum == p.rows * p.cols * p.depth);
    });
}

TEST_CASE("a pass fits the group of arrays it is made for", "[dataflow][schedule]") {
    for_schedules("shape", [](const Mapping& mapping, const CoreLimits& limits, const std::vector<Pass>& passes) {
        const bool os_flow = mapping.problem.dataflow == os;
        const auto group = group_shape(mapping, limits);
        for (const auto& pass : passes) {
            RC_ASSERT(pass.col_count <= group.cols);
            RC_ASSERT(pass.row_count <= group.rows);
            RC_ASSERT(pass.depth_count <= group.depth);
            std::int64_t covered = 0;
            for (int i = 0; i < limits.array.count; ++i) {
                const auto part = array_part(mapping, limits.array, pass, i);
                RC_ASSERT(part.col_count <= limits.array.cols);
                RC_ASSERT(part.row_count <= (os_flow ? limits.array.rows : pass.vectors));
                covered += part.row_count * part.col_count;
            }
            RC_ASSERT(covered == pass.outputs()); // the arrays share the pass, and nothing of it twice
            RC_ASSERT(pass.stream_bytes() == pass.x.bytes + (os_flow ? pass.y.bytes : 0));
            RC_ASSERT(pass.last_vector_bytes > 0);
            RC_ASSERT(pass.last_vector_bytes <= pass.vector_bytes);
            if (os_flow) {
                RC_ASSERT(pass.vectors == ceil_div(pass.depth_count, limits.q));
                continue;
            }
            RC_ASSERT(pass.stationary_rows == ceil_div(pass.depth_count, limits.q));
            RC_ASSERT(pass.stationary_rows <= limits.array.rows);
            RC_ASSERT(pass.stationary_bytes == pass.y.bytes);
        }
    });
}

TEST_CASE("the number of passes is that of the closed form", "[dataflow][schedule]") {
    for_schedules("passes", [](const Mapping& mapping, const CoreLimits& limits, const std::vector<Pass>& passes) {
        RC_ASSERT(static_cast<std::int64_t>(passes.size()) == mapped_bytes(mapping, limits).passes);
        for (std::size_t i = 0; i < passes.size(); ++i)
            RC_ASSERT(passes[i].index == static_cast<std::int64_t>(i));
    });
}

TEST_CASE("a unit is fetched once for each stay of its tile and given up after the last use", "[dataflow][schedule]") {
    for_schedules("residency", [](const Mapping& mapping, const CoreLimits& limits, const std::vector<Pass>& passes) {
        const PassCursor cursor(mapping, limits);
        const auto bytes = mapped_bytes(mapping, limits);
        RC_ASSERT(check_residency(uses_of_x(passes), cursor.max_x_units()) == bytes.x_fetched);
        RC_ASSERT(check_residency(uses_of_y(passes), cursor.max_y_units()) == bytes.y_fetched);
    });
}

TEST_CASE("a first visit is one of elements that no earlier fetch has brought", "[dataflow][schedule]") {
    for_schedules("visits", [](const Mapping& mapping, const CoreLimits&, const std::vector<Pass>& passes) {
        const auto& p = mapping.problem;
        check_first_visits(uses_of_x(passes), p.rows, p.depth);
        check_first_visits(uses_of_y(passes), p.depth, p.cols);
    });
}

TEST_CASE("the arrays read what the closed form says", "[dataflow][schedule]") {
    for_schedules("streamed", [](const Mapping& mapping, const CoreLimits& limits, const std::vector<Pass>& passes) {
        PassCounter counter(mapping, limits);
        for (const auto& pass : passes)
            counter.count(pass);
        const auto& p = mapping.problem;
        const auto bytes = mapped_bytes(mapping, limits);
        RC_ASSERT(counter.x_streamed() == bytes.x_streamed);
        RC_ASSERT(counter.y_streamed() == bytes.y_streamed);
        RC_ASSERT(counter.out_written() == bytes.out_written);
        RC_ASSERT(counter.macs() == p.rows * p.cols * p.depth);
    });
}

TEST_CASE("a stationary tile is new if, and only if, it is not that of the pass before", "[dataflow][schedule]") {
    for_schedules("stationary", [](const Mapping& mapping, const CoreLimits&, const std::vector<Pass>& passes) {
        if (mapping.problem.dataflow == os)
            return;
        std::pair<std::int64_t, std::int64_t> held{-1, -1};
        for (const auto& pass : passes) {
            const std::pair tile{pass.depth_begin, pass.col_begin};
            RC_ASSERT(pass.new_stationary == (tile != held));
            held = tile;
        }
    });
}

TEST_CASE("sums are opened once, added to in between and closed once", "[dataflow][schedule]") {
    for_schedules("sums", [](const Mapping& mapping, const CoreLimits& limits, const std::vector<Pass>& passes) {
        const auto& p = mapping.problem;
        const bool os_flow = p.dataflow == os;
        Grid opened(p.rows, p.cols), closed(p.rows, p.cols);
        std::int64_t open = 0, most_open = 0;
        Bytes stored = 0;
        for (const auto& pass : passes) {
            const auto before = opened.at(pass.row_begin, pass.col_begin);
            if (pass.opens_sums) {
                opened.add(pass.row_begin, pass.row_count, pass.col_begin, pass.col_count);
                open += pass.outputs();
            }
            most_open = std::max(most_open, open);
            // Sums that stay in the PEs are in no accumulator before they shift out.
            const bool reaches_accumulators = !os_flow || pass.drains;
            RC_ASSERT(pass.adds_to_sums == (reaches_accumulators && before == 1));
            RC_ASSERT(pass.last_depth == (pass.depth_begin + pass.depth_count == p.depth));
            RC_ASSERT(pass.out_bytes == (pass.last_depth ? stored_bytes(pass.outputs(), p.out) : 0));
            stored += pass.out_bytes;
            if (!pass.last_depth)
                continue;
            RC_ASSERT(reaches_accumulators);
            RC_ASSERT(opened.at(pass.row_begin, pass.col_begin) == 1);
            closed.add(pass.row_begin, pass.row_count, pass.col_begin, pass.col_count);
            open -= pass.outputs();
        }
        RC_ASSERT(opened.all(1));
        RC_ASSERT(closed.all(1));
        RC_ASSERT(open == 0);
        RC_ASSERT(stored == stored_bytes(p.rows * p.cols, p.out));
        RC_ASSERT(most_open * accumulator_word <= accumulator_need(mapping, limits));
    });
}

TEST_CASE("output-stationary sums stay in the PEs until they shift out", "[dataflow][schedule]") {
    for_schedules("drains", [](const Mapping& mapping, const CoreLimits&, const std::vector<Pass>& passes) {
        if (mapping.problem.dataflow != os)
            return;
        const Pass* before = nullptr;
        for (const auto& pass : passes) {
            RC_ASSERT(pass.starts_sums == (before == nullptr || before->drains));
            if (!pass.starts_sums) { // the same outputs, further along the depth
                RC_ASSERT(std::tie(pass.row_begin, pass.row_count, pass.col_begin, pass.col_count) ==
                          std::tie(before->row_begin, before->row_count, before->col_begin, before->col_count));
                RC_ASSERT(pass.depth_begin == before->depth_begin + before->depth_count);
            }
            before = &pass;
        }
        RC_ASSERT(before->drains);
    });
}

TEST_CASE("output tiles open and close one after the other", "[dataflow][schedule]") {
    for_schedules("out tiles", [](const Mapping& mapping, const CoreLimits&, const std::vector<Pass>& passes) {
        const auto& p = mapping.problem;
        const auto& t = mapping.tile;
        std::int64_t tile = -1;
        bool open = false;
        for (const auto& pass : passes) {
            RC_ASSERT(pass.opens_out_tile == !open);
            if (pass.opens_out_tile)
                ++tile;
            open = !pass.closes_out_tile;
            RC_ASSERT(pass.out_sequence == tile);
        }
        RC_ASSERT(!open);
        RC_ASSERT(tile + 1 == ceil_div(p.rows, t.rows) * ceil_div(p.cols, t.cols));
    });
}

TEST_CASE("the passes of a small weight-stationary mapping, written out", "[dataflow][schedule]") {
    // 2x2 array, out[3,4] = x[3,3] * y[3,4], tile 3x2x3, rows outer: two column tiles, each with two slices of depth.
    Layout layout;
    layout.rows = 3, layout.cols = 4, layout.depth = 3;
    layout.tile_rows = 3, layout.tile_cols = 2, layout.tile_depth = 3;
    layout.array_rows = layout.array_cols = 2;
    const auto passes = passes_of(layout.mapping(), layout.limits());
    REQUIRE(passes.size() == 4);
    const std::int64_t cols[] = {0, 0, 2, 2}, depths[] = {0, 2, 0, 2}, counts[] = {2, 1, 2, 1};
    for (std::size_t i = 0; i < 4; ++i) {
        INFO("pass " << i);
        const auto& pass = passes[i];
        CHECK(pass.col_begin == cols[i]);
        CHECK(pass.depth_begin == depths[i]);
        CHECK(pass.depth_count == counts[i]);
        CHECK(pass.vectors == 3);
        CHECK(pass.vector_bytes == counts[i]);             // int8
        CHECK(pass.stationary_bytes == counts[i] * 2 * 2); // two columns of bf16
        CHECK(pass.new_stationary);
        CHECK(pass.last_depth == (i % 2 == 1));
        CHECK(pass.out_bytes == (i % 2 == 1 ? 3 * 2 * 4 : 0));
        CHECK(pass.x.fetch == (i < 2)); // x stays for the second column tile
        CHECK(pass.x.release == (i == 3));
        CHECK(pass.x.sequence == 0);
        CHECK(pass.y.fetch);
        CHECK(pass.y.sequence == static_cast<std::int64_t>(i / 2));
    }
}
