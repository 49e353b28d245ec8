#include <algorithm>
#include <tuple>

#include "dataflow/mapping_candidates.h"
#include "sim/base/error.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

const MemoryRate memory{.bytes_per_cycle = 16, .latency = 100, .request_bytes = 256, .outstanding = 4};

CoreLimits core(int rows, int cols) {
    CoreLimits limits;
    limits.array.rows = rows;
    limits.array.cols = cols;
    return limits;
}

auto key(const Mapping& m) { return std::tuple(m.tile.rows, m.tile.cols, m.tile.depth, m.cols_outer, m.split_rows); }

bool contains(const std::vector<Mapping>& list, const Mapping& mapping) {
    return std::any_of(list.begin(), list.end(), [&](const Mapping& m) { return key(m) == key(mapping); });
}

bool fits(const Mapping& mapping, const CoreLimits& limits) {
    return vmem_need(mapping, limits) <= limits.vmem_capacity &&
           accumulator_need(mapping, limits) <= limits.accumulator_capacity;
}

// Of the plain candidates, fastest first.
std::vector<Mapping> naive_mappings(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits,
                                    const MemoryRate& rate) {
    std::vector<Mapping> list;
    for (const auto& ranked : ranked_mappings(problem, from, limits, rate, CandidateList::plain))
        list.push_back(ranked.mapping);
    return list;
}

// Empty if nothing fits.
std::vector<Mapping> mappings_or_none(const OrientedGemm& problem, DataOrigin from, const CoreLimits& limits) {
    try {
        return naive_mappings(problem, from, limits, memory);
    } catch (const InputError&) {
        return {};
    }
}

struct Draw {
    OrientedGemm problem;
    CoreLimits limits;
    DataOrigin from = DataOrigin::hbm;
};

