// The vector unit by hand (docs/model.md, "The vector unit"): 4 lanes with one ALU, so a register holds 4 elements, and
// blocks of 3 registers, 12 elements of a byte: 24 would be more than the 16 bytes that the DMA may have in flight.
#include <catch2/catch.hpp>

#include "sim/engine/vector_run.h"
#include "tests/support/machines.h"
#include "tests/support/timeline_log.h"

using namespace systole;
using namespace systole::test;

namespace {

Machine small_machine() {
    Machine machine = ideal_machine(4, 4);
    machine.vector = {.lanes = 4, .sublanes = 1, .alus = 1};
    machine.dma.burst_bytes = 16;
    machine.dma.outstanding = 1;
    return machine;
}

// 36 elements in 3 blocks, `operations` each, from one byte to one.
VectorProblem three_blocks(std::int64_t operations) {
    return {.name = "three blocks",
            .function = "gelu",
            .elements = 36,
            .operations_per_element = operations,
            .format = Format::int8,
            .reads = {{36, Home::origin}},
            .writes = {{36, Home::origin}}};
}

OperatorResult run_from(DataOrigin from, const Machine& machine, const VectorProblem& problem) {
    RunOptions options;
    options.from = from;
    return run_vector(machine, problem, options);
}

using Parts = std::vector<std::pair<Cause, Cycles>>;

// The run takes the parts' cycles and no others.
void check_parts(const OperatorResult& result, const Parts& parts, std::int64_t slots_per_cycle) {
    CycleStack expected;
    Cycles cycles = 0;
    for (const auto& [cause, count] : parts) {
        expected[cause] = count * slots_per_cycle;
        cycles += count;
    }
    CHECK(result.cycles == cycles);
    for (const Cause cause : all_causes) {
        INFO(name(cause));
        CHECK(result.stack[cause] == expected[cause]);
    }
}

} // namespace

TEST_CASE("operands in VMEM: the vector unit alone decides") {
    // One block, as nothing crosses the DMA: 9 registers of 3 operations on one ALU.
    const auto result = run_from(DataOrigin::vmem, small_machine(), three_blocks(3));
    check_parts(result, {{Cause::vector, 9 * 3}}, 16);
    CHECK(result.kind == "vector");
    CHECK(result.traffic.vmem.read.vector == 36);
    CHECK(result.traffic.vmem.write.vector == 36);
    CHECK(result.traffic.hbm.total() == 0);
    CHECK(result.roofline.bound == "vector");
    CHECK(result.roofline.t_vector_s == 27e-9); // 36 * 3 operations, 4 a cycle of 1 ns
    CHECK(result.roofline_efficiency() == 1);
}

TEST_CASE("three blocks from an ideal memory follow each other without a gap") {
    // Cycle 0 brings the first block's 12 bytes into VMEM. Each takes 3 registers * 3 operations = 9 cycles, and the
    // next is there long before: 1 to 9, 10 to 18, 19 to 27. The last result leaves VMEM in cycle 28 and is in memory
    // at once.
    const auto result = run_from(DataOrigin::hbm, small_machine(), three_blocks(3));
    check_parts(result, {{Cause::vmem, 1 + 1}, {Cause::vector, 3 * 9}}, 16);
    CHECK(result.traffic.hbm.read.vector == 36);
    CHECK(result.traffic.hbm.write.vector == 36);
    CHECK(result.traffic.vmem.read.vector == 36 + 36);  // by the unit, and on the way out
    CHECK(result.traffic.vmem.write.vector == 36 + 36); // on the way in, and by the unit
    CHECK(result.traffic.hbm.accesses == 3 + 3);
}

namespace {

// A byte a cycle, in requests of 8 bytes, two of them in flight: those of a block are of 8 and of 4 bytes.
Machine slow_memory() {
    Machine machine = small_machine();
    machine.dma.burst_bytes = 8;
    machine.dma.outstanding = 2;
    machine.hbm.bandwidth = 1'000'000'000;
    return machine;
}

} // namespace

TEST_CASE("a vector unit that HBM's bandwidth holds up") {
    // HBM moves block 0 in cycles 0 to 11, block 1 in 12 to 23. The unit works on block 0 in 13 to 15 (3 registers of
    // one operation), VMEM gives its results in 16, and HBM takes them in 24 to 35. Block 2, whose buffer block 0 had,
    // comes in 36 to 47. Block 1 is worked on in 25 to 27, stored in 48 to 59; block 2 in 49 to 51 and 60 to 71.
    // A block's way into VMEM takes a cycle. Blocks 1 and 2 follow the one before at HBM's pace, and that one has had
    // this cycle on its trail as well: it is there once.
    const auto result = run_from(DataOrigin::hbm, slow_memory(), three_blocks(1));
    check_parts(result,
                {{Cause::vector, 3 * 3},
                 {Cause::hbm_bandwidth, 12 + (25 - 16) + (49 - 28) + (72 - 52)},
                 {Cause::vmem, 1}},
                16);
    CHECK(result.roofline.bound == "hbm");
    CHECK(result.roofline_efficiency() == 1); // 72 bytes
}

TEST_CASE("a vector unit that its ALUs hold up") {
    // 3 registers of 20 operations: 60 cycles a block, longer than a block's 12 + 12 bytes. Block 0 is in VMEM after 13
    // cycles; the unit works in 13 to 192, and the last 12 bytes go out, a cycle of VMEM and 12 of HBM.
    Machine machine = slow_memory();
    const Parts ends{{Cause::hbm_bandwidth, 12 + 12}, {Cause::vmem, 1 + 1}};
    const auto with = [&](Cycles vector) { return Parts{ends[0], ends[1], {Cause::vector, vector}}; };
    const auto result = run_from(DataOrigin::hbm, machine, three_blocks(20));
    check_parts(result, with(3 * 60), 16);
    CHECK(result.roofline.bound == "vector");
    machine.vector.alus = 2; // half of its time
    check_parts(run_from(DataOrigin::hbm, machine, three_blocks(20)), with(3 * 30), 16);
}

