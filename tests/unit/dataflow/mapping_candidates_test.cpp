// The lists that mappings are looked for in.
#include <algorithm>
#include <set>
#include <tuple>

#include "dataflow/mapping_candidates.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool, bool>;

std::multiset<Key> keys(const std::vector<Mapping>& list) {
    std::multiset<Key> all;
    for (const auto& m : list)
        all.insert({m.tile.rows, m.tile.cols, m.tile.depth, m.cols_outer, m.split_rows});
    return all;
}

CoreLimits core(int rows, int cols, int count = 1) {
    CoreLimits limits;
    limits.array.rows = rows;
    limits.array.cols = cols;
    limits.array.count = count;
    return limits;
}

std::vector<Mapping> candidates(const OrientedGemm& problem, const CoreLimits& limits, CandidateList list) {
    return mapping_candidates(problem, DataOrigin::hbm, limits, list);
}

std::set<std::int64_t> column_extents(const std::vector<Mapping>& list) {
    std::set<std::int64_t> extents;
    for (const auto& m : list)
        extents.insert(m.tile.cols);
    return extents;
}

} // namespace

TEST_CASE("plain extents are the array's doubled, rich ones the even parts besides", "[dataflow][mapping]") {
    // 100 columns on 16: 16, 32, 64 and all; in 2, 3, 4, 5, 6, 7 parts 50, 34, 25, 20, 17, 15, rounded up to 64, 48,
    // 32, 32, 32, 16
    const auto problem = orient(gemm(1, 100, 1), ws);
    CHECK(column_extents(candidates(problem, core(16, 16), CandidateList::plain)) ==
          std::set<std::int64_t>{16, 32, 64, 100});
    CHECK(column_extents(candidates(problem, core(16, 16), CandidateList::rich)) ==
          std::set<std::int64_t>{16, 32, 48, 64, 100});
    // 1000 on 16 are 63 blocks: in 12, 16, 24, 32 and 48 parts 84, 63, 42, 32 and 21, rounded up to 96, 64, 48, 32, 32
    const auto wide = column_extents(candidates(orient(gemm(1, 1000, 1), ws), core(16, 16), CandidateList::rich));
    for (const std::int64_t extent : {96, 64, 48, 32, 16, 512, 336, 256, 208, 176, 144, 128, 1000})
        CHECK(wide.contains(extent));
    CHECK(wide.size() == 13);
}

TEST_CASE("the rich list holds the plain one, and nothing twice", "[dataflow][mapping]") {
    check_property("lists", 200, [] {
        using rc::gen::inRange;
        const auto problem =
            orient(gemm(*inRange(1, 90), *inRange(1, 90), *inRange(1, 90)), *rc::gen::element(ws, os, is));
        const auto limits = core(*inRange(1, 9), *inRange(1, 9), *inRange(1, 4));
        const auto plain = keys(candidates(problem, limits, CandidateList::plain));
        const auto rich = keys(candidates(problem, limits, CandidateList::rich));
        RC_ASSERT(std::includes(rich.begin(), rich.end(), plain.begin(), plain.end()));
        for (const auto& key : rich)
            RC_ASSERT(rich.count(key) == 1U);
    });
}

TEST_CASE("arrays may share rows or columns, even where that leaves some idle", "[dataflow][mapping]") {
    const auto shares = [](const GemmProblem& problem, CandidateList list = CandidateList::rich) {
        std::set<bool> split_rows;
        for (const auto& m : candidates(orient(problem, ws), core(4, 4, 2), list))
            split_rows.insert(m.split_rows);
        return split_rows;
    };
    CHECK(shares(gemm(8, 8, 4)) == std::set<bool>{false, true});
    CHECK(shares(gemm(8, 4, 4), CandidateList::plain) == std::set<bool>{true});
    CHECK(shares(gemm(1, 8, 4), CandidateList::plain) == std::set<bool>{false});
    CHECK(shares(gemm(8, 4, 4)) == std::set<bool>{false, true}); // four columns are one array's
    CHECK(shares(gemm(1, 8, 4)) == std::set<bool>{false, true}); // one row cannot be shared
}
