#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/report/sparsity_gain.h"

using namespace systole;

namespace {

// On 4x4 PEs, from HBM.
OperatorResult run(SparsePattern sparsity, Cycles cycles) {
    OperatorResult result;
    result.name = "ffn";
    result.m = 8;
    result.n = 4;
    result.k = 16;
    result.sparsity = sparsity;
    result.cycles = cycles;
    result.pe_slots = 16 * cycles;
    return result;
}

struct Runs {
    OperatorResult dense = run(dense_pattern, 100);
    OperatorResult sparse = run({2, 4}, 61);

    Runs() {
        dense.passes = 4;
        dense.stack[Cause::useful] = 64 * 16;
        dense.stack[Cause::fill_drain] = 7 * 16;
        dense.stack[Cause::hbm_bandwidth] = 29 * 16;
        dense.traffic.hbm.read = {.a = 128, .b = 64};
        sparse.passes = 2;
        sparse.stack[Cause::useful] = 32 * 16;
        sparse.stack[Cause::fill_drain] = 7 * 16;
        sparse.stack[Cause::hbm_bandwidth] = 22 * 16;
        sparse.traffic.hbm.read = {.a = 128, .b = 32, .meta = 8};
    }
};

std::string all(const SparsityGain& gain) {
    std::string text;
    for (const auto& sentence : gain.sentences)
        text += sentence + "\n";
    return text;
}

} // namespace

TEST_CASE("eta is half of the speed-up of 2:4") {
    const Runs pair;
    const auto gain = sparsity_gain(pair.dense, pair.sparse);
    CHECK(gain.speed_up == Approx(100.0 / 61));
    CHECK(gain.best == 2);
    CHECK(gain.eta == Approx(50.0 / 61));
}

TEST_CASE("causes sum to the cycles of both runs and to what is lost, exactly") {
    const Runs pair;
    const auto gain = sparsity_gain(pair.dense, pair.sparse);
    Cycles dense = 0, sparse = 0, lost = 0;
    for (const auto& one : gain.causes) {
        dense += one.dense;
        sparse += one.sparse;
        lost += one.lost;
    }
    CHECK(dense == 100);
    CHECK(sparse == 61);
    CHECK(lost == 11); // 61 - 100 / 2
    CHECK(gain.lost_cycles == 11);
    REQUIRE(gain.causes.size() == 3);
    CHECK(gain.causes[0] == SparsityCause{Cause::useful, 64, 32, 0});
    CHECK(gain.causes[1] == SparsityCause{Cause::fill_drain, 7, 7, 4}); // up to here dense has 71, half of it 35
    CHECK(gain.causes[2] == SparsityCause{Cause::hbm_bandwidth, 29, 22, 7});
}

TEST_CASE("sentences name what ate the rest") {
    const Runs pair;
    const auto text = all(sparsity_gain(pair.dense, pair.sparse));
    CHECK_THAT(text, Catch::Contains("Fill and drain take as long as without sparsity: 4 cycles"));
    CHECK_THAT(text, Catch::Contains("HBM: 7 cycles lost"));
    CHECK_THAT(text, Catch::Contains("8 bytes of indices"));
    CHECK_THAT(text, !Catch::Contains("VMEM"));
}

TEST_CASE("K <= R: the array takes as many passes") {
    Runs pair;
    pair.sparse = run({2, 4}, 100);
    pair.dense.passes = pair.sparse.passes = 1;
    pair.sparse.stack[Cause::useful] = 32 * 16;
    pair.sparse.stack[Cause::padding] = 68 * 16;
    const auto gain = sparsity_gain(pair.dense, pair.sparse);
    CHECK(gain.speed_up == 1);
    CHECK(gain.eta == 0.5);
    CHECK_THAT(all(gain), Catch::Contains("as many passes (1)"));
}