TEST_CASE("a vector unit that VMEM's bandwidth holds up") {
    // 36 bytes in and 36 out at 2 bytes a cycle: 36 cycles, of which the ALUs need 9 registers * 1 operation.
    Machine machine = small_machine();
    machine.vmem.bandwidth = 2;
    const auto result = run_from(DataOrigin::vmem, machine, three_blocks(1));
    check_parts(result, {{Cause::vector, 9}, {Cause::vmem, 36 - 9}}, 16);
    CHECK(result.roofline.bound == "vmem");
    CHECK(result.roofline_efficiency() == 1);
}

TEST_CASE("VMEM's read latency is there once") {
    Machine machine = small_machine();
    machine.vmem.read_latency = 5;
    check_parts(run_from(DataOrigin::vmem, machine, three_blocks(3)), {{Cause::vmem, 5}, {Cause::vector, 27}}, 16);
}

TEST_CASE("cores take whole registers of a vector problem, and one without any is padding") {
    Machine machine = small_machine();
    SECTION("9 registers of 3 operations to two cores: 4 and 5, and the first waits 3 cycles for the second") {
        machine.cores = 2;
        const auto result = run_from(DataOrigin::vmem, machine, three_blocks(3));
        CHECK(result.cycles == 15);
        CHECK(result.pe_slots == 2 * 16 * 15);
        CHECK(result.stack[Cause::vector] == 16 * (12 + 15));
        CHECK(result.stack[Cause::padding] == 16 * 3);
        CHECK(result.stack.total() == result.pe_slots);
    }
    SECTION("2 registers to four cores: two do nothing") {
        machine.cores = 4;
        VectorProblem problem = three_blocks(3);
        problem.elements = 8;
        const auto result = run_from(DataOrigin::vmem, machine, problem);
        CHECK(result.cycles == 3);
        CHECK(result.stack[Cause::vector] == 16 * 2 * 3);
        CHECK(result.stack[Cause::padding] == 16 * 2 * 3);
    }
}

TEST_CASE("what lies in VMEM crosses no DMA") {
    // Only the second operand comes, a byte a cycle: 12 of 36 for each block, and nothing goes out. Block 0 in cycles 0
    // to 11, 1 in 12 to 23, 2 in 24 to 35; each is worked on for 3 cycles from the second cycle after that: to
    // cycle 39.
    VectorProblem problem = three_blocks(1);
    problem.reads = {{36, Home::vmem}, {36, Home::hbm}};
    problem.writes = {{36, Home::vmem}};
    const auto result = run_from(DataOrigin::hbm, slow_memory(), problem);
    CHECK(result.cycles == 40);
    CHECK(result.traffic.hbm.read.vector == 36);
    CHECK(result.traffic.hbm.write.vector == 0);
    CHECK(result.traffic.vmem.read.vector == 36 + 36);
    CHECK(result.traffic.vmem.write.vector == 36 + 36);
}

TEST_CASE("from the host, operands come down and results go up, each once") {
    Machine machine = small_machine();
    machine.pcie.bandwidth = 1'000'000'000;
    const auto one = run_from(DataOrigin::host, machine, three_blocks(1));
    CHECK(one.traffic.pcie.write.vector == 36);
    CHECK(one.traffic.pcie.read.vector == 36);
    CHECK(one.traffic.hbm.write.vector == 36 + 36); // staged, and stored
    CHECK(one.traffic.hbm.read.vector == 36 + 36);
    // Half the rate: 36 cycles more down, and 12 more for the last block on its way up; all of them the link's.
    machine.pcie.bandwidth = 500'000'000;
    const auto half = run_from(DataOrigin::host, machine, three_blocks(1));
    CHECK(half.cycles - one.cycles == 36 + 12);
    for (const Cause cause : all_causes) {
        INFO(name(cause));
        CHECK(half.stack[cause] - one.stack[cause] == (cause == Cause::pcie ? 16 * (36 + 12) : 0));
    }
}

TEST_CASE("the timeline of the vector unit shows its blocks and what it waited for") {
    TimelineLog log;
    RunOptions options;
    options.timeline = &log;
    const auto result = run_vector(slow_memory(), three_blocks(1), options);
    REQUIRE(log.operators().size() == 1);
    const auto& timeline = log.operators().front();
    const auto per_cycle = timeline.clock.ticks_per_cycle;
    CHECK(timeline.end == result.cycles * per_cycle);
    // As derived above for HBM's bandwidth.
    const std::vector<std::pair<Cycles, Cycles>> expected{{0, 13},  {13, 16}, {16, 25}, {25, 28},
                                                          {28, 49}, {49, 52}, {52, 72}};
    const auto slices = timeline.on("core 0/vector unit");
    REQUIRE(slices.size() == expected.size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
        CHECK(slices[i].name == (i % 2 == 0 ? "waits: hbm_bandwidth" : "block"));
        CHECK(slices[i].from == expected[i].first * per_cycle);
        CHECK(slices[i].to == expected[i].second * per_cycle);
    }
    CHECK(timeline.sum("core 0/DMA", "reads vector data", "bytes") == 36);
    CHECK(timeline.sum("core 0/DMA", "writes vector data", "bytes") == 36);
}
