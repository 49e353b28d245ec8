// Results that go through the vector unit on their way to VMEM, by hand. 2 x 2 PEs, ws, E = 1; R + C - 2 + E = 3.
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

Machine machine_with(int lanes) {
    Machine machine = ideal_machine(2, 2);
    machine.vector = {.lanes = lanes, .sublanes = 1, .alus = 1};
    return machine;
}

GemmProblem gelu(std::int64_t m, std::int64_t n, std::int64_t operations, std::int64_t bits = 0) {
    GemmProblem problem = gemm(m, n, 2);
    problem.epilogue = {operations, bits};
    return problem;
}

Cycles cycles_of(const OperatorResult& result, Cause cause) { return result.stack[cause] / 4; }

} // namespace

TEST_CASE("a vector unit that keeps up with the array costs nothing") {
    // 2 cycles of load, 4 vectors in cycles 2 to 5; results of two columns leave in 5 to 8. 2 outputs a cycle of one
    // operation: two lanes do them as they come.
    for_each_engine([](EngineKind engine) {
        const auto result = run_from_vmem(machine_with(2), gelu(4, 2, 1), ws, engine);
        CHECK(result.cycles == 9);
        CHECK(result.stack[Cause::vector] == 0);
        CHECK(result.roofline.t_vector_s == 4e-9); // 8 outputs, two a cycle
    });
}

TEST_CASE("what the vector unit takes longer than the array is booked under it") {
    // 8 outputs of 3 operations on 2 lanes: 12 cycles from cycle 5 on, to 16. The array was done in 8.
    for_each_engine([](EngineKind engine) {
        const auto result = run_from_vmem(machine_with(2), gelu(4, 2, 3), ws, engine);
        CHECK(result.cycles == 17);
        CHECK(cycles_of(result, Cause::vector) == 8);
        CHECK(cycles_of(result, Cause::fill_drain) == 3);
        CHECK(cycles_of(result, Cause::stationary_load) == 2);
        CHECK(result.stack.total() == result.pe_slots);
        CHECK(result.roofline.bound == "vector");
    });
}

TEST_CASE("passes go through the vector unit one behind the other") {
    // Two passes of 4 vectors: results leave in 5 to 8 and in 9 to 12. The unit takes 12 cycles for each: 5 to 16, 17
    // to 28.
    for_each_engine([](EngineKind engine) {
        const auto result = run_from_vmem(machine_with(2), gelu(4, 4, 3), ws, engine);
        CHECK(result.cycles == 29);
        CHECK(cycles_of(result, Cause::vector) == 28 - 12);
    });
}

TEST_CASE("a pass that waits for accumulators waits for the vector unit that holds them") {
    // Accumulators for one pass of 8 outputs of 4 bytes. The first pass is through the vector unit with cycle 16, in
    // VMEM at once, so the second begins in 17 where it could have in 6: it waits for the wave until 8, then for the
    // unit, 9 to
    // 16. It streams in 17 to 20, its results leave in 20 to 23 and take the unit 20 to 31.
    Machine machine = machine_with(2);
    machine.accumulator_capacity = 8 * 4;
    for_each_engine([&](EngineKind engine) {
        const auto result = run_one(machine, gelu(4, 4, 3), [&] {
            auto options = run_options(engine, ws, DataOrigin::vmem);
            options.tile = Tile{4, 2, 2};
            return options;
        }());
        CHECK(result.cycles == 32);
        CHECK(cycles_of(result, Cause::vector) == 8 + 8);
        CHECK(cycles_of(result, Cause::fill_drain) == 3 + 3);
    });
}

TEST_CASE("what an epilogue reads goes through VMEM's port with the results") {
    // A byte of another operand for each of 8 outputs, besides a byte of the result.
    for_each_engine([](EngineKind engine) {
        const auto plain = run_from_vmem(machine_with(2), gelu(4, 2, 1), ws, engine);
        const auto reads = run_from_vmem(machine_with(2), gelu(4, 2, 1, 8), ws, engine);
        CHECK(reads.cycles == plain.cycles); // VMEM is ideal
        CHECK(reads.traffic.vmem.read.vector == 8);
        CHECK(plain.traffic.vmem.read.vector == 0);
        Machine narrow = machine_with(2);
        narrow.vmem.bandwidth = 4;
        const auto limited = run_from_vmem(narrow, gelu(4, 2, 1, 64), ws, engine);
        CHECK(limited.traffic.vmem.read.vector == 64);
        // 8 + 64 bytes. While vectors of 2 bytes stream, to cycle 5, 2 bytes are left; then 4: 2 + 70, in 5 and 6
        // to 23.
        CHECK(limited.cycles == 24);
    });
}

TEST_CASE("an epilogue beyond what 64 bits count is refused") {
    CHECK_THROWS_WITH(run_from_vmem(machine_with(2), gelu(4, 2, 5000), ws, EngineKind::tile),
                      Catch::Contains("an epilogue of 5000 operations"));
}