Draw any_draw() {
    using rc::gen::inRange;
    Draw draw;
    const auto flow = *rc::gen::element(ws, os, is);
    draw.problem = orient(gemm(*inRange(1, 60), *inRange(1, 60), *inRange(1, 60), Format::int32), flow);
    draw.limits = core(*inRange(1, 9), *inRange(1, 9));
    draw.limits.array.count = *inRange(1, 4);
    draw.limits.q = *inRange(1, 3);
    draw.limits.buffers = *inRange(1, 4);
    draw.limits.vmem_bandwidth = *rc::gen::elementOf(std::vector<BytesPerCycle>{unlimited, 32, 5});
    draw.limits.vmem_banks = *inRange(1, 3);
    draw.limits.vmem_capacity = *rc::gen::elementOf(std::vector<Bytes>{unlimited, 200, 1000, 5000, 20'000});
    draw.limits.accumulator_capacity = *rc::gen::elementOf(std::vector<Bytes>{unlimited, 100, 500, 2000});
    draw.from = *rc::gen::element(DataOrigin::hbm, DataOrigin::vmem, DataOrigin::host);
    return draw;
}

} // namespace

TEST_CASE("an input-stationary problem is the transposed one", "[dataflow][mapping]") {
    GemmProblem problem = gemm(2, 3, 5, Format::int32);
    problem.formats.b = Format::int4;
    const auto plain = orient(problem, ws);
    CHECK(std::tuple(plain.rows, plain.cols, plain.depth) == std::tuple(2, 3, 5));
    CHECK(std::tuple(plain.x, plain.y, plain.out) == std::tuple(Format::int8, Format::int4, Format::int32));
    const auto turned = orient(problem, is);
    CHECK(std::tuple(turned.rows, turned.cols, turned.depth) == std::tuple(3, 2, 5));
    CHECK(std::tuple(turned.x, turned.y, turned.out) == std::tuple(Format::int4, Format::int8, Format::int32));
    for (const auto flow : {ws, os, is})
        CHECK(to_tile(orient(Tile{2, 3, 5}, flow)) == Tile{2, 3, 5});
}

TEST_CASE("a tile larger than the problem is clipped to it", "[dataflow][mapping]") {
    const auto mapping = explicit_mapping(orient(gemm(7, 9, 11), is), {100, 4, 200}, DataOrigin::hbm, core(4, 4));
    CHECK(to_tile(mapping.tile) == Tile{7, 4, 11});
    CHECK(mapping.from == DataOrigin::hbm);
}

TEST_CASE("a given tile is looped over in the order that moves less", "[dataflow][mapping]") {
    // 8x8x4 in tiles of 2x4x4: four tiles of A (8 B each), two of B (16 B each); K is whole.
    //   rows outer: A once (32 B), B for each of four row tiles (128 B);  cols outer: A twice (64 B), B once (32 B)
    const auto limits = core(4, 4);
    const auto mapping = explicit_mapping(orient(gemm(8, 8, 4), ws), {2, 4, 4}, DataOrigin::hbm, limits);
    CHECK(mapping.cols_outer);
    CHECK(mapped_bytes(mapping, limits).x_fetched == 64);
    CHECK(mapped_bytes(mapping, limits).y_fetched == 32);
    // and the other way round in tiles of 4x2x4
    const auto other = explicit_mapping(orient(gemm(8, 8, 4), ws), {4, 2, 4}, DataOrigin::hbm, limits);
    CHECK_FALSE(other.cols_outer);
    CHECK(mapped_bytes(other, limits).x_fetched == 32);
    CHECK(mapped_bytes(other, limits).y_fetched == 64);
}

TEST_CASE("a tile that VMEM cannot hold is refused with what it would take", "[dataflow][mapping]") {
    auto limits = core(4, 4);
    limits.buffers = 2;
    const auto problem = orient(gemm(64, 64, 64, Format::int32), ws);
    // 16x8x32, two of each: 2 * 16 * 32 + 2 * 32 * 8 + 2 * 16 * 8 * 4 = 1024 + 512 + 1024
    limits.vmem_capacity = 2560;
    CHECK_NOTHROW(explicit_mapping(problem, {16, 8, 32}, DataOrigin::hbm, limits));
    limits.vmem_capacity = 2559;
    CHECK_THROWS_AS(explicit_mapping(problem, {16, 8, 32}, DataOrigin::hbm, limits), InputError);
    CHECK_THROWS_WITH(explicit_mapping(problem, {16, 8, 32}, DataOrigin::hbm, limits),
                      "tile 16x8x32 (MxNxK) needs 2560 bytes of VMEM with 2 buffers, it holds 2559 "
                      "(raise vmem.capacity or lower vmem.buffers)");
    // The message is in M, N and K whatever the dataflow.
    CHECK_THROWS_WITH(
        explicit_mapping(orient(gemm(64, 64, 64, Format::int32), is), {16, 8, 32}, DataOrigin::hbm, limits),
        Catch::Contains("tile 16x8x32 (MxNxK) needs 2560 bytes"));
}

TEST_CASE("a tile of the whole problem needs one buffer of each operand alone", "[dataflow][mapping]") {
    auto limits = core(4, 4);
    const auto problem = orient(gemm(16, 8, 32, Format::int32), ws);
    limits.vmem_capacity = 16 * 32 + 32 * 8 + 16 * 8 * 4; // there is no second tile to hold
    CHECK_NOTHROW(explicit_mapping(problem, {16, 8, 32}, DataOrigin::hbm, limits));
    --limits.vmem_capacity;
    CHECK_THROWS_AS(explicit_mapping(problem, {16, 8, 32}, DataOrigin::hbm, limits), InputError);
}

TEST_CASE("a tile that the accumulators cannot hold is refused with what it would take", "[dataflow][mapping]") {
    auto limits = core(4, 4);
    const auto problem = orient(gemm(64, 64, 64), ws);
    // K is cut: all 16x8 sums of the tile stay open from one K tile to the next.
    limits.accumulator_capacity = 16 * 8 * 4;
    CHECK_NOTHROW(explicit_mapping(problem, {16, 8, 32}, DataOrigin::hbm, limits));
    limits.accumulator_capacity = 511;
    CHECK_THROWS_WITH(explicit_mapping(problem, {16, 8, 32}, DataOrigin::hbm, limits),
                      "tile 16x8x32 (MxNxK) needs 512 bytes of accumulators, there are 511 "
                      "(raise accumulator.capacity)");
    // K is whole: only the 16x4 sums of one slice of columns are open at a time.
    limits.accumulator_capacity = 16 * 4 * 4;
    CHECK_NOTHROW(explicit_mapping(problem, {16, 8, 64}, DataOrigin::hbm, limits));
    limits.accumulator_capacity = 255;
    CHECK_THROWS_WITH(explicit_mapping(problem, {16, 8, 64}, DataOrigin::hbm, limits),
                      Catch::Contains("needs 256 bytes of accumulators, there are 255"));
}

TEST_CASE("operands that are to start in VMEM must fit as a whole", "[dataflow][mapping]") {
    auto limits = core(4, 4);
    const auto problem = orient(gemm(10, 20, 30, Format::int32), ws);
    limits.vmem_capacity = 10 * 30 + 30 * 20 + 10 * 20 * 4; // 1700, whatever the tile
    CHECK_NOTHROW(explicit_mapping(problem, {1, 1, 1}, DataOrigin::vmem, limits));
    limits.vmem_capacity = 1699;
    CHECK_THROWS_WITH(explicit_mapping(problem, {1, 1, 1}, DataOrigin::vmem, limits),
                      "the operands and the result need 1700 bytes of VMEM, it holds 1699 "
                      "(use --from hbm, or raise vmem.capacity)");
    CHECK_THROWS_WITH(naive_mappings(problem, DataOrigin::vmem, limits, memory),
                      Catch::Contains("need 1700 bytes of VMEM, it holds 1699"));
}

TEST_CASE("a memory too small for the smallest tile is an error, not an empty list", "[dataflow][mapping]") {
    auto limits = core(4, 4);
    limits.vmem_capacity = 10;
    // one row of A (4 B), 4x4 of B, one row of C: twice (4 + 16 + 4) B
    CHECK_THROWS_WITH(naive_mappings(orient(gemm(64, 64, 64), ws), DataOrigin::hbm, limits, memory),
                      "even the smallest tile 1x4x4 (MxNxK) needs 48 bytes of VMEM with 2 buffers, it holds 10 "
                      "(raise vmem.capacity or lower vmem.buffers)");
    limits.vmem_capacity = 48;
    CHECK_NOTHROW(naive_mappings(orient(gemm(64, 64, 64), ws), DataOrigin::hbm, limits, memory));
}

TEST_CASE("arrays share the columns unless rows keep more of them busy", "[dataflow][mapping]") {
    auto limits = core(4, 4);
    limits.array.count = 4;
    const auto split = [&](std::int64_t m, std::int64_t n, Dataflow flow) {
        return explicit_mapping(orient(gemm(m, n, 64), flow), {m, n, 64}, DataOrigin::hbm, limits).split_rows;
    };
    CHECK_FALSE(split(64, 16, ws)); // four slices of columns: all busy
    CHECK(split(64, 12, ws));       // three by columns, four by rows
    CHECK_FALSE(split(3, 12, ws));  // three by columns, three by rows
    CHECK(split(3, 8, ws));         // two by columns, three by rows
    CHECK(split(13, 12, os));       // output-stationary rows lie on the array: ceil(13 / 4) = 4
    CHECK_FALSE(split(12, 12, os)); // three by columns, three by rows
    CHECK(split(12, 64, is));       // is: columns are M, rows are N
}

TEST_CASE("every mapping of the list fits, the first one above all", "[dataflow][mapping]") {
    int kept = 0;
    check_property("fits", 500, [&] {
        const Draw draw = any_draw();
        const auto list = mappings_or_none(draw.problem, draw.from, draw.limits);
        for (const auto& mapping : list) {
            RC_ASSERT(fits(mapping, draw.limits));
            RC_ASSERT(mapping.from == draw.from);
            RC_ASSERT(mapping.tile.rows >= 1 && mapping.tile.rows <= draw.problem.rows);
            RC_ASSERT(mapping.tile.cols >= 1 && mapping.tile.cols <= draw.problem.cols);
            RC_ASSERT(mapping.tile.depth >= 1 && mapping.tile.depth <= draw.problem.depth);
        }
        kept += list.empty() ? 0 : 1;
    });
    CHECK(kept > 150);
}

TEST_CASE("a mapping for a smaller memory is in the list for a larger one", "[dataflow][mapping]") {
    int kept = 0;
    check_property("nests", 500, [&] {
        const Draw draw = any_draw();
        auto larger = draw.limits;
        const auto grow = [](Bytes& capacity) {
            if (capacity != unlimited)
                capacity += *rc::gen::inRange<Bytes>(0, 20'000);
        };
        grow(larger.vmem_capacity);
        grow(larger.accumulator_capacity);
        const auto few = mappings_or_none(draw.problem, draw.from, draw.limits);
        const auto many = mappings_or_none(draw.problem, draw.from, larger);
        RC_ASSERT(few.size() <= many.size());
        for (const auto& mapping : few)
            RC_ASSERT(contains(many, mapping));
        kept += few.empty() ? 0 : 1;
    });
    CHECK(kept > 150);
}

TEST_CASE("an unlimited memory can always hold the whole problem as one tile", "[dataflow][mapping]") {
    check_property("whole", 200, [] {
        Draw draw = any_draw();
        draw.limits.vmem_capacity = draw.limits.accumulator_capacity = unlimited;
        const auto list = naive_mappings(draw.problem, draw.from, draw.limits, memory);
        auto whole = list.front();
        whole.tile = draw.problem;
        whole.cols_outer = false;
        RC_ASSERT(contains(list, whole));
        // and that one moves every operand once, if at all
        const auto bytes = mapped_bytes(whole, draw.limits);
        const bool crosses = draw.from != DataOrigin::vmem; // else it lies there from the start
        const auto x = stored_bytes(draw.problem.rows * draw.problem.depth, draw.problem.x);
        const auto y = stored_bytes(draw.problem.depth * draw.problem.cols, draw.problem.y);
        RC_ASSERT(bytes.x_fetched == (crosses ? x : 0));
        RC_ASSERT(bytes.y_fetched == (crosses ? y : 0));
    });
}

TEST_CASE("int4 is half a byte, and a unit that moves alone ends at a whole one", "[dataflow][mapping]") {
    auto problem = gemm(5, 3, 3);
    problem.formats = {Format::int4, Format::int4, Format::int4};
    const auto limits = core(2, 2);
    Mapping mapping;
    mapping.problem = orient(problem, ws);
    mapping.tile = orient(Tile{1, 3, 3}, ws);
    mapping.cols_outer = true;
    const auto bytes = mapped_bytes(mapping, limits);
    // A: five rows, each a unit of 2 and one of 1 k: 1 + 1 bytes, where all of it packed is ceil(15 / 2) = 8.
    CHECK(bytes.x_fetched == 10);
    // B: units of 2x2, 2x1, 1x2 and 1x1 elements: 2 + 1 + 1 + 1 bytes; fetched once.
    CHECK(bytes.y_fetched == 5);
    // C: five rows, each a pass of 2 columns and one of 1.
    CHECK(bytes.out_stored == 10);
    // Each row of A is read for both column slices; B for each of the five row tiles.
    CHECK(bytes.x_streamed == 2 * 10);
    CHECK(bytes.y_streamed == 5 * 5);
    // With even extents it is exactly half of int8, resident tiles too.
    auto even = gemm(8, 8, 8);
    even.formats = problem.formats;
    const Mapping whole{.problem = orient(even, ws), .tile = orient(even, ws)};
    CHECK(mapped_bytes(whole, limits).x_fetched == 32);
    CHECK(mapped_bytes(whole, limits).y_streamed == 32);
    CHECK(vmem_need(whole, limits) == 3 * 32);
}
