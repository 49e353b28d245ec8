// What the passes of a convolution bring into VMEM, pixel by pixel.
#include <map>
#include <set>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "dataflow/map_bytes.h"
#include "dataflow/operand_transfer.h"
#include "dataflow/schedule.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

using Pixels = std::set<std::int64_t>; // elements of the map

// The pixels of a part of the map, as the DMA asks for them; each once.
Pixels pixels_of(const OrientedGemm& gemm, const MapPart& part, std::int64_t instance, Bytes burst) {
    const FeatureMap map(*gemm.window);
    const auto group = gemm.window->channels * map.channel_elements();
    OperandTransfer transfer(
        map, part, {.base = 0, .first = instance * group, .image_elements = gemm.count * group, .element_bits = 8},
        burst);
    const auto bytes = transfer.left();
    const auto requests = transfer.requests();
    std::int64_t asked = 0;
    Pixels pixels;
    while (!transfer.done()) {
        const auto request = transfer.next();
        ++asked;
        RC_ASSERT(request.bytes > 0);
        RC_ASSERT(request.bytes <= burst);
        const auto piece = request.piece_bytes > 0 ? request.piece_bytes : request.bytes;
        for (Bytes i = 0; i < request.bytes; ++i) {
            const auto at = static_cast<Bytes>(request.address) + i / piece * request.pitch + i % piece;
            RC_ASSERT(pixels.insert(at).second);
        }
    }
    RC_ASSERT(asked == requests);
    RC_ASSERT(static_cast<Bytes>(pixels.size()) == bytes);
    return pixels;
}

// The pixels that a pass reads: of rows of A and columns of A, those inside the map.
Pixels read_by(const OrientedGemm& gemm, const Pass& pass) {
    const auto& w = *gemm.window;
    const bool stationary = gemm.dataflow == Dataflow::input_stationary;
    const auto first = gemm.window_begin + (stationary ? pass.col_begin : pass.row_begin);
    const auto rows = stationary ? pass.col_count : pass.row_count;
    Pixels pixels;
    for (auto m = first; m < first + rows; ++m) {
        const auto b = m / (w.outputs[0] * w.outputs[1]);
        const auto y = m / w.outputs[1] % w.outputs[0], x = m % w.outputs[1];
        for (auto k = pass.depth_begin; k < pass.depth_begin + pass.depth_count; ++k) {
            const auto c = k / w.taps(), i = k / w.kernel[1] % w.kernel[0], j = k % w.kernel[1];
            const auto row = y * w.stride[0] + i * w.dilation[0] - w.padding.top;
            const auto col = x * w.stride[1] + j * w.dilation[1] - w.padding.left;
            if (row < 0 || row >= w.height || col < 0 || col >= w.width)
                continue;
            const auto plane = (b * gemm.count + pass.instance) * w.channels + c;
            pixels.insert((plane * w.height + row) * w.width + col);
        }
    }
    return pixels;
}

bool includes(const Pixels& all, const Pixels& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

struct Drawn {
    Mapping mapping;
    CoreLimits limits;
};

Drawn any_mapping() {
    auto drawn = *any_convolution_case({.largest_array = 5, .largest_dimension = 9});
    drawn.a = Format::int8;
    auto problem = drawn.problem();
    const auto machine = drawn.machine();
    CoreLimits limits{.array = machine.array, .q = drawn.rate};
    limits.array.count = drawn.arrays;
    auto gemm = orient(problem, drawn.dataflow);
    gemm.x_home = gemm.y_home = gemm.out_home = Home::origin;
    // A share that does not begin with the first output.
    auto& rows = drawn.dataflow == is ? gemm.cols : gemm.rows;
    gemm.window_begin = *rc::gen::inRange<std::int64_t>(0, rows);
    rows -= gemm.window_begin;
    gemm.window_cut = *rc::gen::arbitrary<bool>();
    const auto extent = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
    auto tile = gemm;
    tile.rows = extent(gemm.rows);
    tile.cols = extent(gemm.cols);
    const auto group = gemm.sparsity.group;
    tile.depth = std::min(gemm.depth, extent(ceil_div(gemm.depth, group)) * group);
    return {{.problem = gemm,
             .tile = tile,
             .cols_outer = *rc::gen::arbitrary<bool>(),
             .split_rows = *rc::gen::arbitrary<bool>(),
             .from = DataOrigin::hbm},
            limits};
}

const UnitRef& unit_of_a(const OrientedGemm& gemm, const Pass& pass) { return gemm.dataflow == is ? pass.y : pass.x; }

} // namespace

