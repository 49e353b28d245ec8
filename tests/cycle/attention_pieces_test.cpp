// Flash attention in pieces: what each is of, and what crosses HBM, by hand.
#include <catch2/catch.hpp>

#include "sim/engine/attention_pieces.h"
#include "sim/engine/network_run.h"
#include "tests/support/attention.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// One head of 4 int8 elements, 12 queries in 3 blocks of 4, which see 4, 8 and 12 keys: Q, K, V and O are 48 bytes
// each.
const AttentionShape three_blocks{
    .queries = 12, .dim = 4, .flash = true, .causal = true, .query_block = 4, .format = Format::int8};

using Rows = std::vector<std::vector<std::int64_t>>;

// Row, rows, key, keys of each product of scores.
Rows scores_of(const std::vector<AttentionPiece>& pieces) {
    Rows rows;
    for (const auto& [task, kept, part] : pieces) {
        const auto* matrix = std::get_if<MatrixTask>(&task);
        if (matrix && matrix->b_transposed)
            rows.push_back({part.row, part.rows, part.key, part.keys});
    }
    return rows;
}

LevelTraffic hbm_traffic(const AttentionShape& shape, Bytes vmem) {
    Machine machine = ideal_machine(4, 4);
    machine.hbm.bandwidth = 1'000'000'000; // a byte a cycle
    machine.vmem.capacity = vmem;
    const auto network = attention_network(shape);
    auto options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    options.tile = Tile{1 << 20, 1 << 20, 1 << 20}; // one for each product: it reads its operands once
    return simulate_network(machine, network, lower(network), options).total.traffic.hbm;
}

} // namespace

TEST_CASE("rows of several blocks do each key once, for the rows that see it") {
    const auto lowered = lower(attention_network(three_blocks));
    const auto pieces = attention_pieces(lowered.operators.front(), {.rows = 6, .keys = 3});
    const Rows expected{{0, 6, 0, 3}, {0, 6, 3, 1}, // rows 0 to 5: all of block 0, and 2 rows of block 1
                        {4, 2, 4, 3}, {4, 2, 7, 1}, // its keys beyond the 4 of block 0
                        {6, 6, 0, 3}, {6, 6, 3, 3},
                        {6, 6, 6, 2},                 // 2 rows of block 1, all of block 2: the 8 keys of block 1,
                        {8, 4, 8, 3}, {8, 4, 11, 1}}; // and those beyond
    CHECK(scores_of(pieces) == expected);
    // Scores, softmax and values of 9 pieces, 7 of which are added to an earlier one; a division for each 6 rows.
    CHECK(pieces.size() == 3 * 9 + 7 + 2);
}

TEST_CASE("whole rows begin with the block that sees all keys, and the others find keys and values in VMEM") {
    const auto lowered = lower(attention_network(three_blocks));
    const auto pieces = attention_pieces(lowered.operators.front(), {.room = 80, .keeps_pairs = true});
    // A row of the last block is 12 scores, 12 probabilities and 4 sums of 4 bytes: 40, so 80 bytes hold 2; 8 + 8 + 16
    // = 32 and 4 + 4 + 16 = 24 of the others: 2 and 3, which makes two pieces of 2.
    CHECK(scores_of(pieces) ==
          Rows{{8, 2, 0, 12}, {10, 2, 0, 12}, {4, 2, 0, 8}, {6, 2, 0, 8}, {0, 2, 0, 4}, {2, 2, 0, 4}});
    CHECK(pieces.size() == 4 * 6);
    for (std::size_t i = 0; i < pieces.size(); i += 4) {
        CHECK(pieces[i].kept[1].as.bytes == 48);
        CHECK(pieces[i].kept[1].first == (i == 0));
        CHECK(pieces[i + 2].kept[1].as.bytes == 48);
        CHECK(pieces[i + 2].kept[1].first == (i == 0));
    }
}

TEST_CASE("three blocks whose keys stay in VMEM read queries, keys and values once and write the output once") {
    // Half of 1 KiB is for what stays: K and V, 96 bytes, in a half of that, a piece in the other: 256 / 40 = 6 rows.
    for (const Bytes vmem : {Bytes{1024}, Bytes{unlimited}}) {
        const auto traffic = hbm_traffic(three_blocks, vmem);
        CHECK(traffic.read.total() == 48 + 2 * 48);
        CHECK(traffic.write.total() == 48);
    }
}

TEST_CASE("three blocks without room for their keys read those that each block sees, and write the output once") {
    // Half of 480 bytes holds 4 rows of 60 with all keys (4 of a query, 12 scores, 12 probabilities, twice 16 of sums),
    // a block; 4 rows of 40 and 96 of keys and values would be 256.
    const auto traffic = hbm_traffic(three_blocks, 480);
    CHECK(traffic.read.total() == 48 + 2 * 4 * (4 + 8 + 12));
    CHECK(traffic.write.total() == 48);
}