TEST_CASE("as many passes: vectors are no wider, and a total has no K") {
    Runs pair;
    pair.dense.passes = pair.sparse.passes = 1;
    pair.sparse.stack[Cause::vmem] = 22 * 16; // instead of waiting for HBM
    pair.sparse.stack[Cause::hbm_bandwidth] = 0;
    CHECK_THAT(all(sparsity_gain(pair.dense, pair.sparse)),
               Catch::Contains("read as many activations") && !Catch::Contains("times the bandwidth"));
    pair.sparse.passes = 2;
    CHECK_THAT(all(sparsity_gain(pair.dense, pair.sparse)), Catch::Contains("2 times the bandwidth"));
    pair.sparse.passes = 1;
    pair.dense.k = pair.sparse.k = 0;
    CHECK_THAT(all(sparsity_gain(pair.dense, pair.sparse)),
               Catch::Contains("K gives its rows") && !Catch::Contains("K = 0"));
}

TEST_CASE("a run that gains more than its MACs is told why") {
    Runs pair;
    pair.sparse = run({2, 4}, 40);
    pair.sparse.passes = 2;
    pair.sparse.stack[Cause::useful] = 32 * 16;
    pair.sparse.stack[Cause::fill_drain] = 7 * 16;
    pair.sparse.stack[Cause::hbm_bandwidth] = 1 * 16;
    pair.sparse.traffic.hbm.read = {.a = 64, .b = 16, .meta = 4}; // 192 bytes / 84 = 2.286
    const auto gain = sparsity_gain(pair.dense, pair.sparse);
    CHECK(gain.eta == Approx(1.25)); // 100 / 40 / 2
    // Dense waits 29 cycles for HBM, half of it (50 - 35 of the cumulated) is 15, the sparse run 1: 14 fewer
    CHECK_THAT(all(gain), Catch::Contains("eta is above 1, as hbm_bandwidth has shrunk by 14 cycles more") &&
                              Catch::Contains("HBM moves 2.286 times fewer bytes"));
    pair.sparse.traffic.hbm.read = {.a = 128, .b = 32, .meta = 8};
    CHECK_THAT(all(sparsity_gain(pair.dense, pair.sparse)), !Catch::Contains("fewer bytes"));
}

TEST_CASE("a pair of runs: every operator and the whole") {
    const Runs pair;
    RunResult dense, sparse;
    dense.chip = "card";
    dense.engine = "tile";
    dense.operators = {pair.dense, pair.dense};
    dense.total = pair.dense;
    dense.total.name = "total";
    sparse.operators = {pair.sparse, pair.sparse};
    sparse.total = pair.sparse;
    const auto text = sparsity_pair_text(dense, sparse);
    CHECK_THAT(text, Catch::Contains("ffn, 8 x 4 x 16 (M x N x K), ws, from hbm") && Catch::Contains("total, 8"));
    const auto json = Json::parse(sparsity_pair_json(dense, sparse));
    CHECK(json["operators"].size() == 2);
    CHECK(json["operators"][1]["name"] == "ffn");
    CHECK(json["operators"][1]["dense"]["cycles"] == 100);
    CHECK(json["operators"][1]["sparse"]["sparsity"] == "2:4");
    CHECK(json["total"]["speed_up"].get<double>() == Approx(100.0 / 61));
}

TEST_CASE("two runs that do not belong together are refused") {
    const Runs pair;
    CHECK_THROWS_AS(sparsity_gain(pair.dense, pair.dense), InternalError);
    auto other = pair.sparse;
    other.k = 32;
    CHECK_THROWS_AS(sparsity_gain(pair.dense, other), InternalError);
}

TEST_CASE("text and JSON of a gain") {
    const Runs pair;
    const auto gain = sparsity_gain(pair.dense, pair.sparse);
    const auto text = sparsity_gain_text(gain);
    CHECK_THAT(text, Catch::Contains("speed-up 1.6393 beside the MACs' 2, eta = speed-up / 2 = 0.8197"));
    CHECK_THAT(text, Catch::Contains("beyond 2/4"));
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = text.find('\n', begin);
        CHECK(end - begin <= 80);
        begin = end + 1;
    }
    const auto json = sparsity_gain_json(gain);
    CHECK(json["eta"].get<double>() == Approx(50.0 / 61));
    CHECK(json["causes"][1]["cause"] == "fill_drain");
    CHECK(json["causes"][1]["lost_cycles"] == 4);
    CHECK(json["bytes"]["meta"] == 8);
}