TEST_CASE("each pixel that a pass reads is in its tile, brought there once", "[schedule][window]") {
    check_property("pixels of tiles", 600, [] {
        const auto [mapping, limits] = any_mapping();
        const auto& gemm = mapping.problem;
        const auto burst = *rc::gen::element<Bytes>(4096, 16, 5);
        std::int64_t sequence = -1;
        Pixels tile;
        Bytes fetched = 0, largest = 0;
        for (PassCursor cursor(mapping, limits); !cursor.done(); cursor.next()) {
            const auto& unit = unit_of_a(gemm, cursor.pass());
            if (unit.sequence != sequence)
                tile.clear();
            sequence = unit.sequence;
            if (unit.fetch) {
                const auto brought = pixels_of(gemm, unit.part, cursor.pass().instance, burst);
                RC_ASSERT(static_cast<Bytes>(brought.size()) == unit.brought);
                for (const auto pixel : brought)
                    RC_ASSERT(tile.insert(pixel).second);
                fetched += unit.brought;
            }
            RC_ASSERT(includes(tile, read_by(gemm, cursor.pass())));
            largest = std::max(largest, static_cast<Bytes>(tile.size()));
        }
        const auto bytes = mapped_bytes(mapping, limits);
        RC_ASSERT(fetched == (gemm.dataflow == is ? bytes.y_fetched : bytes.x_fetched));
        RC_ASSERT(largest <= map_bytes(mapping, limits).tile);
    });
}

TEST_CASE("a tile's room does not depend on where a core's share begins", "[schedule][window]") {
    check_property("cut", 400, [] {
        auto [mapping, limits] = any_mapping();
        mapping.problem.window_cut = true;
        const auto room = map_bytes(mapping, limits).tile;
        auto first = mapping;
        first.problem.window_begin = 0;
        RC_ASSERT(map_bytes(first, limits).tile == room);
        mapping.problem.window_cut = false;
        RC_ASSERT(map_bytes(mapping, limits).tile <= room);
    });
}

TEST_CASE("over the link each pixel row comes once, before it is read", "[schedule][window]") {
    check_property("first visits", 600, [] {
        const auto [mapping, limits] = any_mapping();
        const auto& gemm = mapping.problem;
        Pixels visited;
        for (PassCursor cursor(mapping, limits); !cursor.done(); cursor.next()) {
            const auto& unit = unit_of_a(gemm, cursor.pass());
            if (unit.fetch && unit.first_visit) {
                for (const auto pixel : pixels_of(gemm, unit.first_part, cursor.pass().instance, 4096))
                    RC_ASSERT(visited.insert(pixel).second);
            }
            if (unit.fetch) // what is fetched is there
                RC_ASSERT(includes(visited, pixels_of(gemm, unit.part, cursor.pass().instance, 4096)));
        }
        RC_ASSERT(static_cast<Bytes>(visited.size()) == gemm.count * map_bytes(mapping, limits).visited);
    });
}

TEST_CASE("half bytes of a feature map are moved once, unit by unit", "[schedule][window]") {
    check_property("int4", 300, [] {
        auto [mapping, limits] = any_mapping();
        auto& gemm = mapping.problem;
        (gemm.dataflow == is ? gemm.y : gemm.x) = Format::int4;
        const FeatureMap map(*gemm.window);
        const auto group = gemm.window->channels * map.channel_elements();
        Bytes fetched = 0;
        for (PassCursor cursor(mapping, limits); !cursor.done(); cursor.next()) {
            const auto& unit = unit_of_a(gemm, cursor.pass());
            OperandTransfer transfer(map, unit.part,
                                     {.base = 0,
                                      .first = cursor.pass().instance * group,
                                      .image_elements = gemm.count * group,
                                      .element_bits = 4},
                                     16);
            RC_ASSERT(transfer.left() == unit.brought);
            RC_ASSERT(unit.brought == ceil_div(map.elements(unit.part), 2));
            Bytes moved = 0;
            while (!transfer.done()) {
                const auto request = transfer.next();
                const auto last = request.piece_bytes > 0
                                      ? (request.bytes / request.piece_bytes - 1) * request.pitch + request.piece_bytes
                                      : request.bytes;
                RC_ASSERT(static_cast<Bytes>(request.address) + last <=
                          ceil_div(gemm.count * gemm.window->pixels(), 2));
                moved += request.bytes;
            }
            RC_ASSERT(moved == unit.brought);
            fetched += unit.fetch ? moved : 0;
        }
        const auto bytes = mapped_bytes(mapping, limits);
        RC_ASSERT(fetched == (gemm.dataflow == is ? bytes.y_fetched : bytes.x_fetched));
    });
}
