// Bytes and accesses inside the core, counted by hand. One byte an operand, four a partial sum.
//
// A MAC reads A, B and the partial sum once. A streamed operand is written once per MAC it serves, a partial sum once
// per MAC. Row r of a stationary tile is written in r + 1 registers on its way: n' * k' * (k' + 1) / 2 for a tile of
// k' x n'.
#include <catch2/catch.hpp>

#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// 4x4: ragged in every dimension.
const GemmProblem ragged = gemm(5, 6, 7);
constexpr std::int64_t ragged_macs = 5 * 6 * 7;
constexpr Bytes psum_bytes = 4;

} // namespace

TEST_CASE("register accesses of a weight-stationary run") {
    for_each_engine([&](EngineKind engine) {
        const LevelTraffic pe = run_from_vmem(ideal_machine(4, 4), ragged, ws, engine).traffic.pe;
        CHECK(pe.read.a == ragged_macs);
        CHECK(pe.read.b == ragged_macs);
        CHECK(pe.read.psum == ragged_macs * psum_bytes);
        CHECK(pe.write.a == ragged_macs);
        // tiles k' x n': 4x4, 4x2, 3x4, 3x2
        const std::int64_t loaded = 4 * 10 + 2 * 10 + 4 * 6 + 2 * 6;
        CHECK(pe.write.b == loaded);
        CHECK(pe.write.psum == ragged_macs * psum_bytes);
        CHECK(pe.accesses == 3 * ragged_macs + 2 * ragged_macs + loaded);
    });
}

TEST_CASE("register accesses of an input-stationary run") {
    for_each_engine([&](EngineKind engine) {
        const LevelTraffic pe = run_from_vmem(ideal_machine(4, 4), ragged, is, engine).traffic.pe;
        CHECK(pe.read.a == ragged_macs);
        CHECK(pe.read.b == ragged_macs);
        CHECK(pe.read.psum == ragged_macs * psum_bytes);
        // tiles k' x m': 4x4, 4x1, 3x4, 3x1
        const std::int64_t loaded = 4 * 10 + 1 * 10 + 4 * 6 + 1 * 6;
        CHECK(pe.write.a == loaded);
        CHECK(pe.write.b == ragged_macs);
        CHECK(pe.write.psum == ragged_macs * psum_bytes);
        CHECK(pe.accesses == 3 * ragged_macs + 2 * ragged_macs + loaded);
    });
}

TEST_CASE("register accesses of an output-stationary run") {
    Machine machine = ideal_machine(4, 4);
    for_each_engine([&](EngineKind engine) {
        // tiles m' x n': 4x4, 4x2, 1x4, 1x2; along the columns a result in row i of m' is written m' - i times
        const std::int64_t along_columns = 4 * 10 + 2 * 10 + 4 * 1 + 2 * 1;
        const std::int64_t along_rows = 4 * 10 + 4 * 3 + 1 * 10 + 1 * 3;
        for (const auto& [axis, drained] :
             {std::pair{DrainAxis::columns, along_columns}, std::pair{DrainAxis::rows, along_rows},
              std::pair{DrainAxis::none, std::int64_t{0}}}) {
            machine.array.drain_axis = axis;
            const LevelTraffic pe = run_from_vmem(machine, ragged, os, engine).traffic.pe;
            CHECK(pe.read.a == ragged_macs);
            CHECK(pe.read.b == ragged_macs);
            CHECK(pe.read.psum == ragged_macs * psum_bytes);
            CHECK(pe.write.a == ragged_macs);
            CHECK(pe.write.b == ragged_macs);
            CHECK(pe.write.psum == (ragged_macs + drained) * psum_bytes);
            CHECK(pe.accesses == 3 * ragged_macs + 3 * ragged_macs + drained);
        }
    });
}

TEST_CASE("VMEM bytes: the stationary operand is read once, the streamed one once per column tile") {
    for_each_engine([&](EngineKind engine) {
        const LevelTraffic weights = run_from_vmem(ideal_machine(4, 4), ragged, ws, engine).traffic.vmem;
        CHECK(weights.read.a == 5 * 7 * 2); // ceil(N/C) = 2
        CHECK(weights.read.b == 7 * 6);
        CHECK(weights.write.c == 5 * 6);
        const LevelTraffic inputs = run_from_vmem(ideal_machine(4, 4), ragged, is, engine).traffic.vmem;
        CHECK(inputs.read.a == 5 * 7);
        CHECK(inputs.read.b == 7 * 6 * 2); // ceil(M/C) = 2
        CHECK(inputs.write.c == 5 * 6);
        const LevelTraffic outputs = run_from_vmem(ideal_machine(4, 4), ragged, os, engine).traffic.vmem;
        CHECK(outputs.read.a == 5 * 7 * 2); // ceil(N/C) = 2
        CHECK(outputs.read.b == 7 * 6 * 2); // ceil(M/R) = 2
        CHECK(outputs.write.c == 5 * 6);
    });
}

TEST_CASE("a result stored as int32 is four bytes an element, and nothing else is written to VMEM") {
    for_each_engine([&](EngineKind engine) {
        const Traffic traffic = run_from_vmem(ideal_machine(4, 4), gemm(5, 6, 7, Format::int32), ws, engine).traffic;
        CHECK(traffic.vmem.write.c == 4 * 5 * 6);
        CHECK(traffic.vmem.write.total() == 4 * 5 * 6);
        CHECK(traffic.hbm == LevelTraffic{});
        CHECK(traffic.pcie == LevelTraffic{});
    });
}
